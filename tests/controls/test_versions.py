"""Versions of controls: a class with different behavior has a different version."""

import functools
import os
import subprocess
import sys
import threading
from typing import Any

import pytest

import longfat
from longfat import _engine
from longfat.controls.versions import version_of

CONTROL = """\
class Control{bases}:
{body}
    def on_acknowledgment(self, window, progress):
        {answer}

    def on_loss(self, window, flight): pass
    def on_timeout(self, window, flight): pass
"""


def defined(body: str = "    pass", before: str = "", bases: str = "", answer: str = "pass") -> Any:
    """The class `Control` of a notebook cell, which has no file."""
    cell: dict[str, Any] = {"__name__": "__cell__"}
    exec(before + "\n" + CONTROL.format(body=body, bases=bases, answer=answer), cell)
    return cell["Control"]


DIFFERENT = {
    "an attribute": [{"body": f"    segments = {n}"} for n in (10, 50)],
    "a kind of number": [{"body": f"    segments = {n}"} for n in ("10", "10.0")],
    "a default": [{"body": f"    def __init__(self, segments={n}): pass"} for n in (10, 50)],
    "a default by name": [{"body": f"    def __init__(self, *, n={n}): pass"} for n in (10, 50)],
    "how it decides": [
        {"body": f"    interval_s = {interval}\n    steers = '{steers}'"}
        for interval, steers in ((0.1, "window"), (0.5, "rate"))
    ],
    "a global": [{"before": f"segments = {n}", "answer": "segments"} for n in (10, 50)],
    "a global within": [
        {"before": f"n = {n}", "answer": "[i + n for i in (1,)]"} for n in (10, 50)
    ],
    "a function": [{"before": f"def f(): return {n}", "answer": "f()"} for n in (10, 50)],
    "a module": [{"before": f"import {name} as m", "answer": "m.sqrt(1)"} for name in
                 ("math", "cmath")],
    "a property": [{"body": f"    @property\n    def n(self): return {n}"} for n in (10, 50)],
    "a class method": [{"body": f"    @classmethod\n    def n(cls): return {n}"} for n in (10, 50)],
    "a static method": [{"body": f"    @staticmethod\n    def n(): return {n}"} for n in (10, 50)],
    "what is cached": [
        {"before": "import functools",
         "body": f"    @functools.cached_property\n    def n(self): return {n}"} for n in (10, 50)
    ],
    "a base": [{"before": f"class Base:\n  n = {n}", "bases": "(Base)"} for n in (10, 50)],
    "the order of bases": [
        {"before": "class A: n = 1\nclass B: n = 2", "bases": bases}
        for bases in ("(A, B)", "(B, A)")
    ],
    "an array": [
        {"before": f"import numpy\nweights = numpy.array([1.0, {n}])", "answer": "weights"}
        for n in (10, 50)
    ],
    "a pattern": [
        {"before": f"import re\npattern = re.compile('{p}')", "answer": "pattern"} for p in "ab"
    ],
    "a function of a library": [
        {"before": f"from numpy import {name} as f", "answer": "f(1)"}
        for name in ("exp", "log", "mean", "median")
    ],
    "chance": [
        {"before": f"import numpy\nchance = numpy.random.default_rng({seed})", "answer": "chance"}
        for seed in (1, 2)
    ],
    "an object": [
        {"before": f"class Model:\n  pass\nmodel = Model()\nmodel.n = {n}", "answer": "model"}
        for n in (10, 50)
    ],
    "what is decorated": [
        {"before": "import contextlib\n@contextlib.contextmanager\ndef f():\n"
                   f"  yield {n}", "answer": "f()"} for n in (10, 50)
    ],
    "a field": [
        {"before": "import dataclasses",
         "body": f"    n: int = 1\n    f: list = dataclasses.field(default_factory=lambda: [{n}])",
         "bases": ""} for n in (10, 50)
    ],
}  # fmt: skip


@pytest.mark.parametrize("cells", DIFFERENT.values(), ids=DIFFERENT)
def test_controls_that_differ_in_anything_are_of_two_versions(cells: list[dict[str, str]]) -> None:
    versions = [version_of(defined(**cell)) for cell in cells]
    assert versions == [version_of(defined(**cell)) for cell in cells], "the same again is the same"
    assert len(set(versions)) == len(cells)


def test_two_controls_that_one_function_has_made_are_of_two_versions() -> None:
    def made(segments: int) -> type:
        class Made:
            """A window of so many segments."""

            def on_acknowledgment(self, window: Any, _progress: Any) -> None:
                """Make it what it is to be."""
                window.cwnd = segments * window.mss

        return Made

    assert version_of(made(10)) == version_of(made(10)) != version_of(made(50))
    partial = functools.partial(made, 10)
    assert version_of(partial) != version_of(functools.partial(made, 50))


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("# of gentle controls\n\n", "    n = 10"),
        ("", "    # so many\n    n = 10"),
        ("unused = 5", "    n = 10"),
        ("", "    '''A docstring.'''\n    n = 10"),
    ],
)
def test_lines_comments_and_what_is_not_named_do_not_count(before: str, body: str) -> None:
    answer = "[self.n for _ in range(3)]; (lambda: self.n)()"
    plain = version_of(defined("    n = 10", answer=answer))
    assert version_of(defined(body, before, answer=answer)) == plain


def test_a_version_is_the_same_in_every_process() -> None:
    code = (
        "from longfat.controls.versions import version_of\n"
        "names = {'a', 'b', 'c', 'd', 'e'}\n"
        "class Mine:\n"
        "    def decide(self, interval): return interval in names or interval in {'f', 'g', 'h'}\n"
        "print(version_of(Mine))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_a_value_without_version_is_refused_unless_a_version_is_given() -> None:
    control = defined(before="import threading\nmodel = [threading.Lock()]", answer="model")
    expected = (
        "Control: on_acknowledgment: model: a value of type lock: its version cannot be "
        'determined; pass it: use_control(..., version="1")'
    )
    with pytest.raises(longfat.InvalidInput) as raised:
        longfat.use_control("locked", control)
    assert str(raised.value) == expected
    longfat.use_control("locked", control, version="1")
    assert "locked" in dict(_engine.provided_controls())


def test_a_class_of_a_file_that_is_changed_afterwards_is_another_version() -> None:
    class Changed:
        """A control whose attributes are set from outside."""

        segments: Any = 10

    first = version_of(Changed)
    Changed.segments = 50
    assert version_of(Changed) != first
    Changed.segments = threading.Lock()
    with pytest.raises(longfat.InvalidInput, match="Changed: segments: a value of type lock"):
        version_of(Changed)

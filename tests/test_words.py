"""Doc comments begin with the quantity or with a verb, as CONTRIBUTING has it."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BEGINNINGS = ("What ", "The same")
"""Beginnings that put off what is named: the quantity, the algorithm, or the act."""


def rust_comments() -> Iterator[tuple[str, str]]:
    """Return place and first line of every doc comment of the crates."""
    for file in sorted(ROOT.glob("crates/*/**/*.rs")):
        if "target" in file.parts:
            continue
        before = ""
        for number, line in enumerate(file.read_text().splitlines(), 1):
            found = re.match(r"\s*(?:///|//!) ?(.*)", line)
            if found and not before:
                yield f"{file.relative_to(ROOT)}:{number}", found[1]
            before = line if found else ""


def docstrings() -> Iterator[tuple[str, str]]:
    """Return place and text of every string that documents Python."""
    for folder in ("python/longfat", "tests", "benchmarks", "tools"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if (
                    isinstance(node, ast.Expr)
                    and isinstance(node.value, ast.Constant)
                    and isinstance(node.value.value, str)
                ):
                    yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value.value


@pytest.mark.parametrize("comments", [rust_comments, docstrings], ids=lambda of: of.__name__)
def test_doc_comments_name_their_subject_first(
    comments: Callable[[], Iterator[tuple[str, str]]],
) -> None:
    found = list(comments())
    assert len(found) > 1000
    assert [place for place, text in found if text.startswith(BEGINNINGS)] == []

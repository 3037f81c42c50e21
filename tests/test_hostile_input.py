"""Any input bytes get an answer or a refusal of the one kind, never anything else.

Texts are valid ones with damage, which gets further into a parser than noise does.
"""

import json
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longfat import InvalidInput, _engine
from longfat.base.errors import BadInput, LongfatError
from longfat.base.location import shown
from longfat.base.where import matching
from longfat.running.limits import Limits
from longfat.schedules import importer
from longfat.schedules.options import Options
from longfat.schedules.sample import Sample, unpacked
from longfat.schedules.written import text_and_notes
from longfat.store.databases import store_at
from longfat.studies.reference import read_reference
from tests.conftest import SCENARIO, STUDY
from tests.schedules.specimens import SPECIMENS, specimen

PIECES = [
    b'"', b"[", b"]", b"{", b"}", b"=", b"\n", b"\0", b"\xff", b"0", b"-1", b"1e999", b"nan",
    b"inf",
    b"9" * 30, b"'", b"#", b".", b",", b'"5 ms"', b'"unlimited"', b"true", b"[[response]]",
    b"[factors]", b"..", b"/", b"\\u0000",
]  # fmt: skip


@st.composite
def damaged(draw: st.DrawFn, good: bytes) -> bytes:
    """A valid text with pieces removed, inserted or repeated."""
    text = good
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 12)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
        text = text[:begin] + piece * draw(st.integers(0, 2)) + text[end:]
    return text


def refuses_or(act: Callable[..., Any], *arguments: object) -> Any:
    """Return the answer, or None if it was refused as bad input."""
    try:
        return act(*arguments)
    except (InvalidInput, LongfatError) as refusal:
        return None if str(refusal).strip() else pytest.fail("refused without a word")


@given(damaged(SCENARIO.encode()))
def test_a_scenario_is_resolved_or_refused_with_its_place(text: bytes) -> None:
    resolved = refuses_or(_engine.resolve_scenario, text, "scenario.toml")
    if resolved is not None:
        assert _engine.resolve_scenario(resolved.encode(), "again.json") == resolved
        events, memory_bytes, *_ = _engine.scenario_cost(resolved)
        assert events >= 0
        assert memory_bytes > 0


@given(st.binary(max_size=200), st.sampled_from(["bad.toml", "bad.json"]))
def test_noise_is_refused(noise: bytes, name: str) -> None:
    assert refuses_or(_engine.resolve_scenario, noise, name) is None


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=3))
def test_overrides_are_taken_or_refused(overrides: list[tuple[str, str]]) -> None:
    given_ones = [(path, value, f"--set {path}={value}") for path, value in overrides]
    refuses_or(_engine.resolve_scenario, SCENARIO.encode(), "scenario.toml", given_ones)


@given(damaged(STUDY.encode()))
def test_a_study_is_read_or_refused(text: bytes) -> None:
    checked = refuses_or(
        _engine.check_study, text, "study.toml", SCENARIO.encode(), "scenario.toml"
    )
    if checked is not None:
        assert isinstance(json.loads(checked), dict)


@pytest.mark.parametrize("target", ["reference_table", "measurement"])
def test_the_corpus_of_a_target_in_python_is_read_or_refused_by_line(target: str) -> None:
    fuzz = Path(__file__).parent.parent / "fuzz"
    check = runpy.run_path(str(fuzz / f"{target}.py"))["check"]
    texts = sorted((fuzz / "corpus" / target).iterdir())
    assert texts
    for text in texts:
        check(text.read_bytes())


def test_a_cell_that_the_reader_refuses_is_reported_with_its_line() -> None:
    text = b"config,efficiency\nlan," + b"9" * 200_000
    with pytest.raises(BadInput, match=r"table\.csv:2: field larger than field limit"):
        read_reference(text, Path("table.csv"), {"config": ["lan"]}, ["efficiency"])


@given(st.text(max_size=60))
def test_a_condition_is_answered_or_refused_and_does_nothing_else(condition: str) -> None:
    refuses_or(matching, ["load", "replication"], [["light", 0], ["heavy", 1]], condition)


@given(st.text(max_size=60))
def test_a_limit_is_understood_or_refused(text: str) -> None:
    refuses_or(Limits().changed, [text])


@given(st.text(max_size=60))
def test_a_location_is_a_store_or_refused_and_shows_no_password(text: str) -> None:
    refuses_or(store_at, text)
    password = "correct-horse"
    assert password not in shown(f"postgresql://ada:{password}@host/{text}")


@pytest.mark.parametrize("name", SPECIMENS)
def test_a_measured_file_is_a_path_that_the_engine_takes_or_refused_in_lines(name: str) -> None:
    contents_of = [specimen(file).replace(b"10 min", b"10 s") for file in SPECIMENS[name]]
    files = dict(zip(importer(name).FILES, contents_of, strict=True))

    @settings(max_examples=40)
    @given(st.data())
    def judged(data: st.DataObject) -> None:
        damage = data.draw(st.sampled_from(sorted(files)))
        content = unpacked(files[damage], "measured")
        contents = files | {damage: data.draw(damaged(content))}
        samples = {argument: Sample(argument, each) for argument, each in contents.items()}
        refusal: BadInput | None = None
        try:
            path = importer(name).measured(samples, Options(window_ms=300)).checked(name)
        except BadInput as problem:
            refusal = problem
        if refusal is not None:
            # Of a description, the engine tells all mistakes at once.
            assert name == "orbit" or len(refusal.problems) == 1
            assert all(problem.isprintable() for problem in refusal.problems)
            return
        text, _ = text_and_notes(path, None, name)
        scenario = json.dumps(
            {
                "schema_version": 1,
                "duration": "1 s",
                "framing": "packet",
                "topology": {
                    "kind": "n-source",
                    "sources": 1,
                    "access": {"delay": "1 ms"},
                    "bottleneck": {"delay": "1 ms"},
                },
                "port": {"buffer": "20 packets"},
                "path": {"kind": "schedule", "steps": text},
            }
        )
        assert _engine.resolve_scenario(scenario.encode(), "scenario.json")

    judged()

"""Designs that are too large are counted and refused before anything is built."""

import tracemalloc
from pathlib import Path

import pytest

from longfat import LongfatError
from longfat.base.errors import BadInput
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.design import MOST_COMBINATIONS, MOST_RUNS, combinations, size
from longfat.studies.plan import Selection, plan_design
from tests.cli.test_bad_input import refused
from tests.conftest import SCENARIO
from tests.studies.test_design import design, factors
from tests.support import Longfat

HEAD = 'schema_version = 1\ntitle = "T"\n'
LEVELS = ", ".join(map(str, range(1, 301)))
FACTORS = f'[factors]\nseed = [{LEVELS}]\n"port.policy.z" = [{LEVELS}]\n"topology.sources" = '
CROSSED = f"{FACTORS}[{LEVELS}]\n"


def written(folder: Path, text: str) -> Path:
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "study.toml").write_text(HEAD + text)
    return folder


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[design]\nkind = "full-factorial"\n' + CROSSED, "design"),
        ('[design]\nkind = "sobol"\npoints = 1048576\n' + CROSSED, "design"),
        (
            '[design]\nkind = "reference-rows"\n'
            + CROSSED
            + '[[response]]\ntable = "A"\ntitle = "B"\nmetric = "efficiency"\n'
            'rows = { seed = "all", z = "all", sources = "all" }\n',
            "response.rows",
        ),
    ],
)
def test_more_combinations_than_can_be_planned_are_refused_before_any_is_built(
    tmp_path: Path, text: str, place: str
) -> None:
    study = written(tmp_path, text)
    tracemalloc.start()
    with pytest.raises(BadInput) as error:
        load_study(study)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most_bytes < 10_000_000, "less than ten bytes for each point of the smallest of them"
    (problem,) = error.value.problems
    assert problem.startswith(f"{tmp_path}/study.toml: {place}: ")
    assert f"are more than {MOST_COMBINATIONS}" in problem


def test_more_replications_than_can_be_planned_are_refused_by_check(
    longfat: Longfat, study_folder: Path
) -> None:
    file = study_folder / "study.toml"
    text = file.read_text().replace("replications = 2", "replications = 1000000000000")
    file.write_text(text)
    refused(longfat("check", file), f"{file}: design.replications: 6000000000006 runs")


def test_more_replications_asked_for_than_can_be_planned_are_refused(
    longfat: Longfat, study_folder: Path
) -> None:
    process = longfat("study", "plan", study_folder, "--replications", "1000000000")
    refused(process, "6000000006 runs", f"at most {MOST_RUNS // 6 - 1} replications")


def test_as_many_runs_as_the_message_allows_are_planned(study: StudyDefinition) -> None:
    with pytest.raises(LongfatError, match="at most 833332 replications"):
        plan_design(study, Selection(replications=MOST_RUNS // 6))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("full-factorial", {}),
        ("two-level", {}),
        ("one-at-a-time", {}),
        ("fractional", {"generators": {"c": ["a", "b"]}}),
        ("explicit", {"combinations": [(("a", "a1"),)]}),
    ],
)
def test_a_design_has_as_many_combinations_as_its_size_says(
    kind: str, options: dict[str, object]
) -> None:
    made, axes = design(kind, **options), factors(2, 3, 4)
    assert size(made, axes) == len(combinations(made, axes))

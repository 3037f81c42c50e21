"""Designs that are too large are counted and refused before anything is built."""

import json
import tracemalloc
from pathlib import Path

import pytest

from longfat import LongfatError
from longfat.base.errors import BadInput
from longfat.studies.audit import check_audit
from longfat.studies.cost import CostEstimator
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
    with pytest.raises(LongfatError, match=f"at most {MOST_RUNS // 6 - 1} replications"):
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


def test_a_large_plan_takes_no_more_memory_than_its_texts(study_folder: Path) -> None:
    levels = ", ".join(f'"{cells} cells"' for cells in range(1000, 2000))
    (study_folder / "study.toml").write_text(
        f'{HEAD}[factors]\n"port.buffer" = [{levels}]\n"topology.sources" = [1, 2, 3, 4]\n'
    )
    study = load_study(study_folder)
    tracemalloc.start()
    check_audit(study)
    plan = plan_design(study, Selection(replications=0))
    assert sum(len(series.numbers) for series in plan.left({})) == plan.distinct_runs == 4000
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    text = plan.series[0].first.resolved
    assert most_bytes < 4000 * 4 * len(text), "dictionaries of its settings take ten times its text"


def test_a_million_replications_are_counted_without_a_run_for_each(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection(where=("load = 'light'",), replications=200_000))
    tracemalloc.start()
    left = plan.left({})
    cost = CostEstimator({}).cost(left)
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert cost.rough_runs == plan.distinct_runs > 200_000
    assert most_bytes < 200 * plan.distinct_runs, "a planned run takes 300 bytes"


def test_runs_are_listed_as_they_are_expanded(longfat: Longfat, study_folder: Path) -> None:
    options = ["--replications", "12000", "--where", "policy = 'ubr'"]
    lines = longfat("study", "plan", study_folder, *options, "--csv").stdout.splitlines()
    document = json.loads(longfat("study", "plan", study_folder, *options, "--json").stdout)
    assert len(lines) == 1 + document["planned_runs"] > 12000
    assert [line.split(",")[0] for line in lines[1:]] == [run["run_id"] for run in document["runs"]]

"""Designs of which only some factor combinations exist."""

from pathlib import Path

import pytest

from longfat.base.errors import BadInput, LongfatError
from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_design, plan_everything
from tests.support import Longfat

SCENARIO = """\
schema_version = 1
duration = "20 ms"
framing = "packet"

[topology]
kind = "n-source"
sources = 2
access     = { delay = "5 us" }
bottleneck = { delay = "5 us" }

[port]
buffer = "40 packets"
"""

STUDY = """\
schema_version = 1
title = "Marks need a queue that marks"

[design]
where = "ecn = 'off' OR queue <> 'tail-drop'"
replications = 2
perturb = { start = "uniform(0 ms, 1 ms)" }

[factors]
"port.queue" = { tail-drop = "by-policy", codel = "codel", pie = "pie" }
"tcp.ecn" = { off = "none", on = "classic" }

[[response]]
table = "all"
metric = "efficiency"
rows = { queue = "all", ecn = "all" }
across = "queue"

[[response]]
table = "means"
metric = "efficiency"
rows = { ecn = "all" }
mean_over = ["queue"]

[[response]]
table = "queues"
metric = "efficiency"
rows = { queue = "all" }
"""

EXISTING = {
    ("tail-drop", "off"),
    ("codel", "off"),
    ("codel", "on"),
    ("pie", "off"),
    ("pie", "on"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "marks"
    folder.mkdir()
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "study.toml").write_text(STUDY)
    return folder


def changed(folder: Path, old: str, new: str) -> Path:
    file = folder / "study.toml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    return folder


def test_only_combinations_that_exist_are_planned_and_tabulated(folder: Path) -> None:
    study = load_study(folder)
    levels = [tuple(level for _, level in found) for found in study.combinations]
    assert set(levels) == EXISTING
    assert len(levels) == len(EXISTING)
    tables = {response.table: response.rows for response in study.responses}
    of_all = {tuple(level for _, level in row.combination) for row in tables["all"]}
    assert of_all == EXISTING
    members = {row.combination[0][1]: len(row.simulated) for row in tables["means"]}
    assert members == {"off": 3, "on": 2}
    # Without a level of `ecn`, these rows have the scenario's, of which the condition says nothing.
    assert len(tables["queues"]) == 3
    designed = {found for found in plan_everything(study, 0).combinations if len(found) == 2}
    assert designed == set(study.combinations)


@pytest.mark.parametrize("kind", ["two-level", "one-at-a-time", 'sobol"\npoints = 4 #'])
def test_other_kinds_leave_out_the_same(folder: Path, kind: str) -> None:
    changed(folder, "[design]", f'[design]\nkind = "{kind}"')
    found = load_study(folder).combinations
    assert {tuple(level for _, level in one) for one in found} <= EXISTING


def test_a_study_of_them_is_run_compared_and_analysed(longfat: Longfat, folder: Path) -> None:
    ran = longfat("study", "run", folder)
    assert ran.returncode == 0, ran.stderr
    runs = plan_design(load_study(folder), Selection()).distinct_runs
    assert f"{runs} runs" in ran.stderr
    compared = longfat("study", "compare", folder, "--table", "all")
    assert compared.returncode == 0, compared.stderr
    analysed = longfat("analyze", folder, "--response", "efficiency", "--order", "1")
    assert analysed.returncode == 0, analysed.stderr
    assert "Not balanced (1 of 6 combinations have no value)" in analysed.stdout


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("ecn = 'none'", "study.toml:5:9: design.where: no factor combination meets ecn = 'none'"),
        ("colour = 'red'", "study.toml:5:9: design.where"),
        ("ecn = 'off' OR", "study.toml:5:9: design.where"),
        ("1); DROP TABLE runs; --", "design.where"),
    ],
)
def test_a_condition_that_cannot_be_is_refused_with_its_place(
    longfat: Longfat, folder: Path, where: str, expected: str
) -> None:
    changed(folder, "ecn = 'off' OR queue <> 'tail-drop'", where)
    with pytest.raises((BadInput, LongfatError), match="design"):
        load_study(folder)
    refused = longfat("check", folder)
    assert refused.returncode == 2
    assert expected in refused.stderr
    assert "Traceback" not in refused.stderr


def test_what_no_combination_can_be_is_said_when_the_study_is_checked(
    longfat: Longfat, folder: Path
) -> None:
    changed(folder, "uniform(0 ms, 1 ms)", "uniform(0 ms, 1 m)")
    refused = longfat("check", folder)
    assert refused.returncode == 2
    assert "start" in refused.stderr

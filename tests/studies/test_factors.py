import json
from pathlib import Path
from typing import Any

import pytest

from longfat import study as open_study
from longfat.analysis.measures import COMPLETIONS, OWN_COLUMNS, REFERENCE_COLUMNS
from longfat.base.errors import BadInput
from longfat.plots import PLOTS, find
from longfat.plots.options import STUDY_SOURCES
from longfat.scenarios.scenario import Override
from longfat.studies.definition import load_study, shipped_studies
from longfat.studies.factors import RESERVED, Factor, check_settings
from tests.conftest import SCENARIO
from tests.support import Longfat

FULL = 'schema_version = 1\ntitle = "T"\n[design]\nkind = "full-factorial"\nreplications = 1\n'


def problems_of(folder: Path, factors: str) -> list[str]:
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "study.toml").write_text(f"{FULL}{factors}")
    with pytest.raises(BadInput) as refused:
        load_study(folder)
    return refused.value.problems


@pytest.mark.parametrize(
    "name", ["replication", "efficiency", "Fairness", "scenario", "doubtful", "table", "low"]
)
def test_a_factor_called_like_a_column_of_results_is_refused(tmp_path: Path, name: str) -> None:
    levels = "[1, 2]" if name == "replication" else "{ a = { seed = 3 }, b = { seed = 4 } }"
    (problem,) = problems_of(tmp_path, f"[factors]\n{name} = {levels}\n")
    assert problem.startswith(f"{tmp_path}/study.toml:7:")
    assert f'factors: "{name}": a column of results has this name' in problem


def test_factors_that_differ_in_case_only_are_refused(tmp_path: Path) -> None:
    text = "[factors.load]\na = { seed = 3 }\n[factors.Load]\na = { duration = '9 ms' }\n"
    (problem,) = problems_of(tmp_path, text)
    assert '"Load": differs from "load" in case only' in problem


@pytest.mark.parametrize(("levels", "twice"), [("[3, 5, 3]", "3"), ("[2, 2.0]", "2, 2.0")])
def test_a_level_that_stands_twice_is_refused(tmp_path: Path, levels: str, twice: str) -> None:
    (problem,) = problems_of(tmp_path, f'[factors]\n"port.policy.z" = {levels}\n')
    assert problem.startswith(f"{tmp_path}/study.toml:7:")
    assert f'"z": the same level stands twice: {twice};' in problem


NAMED = """[factors.discipline]
short = { "port.buffer" = "100 cells" }
long = { "port.buffer" = "300 cells" }
"""
LISTED = '[factors]\n"port.buffer" = ["400 cells", "600 cells"]\n'


@pytest.mark.parametrize(
    ("text", "undone", "by"),
    [(NAMED + LISTED, "discipline", "buffer"), (LISTED + NAMED, "buffer", "discipline")],
)
def test_a_factor_that_another_one_always_undoes_is_refused(
    tmp_path: Path, text: str, undone: str, by: str
) -> None:
    (problem,) = problems_of(tmp_path, text)
    assert f'"{undone}": it sets port.buffer, which "{by}" always sets again' in problem


def test_a_level_may_depart_from_what_another_factor_says() -> None:
    def setting(value: str) -> tuple[Override]:
        return (Override("port.buffer", value, "study.toml:1:1"),)

    factors = [
        Factor("config", {"lan": setting("1"), "wan": setting("2")}),
        Factor("variant", {"usual": (), "small": setting("3")}),
    ]
    crossed = [
        (("config", config), ("variant", variant))
        for config in ("lan", "wan")
        for variant in ("usual", "small")
    ]
    check_settings(factors, crossed, Path("study.toml"))


@pytest.mark.parametrize("name", shipped_studies())
def test_factors_of_shipped_studies_have_distinct_names(name: str) -> None:
    assert load_study(name).factors


def test_no_factor_can_hide_a_column_of_the_tables_that_claims_read() -> None:
    assert {*OWN_COLUMNS, *REFERENCE_COLUMNS, COMPLETIONS} <= RESERVED


FROM_LOADS = [
    ("light = {", '"0.5 RTT" = {'),
    ("heavy = {", '"1 RTT" = {'),
    ("load", "buffer"),
    ("light", "0.5 RTT"),
    ("heavy", "1 RTT"),
]


@pytest.fixture
def about_buffers(study_folder: Path) -> Path:
    """The small study with buffers in place of loads, so that every plot of studies has rows."""
    for file in [study_folder / "study.toml", *study_folder.glob("reference/*.csv")]:
        text = file.read_text()
        for old, new in FROM_LOADS:
            text = text.replace(old, new)
        file.write_text(text)
    return study_folder


def beside_levels(document: Any, factors: set[str]) -> set[str]:
    """Names of all other entries in an object that has the level of a factor."""
    if isinstance(document, list):
        return {name for item in document for name in beside_levels(item, factors)}
    if not isinstance(document, dict):
        return set()
    inner = beside_levels(list(document.values()), factors)
    return inner | (document.keys() - factors if document.keys() & factors else set())


def test_no_factor_can_hide_what_stands_beside_its_levels(
    longfat: Longfat, about_buffers: Path
) -> None:
    study = open_study(about_buffers, store=about_buffers.parent / "longfat.db").run(jobs=1)
    factors = {factor.name for factor in study.definition.factors}
    found = {*study.runs().columns, *study.compare().columns} - factors
    kinds = [kind for kind in PLOTS if find(kind).SOURCE in STUDY_SOURCES]
    for kind in kinds:
        found |= {name for row in study.plot(kind).rows for name in row} - factors
    for verb in ("plan", "compare", "verify"):
        document = json.loads(longfat("study", verb, about_buffers, "--json").stdout)
        found |= beside_levels(document, factors)
    assert found >= {"table", "metric", "ours", "low", "runs", "covariance", "buffer_unit"}
    assert found <= RESERVED

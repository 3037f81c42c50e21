"""Objects of notebooks: runs with traces, and studies."""

from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat.scenarios.scenario import OverrideValue


def test_a_traced_run_has_the_values_that_are_set_whatever_it_is_of(scenario_file: Path) -> None:
    overrides: dict[str, OverrideValue] = {"topology.sources": 3, "duration": "20 ms"}
    expected = longfat.load_scenario(scenario_file, overrides).run_id
    for source in (scenario_file, longfat.load_scenario(scenario_file)):
        assert longfat.traced(source, overrides).record["run_id"] == expected


def test_the_files_of_a_traced_run_go_when_it_does(scenario_file: Path) -> None:
    traced = longfat.traced(scenario_file)
    folder = traced.folder
    assert list(folder.glob("*.parquet"))
    del traced
    assert not folder.exists()


def test_lists_may_be_written_as_on_the_command_line(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    as_text = longfat.study("ubr-plus", tables="2, 3", store=store)
    assert as_text.selection == longfat.study("ubr-plus", tables=["2", "3"], store=store).selection
    with pytest.raises(longfat.LongfatError, match="has no table '22'"):
        longfat.study("ubr-plus", tables="22", store=store).plan()
    with pytest.raises(longfat.LongfatError, match="tables='2,': an empty name"):
        longfat.study("ubr-plus", tables="2,", store=store)


def test_factors_may_be_one_name_or_several_in_a_text(study_folder: Path, tmp_path: Path) -> None:
    study = longfat.study(study_folder, tables="A", store=tmp_path / "runs.db").run()
    with pytest.raises(longfat.LongfatError, match="policiy") as told:
        study.analyze("efficiency", factors="policiy")
    assert "\n" not in str(told.value)
    given = ("load,policy", ["load", "policy"])
    first, second = (study.analyze("efficiency", factors=names).document() for names in given)
    assert first == second


@pytest.mark.parametrize("part", [{"tables": "2"}, {"where": "sources = 5"}])
def test_of_a_part_of_a_study_no_claims_are_judged(part: dict[str, Any], tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    with pytest.raises(
        longfat.LongfatError, match=r"all of ubr-plus.*longfat\.study\('ubr-plus'\)"
    ):
        longfat.study("ubr-plus", store=store, **part).claims()


def test_the_small_part_of_a_study_decides_the_claims_that_need_no_other_runs(
    study_folder: Path, tmp_path: Path
) -> None:
    claims = [
        ("S-1", "SELECT min(efficiency) FROM runs"),
        ("S-4", "SELECT avg(efficiency) FROM deterministic WHERE load = 'light'"),
    ]
    (study_folder / "claims.toml").write_text(
        "schema_version = 1\n"
        + "".join(
            f'[[claim]]\nid = "{name}"\nstatement = "It works"\nmeasure = "{sql}"\nholds = "<= 1"\n'
            for name, sql in claims
        )
    )
    small = longfat.study(study_folder, quick=True, store=tmp_path / "runs.db")
    with pytest.warns(UserWarning, match="no such run of small yet") as warned:
        nothing = small.claims()
    assert (nothing["verdict"].to_list(), warned[0].filename) == (["no data"], __file__)
    verdicts = small.run().claims()
    assert verdicts.select("id", "verdict").rows() == [("S-4", "holds")]

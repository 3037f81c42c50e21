import os
from pathlib import Path

import pytest

from longfat import InvalidInput, LongfatError, load_study
from longfat.errors import BadInput
from longfat.study import Study, shipped_studies


def test_a_study_is_loaded_by_folder_and_by_file(study_folder: Path) -> None:
    study = load_study(study_folder)
    assert study == load_study(study_folder / "study.toml")
    assert study.name == "small"
    assert [factor.name for factor in study.factors] == ["load", "policy", "z"]
    assert study.tables == ["A", "B"]
    assert study.design.replications == 2
    assert study.quick.where == "load = 'light'"


def test_a_study_in_the_current_folder_has_the_folders_name(study_folder: Path) -> None:
    before = Path.cwd()
    os.chdir(study_folder)
    try:
        assert load_study(".").name == "small"
    finally:
        os.chdir(before)


def test_levels_stand_for_overrides_in_the_order_of_factors(study: Study) -> None:
    overrides = study.overrides((("load", "heavy"), ("policy", "fba"), ("z", "0.5")))
    assert [path for path, _ in overrides] == [
        "topology.sources",
        "duration",
        "port.policy",
        "port.policy.z",
    ]


def test_every_response_has_the_rows_of_its_file(study: Study) -> None:
    assert [len(response.rows) for response in study.responses] == [4, 4, 2]


def test_an_unknown_study_is_told_the_shipped_ones() -> None:
    with pytest.raises(LongfatError, match="no shipped study.*ubr-plus"):
        load_study("ubr-pluss")


def test_shipped_studies_are_found_by_name_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "ubr-plus" in shipped_studies()
    assert load_study("ubr-plus").name == "ubr-plus"


def test_a_wrong_level_is_an_error_of_the_engine(study_folder: Path) -> None:
    file = study_folder / "study.toml"
    file.write_text(file.read_text().replace('fba = "fba"', 'fba = "fbb"'))
    with pytest.raises(InvalidInput, match="fbb"):
        load_study(study_folder)


def test_a_wrong_reference_table_is_an_error_with_its_line(study_folder: Path) -> None:
    file = study_folder / "reference" / "a.csv"
    file.write_text(file.read_text().replace("heavy,ubr", "havy,ubr"))
    with pytest.raises(BadInput, match="a.csv:4: load 'havy' is no level"):
        load_study(study_folder)


@pytest.mark.parametrize("missing", ["scenario.toml", "reference/a.csv"])
def test_a_missing_part_is_named(study_folder: Path, missing: str) -> None:
    (study_folder / missing).unlink()
    with pytest.raises(LongfatError, match=f"{missing}: no such file"):
        load_study(study_folder)

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from longfat import InvalidInput, LongfatError
from longfat.base.errors import BadInput
from longfat.studies.definition import StudyDefinition, load_study, shipped_studies, shipped_study
from tests.conftest import SCENARIO


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


def test_levels_stand_for_overrides_in_the_order_of_factors(study: StudyDefinition) -> None:
    combination = (("load", "heavy"), ("policy", "fba"), ("z", "0.5"))
    overrides = study.overrides([combination])[combination]
    assert [override.path for override in overrides] == [
        "topology.sources",
        "duration",
        "port.policy",
        "port.policy.z",
    ]


def test_every_response_has_the_rows_of_its_file(study: StudyDefinition) -> None:
    assert [len(response.rows) for response in study.responses] == [4, 4, 2]


def test_an_unknown_study_is_refused_with_the_shipped_ones() -> None:
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


ADJUST = """
[[adjust]]
where = "load = 'heavy' AND policy = 'fba'"
set = { "port.policy.threshold" = "K - 40 cells" }
reason = "room for a packet of each of four sources"
"""


def adjusted(study_folder: Path, text: str = ADJUST) -> Path:
    """The study with adjustments; `text` begins with its line 42."""
    file = study_folder / "study.toml"
    file.write_text(file.read_text() + text)
    return study_folder


def thresholds(study: StudyDefinition) -> dict[str, object]:
    overrides = study.overrides(study.combinations)
    scenarios = study.resolve(list(overrides.values()))
    return {
        " ".join(level for _, level in combination): scenario.settings["port"]["policy"][
            "threshold"
        ]
        for combination, scenario in zip(overrides, scenarios, strict=True)
        if dict(combination)["policy"] == "fba"
    }


def test_an_adjustment_changes_the_combinations_that_meet_its_condition(
    study_folder: Path,
) -> None:
    assert thresholds(load_study(adjusted(study_folder))) == {
        "light fba": 0.9,
        "heavy fba": "K - 40 cells",
        "light fba 0.8": 0.9,
        "light fba 0.5": 0.9,
    }


def test_the_last_of_several_adjustments_wins(study_folder: Path) -> None:
    twice = ADJUST + ADJUST.replace("K - 40", "K - 30").replace("load = 'heavy' AND ", "")
    assert set(thresholds(load_study(adjusted(study_folder, twice))).values()) == {"K - 30 cells"}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("load =", "lod =", "43:9: adjust.where .*no such column: lod.*load, policy, z"),
        (
            "'heavy'",
            "'heavier'",
            "43:9: adjust.where: no factor combination meets load = 'heavier'",
        ),
        ("threshold", "treshold", '44:34: port.policy.treshold: .*did you mean "threshold"'),
        ("K - 40", "K - 400", "44:35: port.policy.threshold: K - 400 cells leaves nothing"),
    ],
)
def test_a_wrong_adjustment_is_reported_with_its_place(
    study_folder: Path, old: str, new: str, problem: str
) -> None:
    with pytest.raises((LongfatError, InvalidInput), match=f"study.toml:{problem}"):
        load_study(adjusted(study_folder, ADJUST.replace(old, new)))


MEANS = """
[[response]]
table = "M"
title = "Means over loads"
metric = "efficiency"
reference = "reference/means.csv"
mean_over = ["load"]
"""


def with_means(study_folder: Path, rows: str) -> Path:
    (study_folder / "reference" / "means.csv").write_text(f"policy,efficiency\n{rows}")
    return adjusted(study_folder, MEANS)


def test_a_row_of_means_knows_the_combinations_that_it_averages(study_folder: Path) -> None:
    study = load_study(with_means(study_folder, "ubr,0.45\nfba,0.85\n"))
    ubr, fba = study.responses[-1].rows
    assert [dict(member)["load"] for member in ubr.simulated] == ["light", "heavy"]
    assert {dict(member)["policy"] for member in fba.simulated} == {"fba"}
    assert len(study.combinations) == 6


def test_a_row_of_means_of_nothing_is_an_error(study_folder: Path) -> None:
    file = study_folder / "reference" / "a.csv"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(BadInput, match="means.csv: no factor combination to average for fba"):
        load_study(with_means(study_folder, "ubr,0.45\nfba,0.85\n"))


def test_a_table_of_means_has_no_column_for_what_is_averaged(study_folder: Path) -> None:
    folder = with_means(study_folder, "")
    file = folder / "reference" / "means.csv"
    file.write_text("load,policy,efficiency\nlight,ubr,0.45\n")
    with pytest.raises(BadInput, match="unknown column 'load'"):
        load_study(folder)


UNPRINTED = """
[[response]]
table = "U"
title = "No numbers"
metric = "efficiency"
rows = { policy = ["fba", "ubr"], load = "all" }
"""


def test_a_table_without_reference_has_all_its_levels_crossed(study_folder: Path) -> None:
    response = load_study(adjusted(study_folder, UNPRINTED)).responses[-1]
    assert not response.is_printed
    assert [row.combination for row in response.rows] == [
        (("load", load), ("policy", policy))
        for load in ("light", "heavy")
        for policy in ("fba", "ubr")
    ]
    assert all(row.values == {} for row in response.rows)


def test_means_need_no_numbers_of_the_paper(study_folder: Path) -> None:
    text = UNPRINTED.replace(', load = "all"', "") + 'mean_over = ["load"]\n'
    fba, ubr = load_study(adjusted(study_folder, text)).responses[-1].rows
    assert [dict(member)["load"] for member in ubr.simulated] == ["light", "heavy"]
    assert {dict(member)["policy"] for member in fba.simulated} == {"fba"}


def test_means_without_members_are_reported_with_the_study_file(study_folder: Path) -> None:
    text = UNPRINTED.replace('load = "all"', "z = [0.8]") + 'mean_over = ["load"]\n'
    with pytest.raises(BadInput, match=r"study.toml: no factor combination to average for ubr 0.8"):
        load_study(adjusted(study_folder, text))


def test_a_folder_with_the_name_of_a_shipped_study_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(shipped_study("leo"), tmp_path / "leo")
    file = tmp_path / "leo" / "study.toml"
    file.write_text(re.sub('title = ".*"', 'title = "My own"', file.read_text()))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LongfatError, match="leo: a folder here and a shipped study .* ./leo is"):
        load_study("leo")
    assert load_study("./leo").title == load_study(Path("leo")).title == "My own"
    assert load_study(shipped_study("leo")).title != "My own"
    monkeypatch.chdir(shipped_study("leo").parent)
    assert load_study("leo").title != "My own"


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("lan.toml", SCENARIO, "lan.toml is a scenario, not a study"),
        ("lan.toml", "topology.kind = 'n-source'\n", "lan.toml is a scenario, not a study"),
        ("lan.json", '{"seed": 1, "topology": {}}', "lan.json is a scenario, not a study"),
        ("c.toml", "[[claim]]\nid = 'C-1'\n", "c.toml is a file of claims, not a study"),
    ],
)
def test_another_file_in_place_of_a_study_is_refused_with_its_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    with pytest.raises(LongfatError, match=told):
        load_study(name)


def test_a_study_in_json_is_a_study(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    study = {"schema_version": 1, "title": "T", "factors": {"topology.sources": [1, 2]}}
    (tmp_path / "mine.json").write_text(json.dumps(study))
    assert load_study(tmp_path / "mine.json").title == "T"


def test_replications_may_not_change_what_a_factor_sets(study_folder: Path) -> None:
    file = study_folder / "study.toml"
    text = file.read_text()
    perturbed = re.sub(r"perturb = .*", 'perturb = { "topology.sources" = 3 }', text)
    assert perturbed != text
    file.write_text(perturbed)
    with pytest.raises(
        BadInput, match=r"study\.toml:\d+:\d+: design\.perturb: topology\.sources is"
    ):
        load_study(study_folder)


@pytest.mark.parametrize("metric", ["mean_queueing_delay_s", "flow p95_s", "cell_loss_ratio"])
def test_a_share_is_not_enough_of_what_less_is_better(study_folder: Path, metric: str) -> None:
    file = study_folder / "study.toml"
    response = f"""
[[response]]
table = "C"
title = "Waiting"
metric = "{metric}"
rows = {{ load = "all", policy = ["ubr"] }}
across = "load"
enough = 0.95
"""
    file.write_text(file.read_text() + response)
    with pytest.raises(BadInput, match=f"table C: enough: of {metric} less is better"):
        load_study(study_folder)

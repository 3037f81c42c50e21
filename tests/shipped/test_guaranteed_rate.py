import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Selection, plan_design
from longfat.studies.reference import Combination
from longfat.studies.responses import Response
from tests.support import Longfat


@pytest.fixture(scope="module")
def guaranteed_rate() -> StudyDefinition:
    return load_study("guaranteed-rate")


def scenarios(study: StudyDefinition) -> Iterator[tuple[dict[str, str], Scenario]]:
    overrides = study.overrides(study.combinations)
    resolved = study.resolve(list(overrides.values()))
    for combination, scenario in zip(overrides, resolved, strict=True):
        yield dict(combination), scenario


def printed(response: Response) -> dict[Combination, float]:
    """Printed values of the table that are not doubtful."""
    return {
        row.combination: row.values[response.metric]
        for row in response.rows
        if response.metric in row.values and response.metric not in row.doubtful
    }


def test_all_rows_of_the_papers_tables_are_there(guaranteed_rate: StudyDefinition) -> None:
    rows = {
        response.table: len(response.rows)
        for response in guaranteed_rate.responses
        if response.is_printed
    }
    large = dict.fromkeys("3456", 108)
    assert rows == {"1": 36, "2": 36, **large, "7": 18, "8": 18, "9": 18, "slides": 81}


def test_rows_that_mean_the_same_simulation_are_simulated_once(
    guaranteed_rate: StudyDefinition,
) -> None:
    plan = plan_design(guaranteed_rate, Selection(replications=0))
    assert len(plan.distinct) == len(plan.of_combination) == 294 + 12


def test_the_means_of_the_slides_are_the_means_of_the_papers_tables(
    guaranteed_rate: StudyDefinition,
) -> None:
    values: dict[str, dict[Combination, float]] = {"efficiency": {}, "fairness": {}}
    for response in guaranteed_rate.responses:
        if response.table != "slides":
            values[response.metric].update(printed(response))
    compared = Counter[str]()
    for response in guaranteed_rate.responses:
        if response.table != "slides":
            continue
        members = {row.combination: row.simulated for row in response.rows}
        for combination, mean in printed(response).items():
            found = [values[response.metric].get(member) for member in members[combination]]
            own = [value for value in found if value is not None]
            if len(own) == len(found):
                assert mean == pytest.approx(sum(own) / len(own), abs=0.0101)
                compared[response.metric] += 1
    assert compared == {"efficiency": 78, "fairness": 65}


def test_the_same_row_in_two_tables_has_the_same_number(guaranteed_rate: StudyDefinition) -> None:
    tables = {
        (response.table, response.metric): printed(response)
        for response in guaranteed_rate.responses
        if response.is_printed
    }
    for metric, first, others in (("efficiency", "1", "34"), ("fairness", "2", "56")):
        repeated = [
            (value, tables[other, metric][combination])
            for combination, value in tables[first, metric].items()
            for other in others
            if combination in tables[other, metric]
        ]
        assert len(repeated) == 12
        assert all(one == another for one, another in repeated)


def test_vbr_is_as_long_on_as_off_and_a_rate_of_0_means_strict_priority(
    guaranteed_rate: StudyDefinition,
) -> None:
    for levels, scenario in scenarios(guaranteed_rate):
        (vbr,) = scenario.settings["background"]
        milliseconds = int(levels["period"].removesuffix(" ms"))
        assert vbr["on_ps"] == vbr["off_ps"] == milliseconds * 10**9
        rate = scenario.settings["port"]["scheduler"]["guaranteed_rate"]
        assert rate == float(levels["guaranteed_rate"])


def test_early_packet_discard_leaves_room_for_a_packet_of_each_source(
    guaranteed_rate: StudyDefinition,
) -> None:
    thresholds = Counter(
        (levels["config"], scenario.settings["port"]["policy"]["threshold"])
        for levels, scenario in scenarios(guaranteed_rate)
        if levels["policy"] == "epd"
    )
    assert set(thresholds) == {
        ("lan", "K - 200 cells"),
        ("wan", "K - 200 cells"),
        ("sat", "K - 965 cells"),
    }


def test_only_reno_on_lans_has_a_receiver_that_keeps_nothing_beyond_a_hole(
    guaranteed_rate: StudyDefinition,
) -> None:
    discarding = {
        (levels["config"], levels["flavor"])
        for levels, scenario in scenarios(guaranteed_rate)
        if scenario.settings["tcp"]["out_of_order"] == "discard"
    }
    assert discarding == {("lan", "reno")}


def test_every_doubt_has_its_reason(guaranteed_rate: StudyDefinition) -> None:
    rows = [row for response in guaranteed_rate.responses for row in response.rows]
    assert any(row.doubtful for row in rows)
    assert all(row.note for row in rows if row.doubtful)


def test_no_fairness_is_below_what_a_single_winner_gives(guaranteed_rate: StudyDefinition) -> None:
    for response in guaranteed_rate.responses:
        if response.metric == "fairness" and response.table != "slides":
            for combination, fairness in printed(response).items():
                assert fairness >= 1 / int(dict(combination)["sources"]) - 0.005


def test_the_quick_part_runs_and_a_steady_half_is_kinder_than_starvation(
    longfat: Longfat,
) -> None:
    assert longfat("study", "run", "guaranteed-rate", "--quick").returncode == 0
    process = longfat("study", "compare", "guaranteed-rate", "--quick", "--json")
    tables = {
        (table["table"], table["response"]): table for table in json.loads(process.stdout)["tables"]
    }
    assert tables["3", "efficiency"]["rows"] == 9
    fairness = {
        (entry["guaranteed_rate"], entry["policy"]): entry["mean"]
        for entry in tables["5", "fairness"]["entries"]
    }
    assert fairness["0.5", "selective-drop"] > 0.8
    assert all(0 < entry["mean"] <= 1 for entry in tables["3", "efficiency"]["entries"])


def test_the_page_of_the_study_has_its_numbers_from_the_command_that_it_names(
    guaranteed_rate: StudyDefinition,
) -> None:
    page = (Path(guaranteed_rate.folder) / "README.md").read_text()
    command = "longfat study compare guaranteed-rate --no-answer --markdown"
    assert f"<!-- BEGIN: {command} -->" in page
    assert f"<!-- END: {command} -->" in page


def test_the_reference_files_hold_no_more_than_the_study_reads(
    guaranteed_rate: StudyDefinition,
) -> None:
    folder = Path(guaranteed_rate.folder) / "reference"
    lines = {}
    for file in folder.glob("*.csv"):
        with file.open(newline="") as text:
            lines[file.stem] = sum(1 for _ in csv.DictReader(text))
    assert lines == {
        f"table{response.table}" if response.table != "slides" else "slides": len(response.rows)
        for response in guaranteed_rate.responses
        if response.is_printed
    }

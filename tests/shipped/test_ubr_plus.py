import json
import math
from pathlib import Path

import pytest

from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Selection, plan_design
from longfat.studies.responses import Response
from tests.support import Longfat


@pytest.fixture(scope="module")
def ubr_plus() -> StudyDefinition:
    return load_study("ubr-plus")


def doubtful(response: Response) -> list[str]:
    return [
        " ".join(level for _, level in row.combination)
        for row in response.rows
        if response.metric in row.doubtful
    ]


def test_all_rows_of_the_papers_tables_are_there(ubr_plus: StudyDefinition) -> None:
    rows = {
        response.table: len(response.rows) for response in ubr_plus.responses if response.is_printed
    }
    assert rows == {"1": 4, "2": 48, "3": 48, "4": 44, "5": 54, "6": 54}


def test_a_buffer_of_all_windows_holds_them_in_whole_segments(ubr_plus: StudyDefinition) -> None:
    plan = plan_design(ubr_plus, Selection(tables=("zero-loss",), replications=0))
    for run in plan.runs:
        settings = run.scenario.settings
        sources, window = settings["topology"]["sources"], settings["tcp"]["receiver_window_bytes"]
        segments = math.ceil(window / 512) + 1
        assert settings["port"]["buffer_cells"] == sources * segments * 12


def test_rows_that_mean_the_same_simulation_are_simulated_once(ubr_plus: StudyDefinition) -> None:
    plan = plan_design(ubr_plus, Selection(replications=0))
    assert len(plan.of_combination) == 212
    assert len(plan.distinct) == 188


def test_the_doubtful_digits_are_marked(ubr_plus: StudyDefinition) -> None:
    marks = {
        (response.table, response.metric): doubtful(response)
        for response in ubr_plus.responses
        if doubtful(response)
    }
    assert marks == {
        ("2", "efficiency"): [
            "lan 5 1000 cells fba",
            "lan 15 1000 cells fba",
            "lan 15 2000 cells fba",
        ],
        ("3", "fairness"): ["lan 5 1000 cells fba", "lan 15 1000 cells fba"],
        ("4", "efficiency"): ["lan 5 1000 cells selective-drop 1"],
        ("4", "fairness"): ["lan 15 2000 cells selective-drop 1"],
    }


def test_every_doubt_has_its_reason(ubr_plus: StudyDefinition) -> None:
    rows = [row for response in ubr_plus.responses for row in response.rows]
    assert all(row.note for row in rows if row.doubtful)


def test_no_fairness_is_below_what_a_single_winner_gives(ubr_plus: StudyDefinition) -> None:
    for response in ubr_plus.responses:
        for row in response.rows:
            if "fairness" in row.values:
                assert row.values["fairness"] >= 1 / int(dict(row.combination)["sources"]) - 0.005


def test_the_quick_part_runs_and_table_1_comes_out_exactly(longfat: Longfat) -> None:
    assert longfat("study", "run", "ubr-plus", "--quick").returncode == 0
    process = longfat("study", "compare", "ubr-plus", "--quick", "--json")
    tables = {
        (table["table"], table["response"]): table for table in json.loads(process.stdout)["tables"]
    }
    (queue,) = tables["1", "max_queue_cells"]["entries"]
    assert queue["deterministic"] == queue["reference"] == 7591
    (efficiency,) = tables["1", "efficiency"]["entries"]
    assert efficiency["deterministic"] >= 0.98
    assert tables["2", "efficiency"]["rows"] == 4


def test_the_page_of_the_study_has_its_numbers_from_the_command_that_it_names(
    ubr_plus: StudyDefinition,
) -> None:
    page = (Path(ubr_plus.folder) / "README.md").read_text()
    command = "longfat study compare ubr-plus --no-answer --markdown"
    assert f"<!-- BEGIN: {command} -->" in page
    assert f"<!-- END: {command} -->" in page

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from longfat import load_study
from longfat.comparison import compare
from longfat.plan import Selection, plan_design
from longfat.study import Study
from tests.support import Longfat


@pytest.fixture(scope="module")
def final_report() -> Study:
    return load_study("final-report")


def test_the_report_prints_no_numbers(final_report: Study) -> None:
    assert not any(response.is_printed for response in final_report.responses)


def test_every_task_with_persistent_sources_has_its_table(final_report: Study) -> None:
    rows = {response.table: len(response.rows) for response in final_report.responses}
    assert rows == {
        "policies": 128,
        "switch": 16,
        "end-systems": 16,
        "zero-loss": 8,
        "buffers": 84,
        "frame-rate": 30,
        "integers": 12,
        "delay": 48,
    }


def test_rows_that_mean_the_same_simulation_are_simulated_once(final_report: Study) -> None:
    plan = plan_design(final_report, Selection(replications=0))
    assert len(plan.of_combination) == 310
    assert len(plan.distinct) == 298


def test_means_are_over_the_balanced_grid_of_policies(final_report: Study) -> None:
    grid = {
        row.combination
        for response in final_report.responses
        if response.table == "policies"
        for row in response.rows
    }
    for response in final_report.responses:
        for row in response.rows:
            if row.members:
                assert len(row.members) == 8
                assert set(row.members) <= grid


def test_early_packet_discard_leaves_room_for_a_packet_of_each_source(
    final_report: Study,
) -> None:
    plan = plan_design(final_report, Selection(tables=("policies",), replications=0))
    rooms = {
        (levels["config"], levels["sources"]): run.scenario.settings["port"]["policy"]["threshold"]
        for run in plan.runs
        if (levels := dict(run.combination))["policy"] == "epd"
    }
    for satellite in ("meo", "geo"):
        assert rooms[satellite, "5"] == f"K - {5 * 193} cells"
        assert rooms[satellite, "15"] == f"K - {15 * 193} cells"
    assert rooms["wan", "15"] == rooms["lan", "5"] == "K - 200 cells"


def test_the_quick_part_runs_and_the_queue_of_a_lan_holds_all_windows(longfat: Longfat) -> None:
    assert longfat("study", "run", "final-report", "--quick").returncode == 0
    process = longfat("study", "compare", "final-report", "--quick", "--json")
    tables = {
        (table["table"], table["response"]): table for table in json.loads(process.stdout)["tables"]
    }
    # Five windows of 127 whole segments of 12 cells, less the cells on their way.
    (queue,) = tables["zero-loss", "max_queue_cells"]["entries"]
    assert 5 * 127 * 12 - 40 < queue["deterministic"] <= 5 * 127 * 12
    assert tables["policies", "efficiency"]["rows"] == 4
    assert all(
        0 < entry["deterministic"] < 1 for entry in tables["policies", "efficiency"]["entries"]
    )


def test_the_page_of_the_study_has_its_numbers_from_the_commands_that_it_names(
    final_report: Study,
) -> None:
    page = (Path(final_report.folder) / "README.md").read_text()
    for command in (
        "longfat study compare final-report --markdown",
        "python studies/final-report/conclusions.py",
    ):
        assert f"<!-- BEGIN: {command} -->" in page
        assert f"<!-- END: {command} -->" in page


@pytest.fixture(scope="module")
def conclusions(final_report: Study) -> ModuleType:
    file = final_report.folder / "conclusions.py"
    spec = importlib.util.spec_from_file_location("conclusions", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["conclusions"] = module
    spec.loader.exec_module(module)
    return module


def verdicts(
    conclusions: ModuleType, study: Study, efficiency: Callable[[Mapping[str, str]], float]
) -> dict[str, str]:
    """The verdict on each statement if the efficiency depended on the levels in this way."""
    others = {response.metric: 0.5 for response in study.responses}
    results = {
        member: {0: {**others, "efficiency": efficiency(dict(member))}}
        for response in study.responses
        for row in response.rows
        for member in row.simulated
    }
    tables = [compare(response, results) for response in study.responses]
    rows = [found.cells(conclusions.Tables(study, tables)) for found in conclusions.CONCLUSIONS]
    return {cells[1]: cells[-1] for cells in rows}


def test_conclusions_follow_the_numbers(conclusions: ModuleType, final_report: Study) -> None:
    sack_helps = verdicts(
        conclusions,
        final_report,
        lambda levels: 0.9 if levels.get("flavor", "sack") == "sack" else 0.5,
    )
    sack_hurts = verdicts(
        conclusions, final_report, lambda levels: 0.4 if levels.get("flavor") == "sack" else 0.5
    )
    statement = "SACK helps significantly in satellite networks"
    assert (sack_helps[statement], sack_hurts[statement]) == ("holds", "**fails**")
    statement = "SACK can hurt on LANs under extreme congestion"
    assert (sack_helps[statement], sack_hurts[statement]) == ("**fails**", "holds")


def test_buffers_are_enough_only_if_every_source_count_says_so(
    conclusions: ModuleType, final_report: Study
) -> None:
    statement = "0.5 RTT of buffer gives SACK 98 % or more, even with a large number of sources"

    def efficiency(levels: Mapping[str, str], with_half: float) -> float:
        is_hard = levels.get("sources") == "100" and levels.get("buffer") == "0.5 RTT"
        return with_half if is_hard else 1.0

    enough = verdicts(conclusions, final_report, lambda levels: efficiency(levels, 0.985))
    lacking = verdicts(conclusions, final_report, lambda levels: efficiency(levels, 0.97))
    assert (enough[statement], lacking[statement]) == ("holds", "**fails**")


def test_without_runs_every_conclusion_is_undecided(
    conclusions: ModuleType, final_report: Study, tmp_path: Path
) -> None:
    script, store = final_report.folder / "conclusions.py", tmp_path / "empty.db"
    process = subprocess.run(
        [sys.executable, script, "--store", store], capture_output=True, text=True, check=True
    )
    rows = process.stdout.splitlines()[2:]
    assert len(rows) == len(conclusions.CONCLUSIONS)
    assert all(row.endswith("| - | undecided |") for row in rows)

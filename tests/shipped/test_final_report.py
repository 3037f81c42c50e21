import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from longfat import _engine
from longfat.analysis.claim_tables import paper_tables, run_tables
from longfat.analysis.claims import Verdict, judge_claims
from longfat.studies.claims import load_claims
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Selection, plan_design, plan_everything
from tests.support import Longfat


@pytest.fixture(scope="module")
def final_report() -> StudyDefinition:
    return load_study("final-report")


def test_the_report_prints_no_numbers(final_report: StudyDefinition) -> None:
    assert not any(response.is_printed for response in final_report.responses)


def test_every_task_with_persistent_sources_has_its_table(final_report: StudyDefinition) -> None:
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


def test_rows_that_mean_the_same_simulation_are_simulated_once(
    final_report: StudyDefinition,
) -> None:
    plan = plan_design(final_report, Selection(replications=0))
    assert len(plan.of_combination) == 310
    assert len(plan.distinct) == 298


def test_means_are_over_the_balanced_grid_of_policies(final_report: StudyDefinition) -> None:
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
    final_report: StudyDefinition,
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
    final_report: StudyDefinition,
) -> None:
    page = (Path(final_report.folder) / "README.md").read_text()
    for command in (
        "longfat study compare final-report --no-answer --markdown",
        "longfat study claims final-report --markdown",
    ):
        assert f"<!-- BEGIN: {command} -->" in page
        assert f"<!-- END: {command} -->" in page


def verdicts(
    study: StudyDefinition, efficiency: Callable[[Mapping[str, str]], float]
) -> dict[str, Verdict]:
    """The verdict on each claim if the efficiency depended on the levels in this way."""
    plan = plan_everything(study, 0)
    others = dict.fromkeys(_engine.METRICS, 0.5)
    results = {
        combination: {0: {**others, "efficiency": efficiency(dict(combination))}}
        for combination in plan.of_combination
    }
    tables = run_tables(plan, results)
    judgements = judge_claims(load_claims(study), tables, paper_tables(plan))
    return {found.claim.id: found.verdict for found in judgements}


def test_claims_follow_the_numbers(final_report: StudyDefinition) -> None:
    sack_helps = verdicts(
        final_report, lambda levels: 0.9 if levels.get("flavor", "sack") == "sack" else 0.5
    )
    sack_hurts = verdicts(
        final_report, lambda levels: 0.4 if levels.get("flavor") == "sack" else 0.5
    )
    assert (sack_helps["FR-14"], sack_hurts["FR-14"]) == ("holds", "fails")
    assert (sack_helps["FR-03"], sack_hurts["FR-03"]) == ("fails", "holds")


def test_buffers_are_enough_only_if_every_source_count_says_so(
    final_report: StudyDefinition,
) -> None:
    def efficiency(levels: Mapping[str, str], with_half: float) -> float:
        is_hard = levels.get("sources") == "100" and levels.get("buffer") == "0.5 RTT"
        return with_half if is_hard else 1.0

    enough = verdicts(final_report, lambda levels: efficiency(levels, 0.985))
    lacking = verdicts(final_report, lambda levels: efficiency(levels, 0.97))
    assert (enough["FR-01"], lacking["FR-01"]) == ("holds", "fails")


def test_the_queue_of_the_zero_loss_claim_is_held_against_all_windows(
    final_report: StudyDefinition,
) -> None:
    """Five windows of 127 segments of 12 cells on the LAN, whose round trip holds 11 cells."""
    plan = plan_everything(final_report, 0)
    (claim,) = [found for found in load_claims(final_report) if found.id == "FR-18"]
    lan = (("config", "lan"), ("sources", "5"), ("buffer", "unlimited"))
    windows = 5 * 127 * 12
    for queue, verdict in ((windows - 11, "holds"), (windows // 2, "fails")):
        rows = [
            row
            for row in run_tables(plan, {
                combination: {0: {"max_queue_cells": queue}} if combination == lan else {}
                for combination in plan.of_combination
            }).rows
            if row.metrics
        ]  # fmt: skip
        tables = run_tables(plan, {key: {} for key in plan.of_combination}).with_rows(rows)
        (judgement,) = judge_claims([claim], tables, paper_tables(plan))
        assert judgement.verdict == verdict

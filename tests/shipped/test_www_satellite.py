import json
from pathlib import Path

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Selection, plan_reference
from tests.support import Longfat

PRINTED = ("4", "7", "10")


@pytest.fixture(scope="module")
def www() -> StudyDefinition:
    return load_study("www-satellite")


@pytest.fixture(scope="module")
def scenarios(www: StudyDefinition) -> list[tuple[dict[str, str], Scenario]]:
    plan = plan_reference(www, Selection(tables=PRINTED, replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def test_all_rows_of_the_papers_tables_are_there_once(www: StudyDefinition) -> None:
    rows = {(response.table, response.metric): len(response.rows) for response in www.responses}
    for table in PRINTED:
        assert rows[table, "efficiency"] == rows[table, "max_min_fairness"] == 24
    plan = plan_reference(www, Selection(tables=PRINTED, replications=10))
    assert len(plan.distinct) == 72 * 11


def test_the_tables_are_those_whose_analysis_the_paper_prints(www: StudyDefinition) -> None:
    """Their sums of squares, less those of the means, are in Tables 5, 8 and 11."""
    totals = {("4", 0.4565, 0.2450), ("7", 0.0119, 0.0012), ("10", 0.0497, 0.0054)}
    for table, *printed in totals:
        for metric, total in zip(("efficiency", "max_min_fairness"), printed, strict=True):
            (response,) = (
                found for found in www.responses if (found.table, found.metric) == (table, metric)
            )
            values = [row.values[metric] for row in response.rows]
            mean = sum(values) / len(values)
            assert sum((value - mean) ** 2 for value in values) == pytest.approx(total, abs=6e-5)


def test_buffers_are_those_of_table_2_and_windows_those_of_section_6_2(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        topology, tcp = scenario.settings["topology"], scenario.settings["tcp"]
        bottleneck = topology["bottleneck"]
        # Section 6.1 leaves the access links out of the round trip.
        round_trip = 2 * bottleneck["delay_ps"] / 1e12
        product = round_trip * bottleneck["rate_bps"]
        cells = scenario.settings["port"]["buffer_cells"]
        assert any(cells / (product / 424) == pytest.approx(n, rel=0.1) for n in (0.5, 1, 2))
        assert tcp["initial_ssthresh"] == f"{product / 8:.0f} B"
        assert tcp["receiver_window_bytes"] > product / 8
        assert tcp["mss_bytes"] == (1024 if levels["config"] == "wan" else 9180)
        assert topology["sources"] == 100


def test_both_policies_begin_at_eight_tenths_of_the_buffer(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        policy = scenario.settings["port"]["policy"]
        assert (policy["kind"], float(policy["threshold"])) == (levels["policy"], 0.8)
        assert policy.get("z", 0.8) == 0.8


def test_each_choice_is_another_simulation_and_as_here_is_that_of_the_tables(
    www: StudyDefinition,
) -> None:
    choices = plan_reference(www, Selection(tables=("choices",), replications=0))
    tables = plan_reference(www, Selection(tables=PRINTED, replications=0))
    assert len(choices.distinct) == len(choices.of_combination)
    known = set(tables.distinct)
    for run in choices.runs:
        same = dict(run.combination)["choice"] == "as here"
        assert (run.scenario.run_id in known) == same, dict(run.combination)


def test_the_quick_part_runs_and_sack_beats_vanilla_on_the_same_requests(longfat: Longfat) -> None:
    assert longfat("study", "run", "www-satellite", "--quick").returncode == 0
    process = longfat("study", "compare", "www-satellite", "--quick", "--json")
    tables = {table["response"]: table for table in json.loads(process.stdout)["tables"]}
    efficiency = {entry["flavor"]: entry["mean"] for entry in tables["efficiency"]["entries"]}
    assert efficiency["sack"] > efficiency["vanilla"] + 0.1
    for entry in tables["max_min_fairness"]["entries"]:
        assert 0.5 < entry["mean"] <= 1


@pytest.mark.parametrize(
    "command",
    [
        "longfat study compare www-satellite --table 4,7,10 --no-answer --markdown",
        *(
            f"python studies/www-satellite/tables.py {part}"
            for part in ("analysis", "choices", "loads", "completions")
        ),
    ],
)
def test_the_page_of_the_study_has_its_numbers_from_commands_that_it_names(
    www: StudyDefinition, command: str
) -> None:
    page = (Path(www.folder) / "README.md").read_text()
    begin, end = f"<!-- BEGIN: {command} -->", f"<!-- END: {command} -->"
    assert page.count(begin) == page.count(end) == 1
    assert "|" in page.partition(begin)[2].partition(end)[0]

import json

import pytest

from longfat.report.comparison_latex import comparison_latex, short_latex
from longfat.report.document import comparison_document
from longfat.report.markdown import comparison_markdown, markdown_table, short_markdown
from longfat.results.comparison import TableComparison, compare
from longfat.studies.definition import StudyDefinition
from longfat.studies.reference import ReferenceRow, unprinted
from longfat.studies.responses import Response


@pytest.fixture
def table() -> TableComparison:
    rows = [
        ReferenceRow((("policy", "ubr"),), {"efficiency": 0.2}, frozenset(), ""),
        ReferenceRow((("policy", "epd"),), {"efficiency": 0.6}, frozenset({"efficiency"}), "why"),
    ]
    results = {
        rows[0].combination: {0: {"efficiency": 0.3}, 1: {"efficiency": 0.25}},
        rows[1].combination: {},
    }
    return compare(Response("2", "A table", "efficiency", rows), results)


def test_the_document_has_the_fields_that_scripts_rely_on(
    study: StudyDefinition, table: TableComparison
) -> None:
    document = json.loads(json.dumps(comparison_document(study, [table])))
    assert document["study"] == "small"
    (found,) = document["tables"]
    assert found["table"] == "2"
    assert found["response"] == "efficiency"
    assert found["rows"] == 2
    assert found["mean_absolute_error"] == pytest.approx(0.05)
    assert found["rank_correlation"] is None
    assert found["inside_range"] == 0
    assert found["by"]["policy"]["ubr"]["compared"] == 1
    assert found["entries"][0] == {
        "policy": "ubr",
        "reference": 0.2,
        "doubtful": False,
        "note": "",
        "deterministic": 0.3,
        "mean": 0.25,
        "mean_low": None,
        "mean_high": None,
        "min": 0.25,
        "max": 0.25,
        "replications": 1,
        "cautions": [],
    }
    assert found["entries"][1]["doubtful"] is True
    assert found["entries"][1]["mean"] is None


@pytest.fixture
def repeated() -> TableComparison:
    rows = unprinted({"policy": ["ubr"], "load": ["light"]})
    results = {
        rows[0].combination: {
            number: {"max_queue_cells": value} for number, value in enumerate((0.0, 1.0, 2.0, 3.0))
        }
    }
    return compare(Response("Q", "Queues", "max_queue_cells", rows, False), results, "packets")


def test_means_have_intervals_of_the_studys_confidence_in_the_document(
    study: StudyDefinition, repeated: TableComparison
) -> None:
    document = comparison_document(study, [repeated])
    assert document["confidence"] == 0.9
    (entry,) = document["tables"][0]["entries"]
    assert (entry["mean_low"], entry["mean_high"]) == pytest.approx((0.314145, 3.685855), rel=1e-5)
    surer = comparison_document(study, [repeated], 0.99)
    assert surer["confidence"] == 0.99
    assert surer["tables"][0]["entries"][0]["mean_low"] < 0


def test_intervals_stand_behind_means_where_they_are_asked_for(repeated: TableComparison) -> None:
    text = comparison_markdown([repeated], 0.9)
    assert "| policy | load | deterministic | mean | 90 % interval | range | n |" in text
    assert "| ubr | light | 0.00 | 2.00 | (0.31, 3.69) | 1.00 - 3.00 | 3 |" in text
    assert "interval" not in comparison_markdown([repeated])


def test_what_travels_whole_is_counted_in_packets(repeated: TableComparison) -> None:
    assert "### Table Q: Queues (max_queue_cells, in packets)" in comparison_markdown([repeated])


def test_a_paper_gets_the_same_tables_in_latex(
    table: TableComparison, repeated: TableComparison
) -> None:
    text = comparison_latex([table, repeated], 0.9)
    assert r"\caption{Table 2: A table (efficiency)}" in text
    assert r"\begin{tabular}{llrrrrr}" in text
    assert r"ubr & light & 0.00 & 2.00 & (0.31, 3.69) & 1.00 - 3.00 & 3 \\" in text
    assert r"90 \% interval" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 4
    assert r"ubr & 0.050 & 0\%" in short_latex([table], "policy")


def test_seconds_are_shown_to_the_millisecond() -> None:
    row = unprinted({"queue": ["codel"]})[0]
    results = {row.combination: {0: {"mean_queueing_delay_s": 0.0047}}}
    table = compare(Response("1", "Waits", "mean_queueing_delay_s", [row], False), results)
    assert "| codel | 0.005 | - | - | 0 |" in comparison_markdown([table])


def test_the_markdown_shows_every_entry_and_marks_the_doubtful(table: TableComparison) -> None:
    text = comparison_markdown([table])
    assert "| 2 | efficiency | 1 | 0.050 | 0.100 | - | 0% |" in text
    assert "| policy ubr | 1 | 0.050 |" in text
    assert "| ubr | 0.20 | 0.30 | 0.25 | 0.25 - 0.25 | 1 |" in text
    assert "| epd | 0.60? | - | - | - | 0 |" in text


def test_the_short_form_has_a_row_for_each_level_of_a_factor(table: TableComparison) -> None:
    text = short_markdown([table, table], "policy")
    assert "| ubr | 0.050 | 0% | 0.050 | 0% |" in text
    assert "| epd | - | - | - | - |" in text
    assert text.endswith("| all | 0.050 | 0% | 0.050 | 0% |\n")


@pytest.fixture
def curve() -> TableComparison:
    rows = unprinted({"sources": ["5"], "buffer": ["0.5 RTT", "1 RTT"]})
    results = {
        rows[0].combination: {0: {"efficiency": 0.9}, 1: {"efficiency": 0.8}},
        rows[1].combination: {0: {"efficiency": 1.0}, 1: {"efficiency": 0.9}},
    }
    response = Response("K", "Buffers", "efficiency", rows, False, "buffer", 0.85)
    return compare(response, results)


def test_what_the_paper_has_no_numbers_for_has_no_reference_in_the_document(
    study: StudyDefinition, curve: TableComparison
) -> None:
    document = json.loads(json.dumps(comparison_document(study, [curve])))
    (found,) = document["tables"]
    assert found["entries"][0]["reference"] is None
    assert found["mean_absolute_error"] is None
    assert found["mean"] == pytest.approx(0.85)
    assert (found["min"], found["max"]) == (0.8, 0.9)
    assert found["enough"] == [{"sources": "5", "level": "0.5 RTT"}]


def test_a_curve_stands_in_one_row_with_the_level_that_is_enough(curve: TableComparison) -> None:
    text = comparison_markdown([curve])
    assert "| sources | 0.5 RTT | 1 RTT | enough for 85% of the last |" in text
    assert "| 5 | 0.80 | 0.90 | 0.5 RTT |" in text
    assert "| sources | buffer | deterministic | mean | range | n |" in text
    assert "paper" not in text
    assert "mean absolute error" not in text


def test_only_tables_with_numbers_of_the_paper_are_summed_up(
    table: TableComparison, curve: TableComparison
) -> None:
    lines = comparison_markdown([table, curve]).splitlines()
    assert any(line.startswith("| 2 | efficiency |") for line in lines)
    assert not any(line.startswith("| K |") for line in lines)


def test_the_short_form_shows_our_values_where_the_paper_has_none(curve: TableComparison) -> None:
    text = short_markdown([curve], "buffer")
    assert "| buffer | efficiency (table K): ours | range |" in text
    assert "| 1 RTT | 0.90 | 0.90 - 0.90 |" in text


def test_the_parts_of_a_table_without_numbers_of_the_paper_are_ours() -> None:
    rows = unprinted({"policy": ["ubr", "epd"]})
    results = {row.combination: {0: {"efficiency": 0.5}, 1: {"efficiency": 0.7}} for row in rows}
    text = comparison_markdown([compare(Response("U", "", "efficiency", rows, False), results)])
    assert "| part | entries | deterministic | mean | range |" in text
    assert "| policy epd | 1 | 0.50 | 0.70 | 0.70 - 0.70 |" in text


def test_a_bar_in_a_cell_does_not_end_it() -> None:
    assert markdown_table(["claim"], [["|x| < 1"]])[-1] == r"| \|x\| < 1 |"

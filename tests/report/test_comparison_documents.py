import json

import pytest

from longfat.comparison import TableComparison, compare
from longfat.reference import ReferenceRow
from longfat.report.document import comparison_document
from longfat.report.markdown import comparison_markdown, short_markdown
from longfat.study import Response, Study


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
    study: Study, table: TableComparison
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
        "min": 0.25,
        "max": 0.25,
        "replications": 1,
    }
    assert found["entries"][1]["doubtful"] is True
    assert found["entries"][1]["mean"] is None


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

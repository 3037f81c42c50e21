from longfat.records.tables import bar, run_ledger_rows
from longfat.report.ledger import ledger_document, ledger_markdown, study_ledger_rows
from longfat.results.ledger import LedgerRow
from longfat.studies.definition import StudyDefinition

SHARES = {"useful": 0.75, "duplicate": 0.0001, "idle_timeout": 0.2499}
ROWS = [
    LedgerRow((("policy", "ubr"),), SHARES, 3),
    LedgerRow((("policy", "fba"), ("z", "0.5")), SHARES, 2),
]


def test_a_runs_ledger_shows_what_took_any_time() -> None:
    ledger = [
        {"cause": "useful", "ps": 1_500_000_000_000, "share": 0.75},
        {"cause": "duplicate", "ps": 0, "share": 0.0},
        {"cause": "idle_timeout", "ps": 500_000_000_000, "share": 0.25},
    ]
    header, rows = run_ledger_rows(ledger)
    assert header[:3] == ["capacity went to", "ms", "%"]
    assert rows == [
        ["useful", "1,500.000", "75.0", "█" * 30],
        ["idle timeout", "500.000", "25.0", "█" * 10],
    ]


def test_a_bar_is_never_nothing_and_full_at_everything() -> None:
    assert bar(1.0) == "█" * 40
    assert bar(0.5 / 40) == "▌"
    assert bar(1e-9) == "▏"


def test_a_studys_ledger_has_a_column_for_each_cause_that_matters() -> None:
    header, rows = study_ledger_rows(ROWS)
    assert header == ["policy", "z", "useful", "idle timeout", "runs"]
    assert rows == [["ubr", "-", "75.0", "25.0", "3"], ["fba", "0.5", "75.0", "25.0", "2"]]


def test_markdown_says_the_unit() -> None:
    lines = ledger_markdown(ROWS).splitlines()
    assert "Percent of the duration" in lines[0]
    assert lines[2] == "| policy | z | useful | idle timeout | runs |"


def test_the_document_has_every_cause_as_a_share(study: StudyDefinition) -> None:
    document = ledger_document(study, ROWS)
    assert document["study"] == "small"
    assert document["rows"][0] == {"levels": {"policy": "ubr"}, "runs": 3, "shares": SHARES}

"""Capacity ledgers of studies as rows of tables, Markdown and JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longfat import _engine
from longfat.records.tables import cause_words, percent
from longfat.results.ledger import SHOWN_FROM, LedgerRow, causes_above

if TYPE_CHECKING:
    from longfat.results.caution import Caution
    from longfat.studies.definition import StudyDefinition


def study_ledger_rows(rows: Sequence[LedgerRow]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of mean ledgers in percent, with the causes from `SHOWN_FROM` on."""
    causes = causes_above(rows, SHOWN_FROM)
    factors = list(dict.fromkeys(factor for row in rows for factor, _ in row.levels))
    header = [*factors, *(cause_words(cause) for cause in causes), "runs"]
    body = [
        [
            *(dict(row.levels).get(factor, "-") for factor in factors),
            *(percent(row.shares[cause]) for cause in causes),
            str(row.runs),
        ]
        for row in rows
    ]
    return header, body


def ledger_markdown(rows: Sequence[LedgerRow]) -> str:
    """Return mean ledgers as Markdown, in percent of the duration."""
    from longfat.report.markdown import markdown_table  # not needed for the ledger of a single run

    header, body = study_ledger_rows(rows)
    lines = [f"Engine {_engine.ENGINE_VERSION}. Percent of the duration.", ""]
    return "\n".join([*lines, *markdown_table(header, body)]) + "\n"


def ledger_document(
    study: "StudyDefinition", rows: Sequence[LedgerRow], cautions: "Sequence[Caution]" = ()
) -> dict[str, Any]:
    """Return mean ledgers as a JSON document: every cause, as shares from 0 to 1."""
    return {
        "study": study.name,
        "engine": _engine.ENGINE_VERSION,
        "rows": [
            {"levels": dict(row.levels), "runs": row.runs, "shares": dict(row.shares)}
            for row in rows
        ],
        "cautions": [str(caution) for caution in cautions],
    }

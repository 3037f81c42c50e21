"""A comparison as Markdown, for pages whose numbers nobody types."""

from collections.abc import Sequence

from longfat import _engine
from longfat.comparison import Entry, Summary, TableComparison
from longfat.report.numbers import formatted, formatted_range, formatted_share

SUMMARY_COLUMNS = (
    "entries",
    "mean absolute error",
    "deterministic error",
    "rank correlation",
    "inside range",
)
ENTRY_COLUMNS = ("paper", "deterministic", "mean", "range", "n")


def comparison_markdown(tables: Sequence[TableComparison], *, entries: bool = True) -> str:
    """A summary of all tables; then each with its parts and, folded away, its entries."""
    lines = [f"Engine {_engine.ENGINE_VERSION}.", "", *_overview(tables)]
    for table in tables:
        response = table.response
        lines += ["", f"### Table {response.table}: {response.title} ({response.metric})"]
        if table.by:
            lines += ["", *_parts_table(table)]
        if entries:
            lines += ["", "<details><summary>Entries</summary>", "", *_entry_table(table)]
            lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def summary_cells(summary: Summary) -> list[str]:
    """A summary as texts, in the order of `SUMMARY_COLUMNS`."""
    return [
        str(summary.compared),
        formatted(summary.mean_absolute_error, decimals=3),
        formatted(summary.deterministic_error, decimals=3),
        formatted(summary.rank_correlation),
        formatted_share(summary.inside_range),
    ]


def entry_cells(entry: Entry) -> list[str]:
    """An entry as texts, in the order of `ENTRY_COLUMNS`; `?` marks a doubtful value."""
    return [
        formatted(entry.reference) + ("?" if entry.doubtful else ""),
        formatted(entry.deterministic),
        formatted(entry.mean),
        formatted_range(entry.minimum, entry.maximum),
        str(entry.replications),
    ]


def _overview(tables: Sequence[TableComparison]) -> list[str]:
    rows = [
        [table.response.table, table.response.metric, *summary_cells(table.summary)]
        for table in tables
    ]
    return _table(["table", "response", *SUMMARY_COLUMNS], rows)


def _parts_table(table: TableComparison) -> list[str]:
    rows = [[part, *summary_cells(summary)] for part, summary in table.parts()]
    return _table(["part", *SUMMARY_COLUMNS], rows)


def _entry_table(table: TableComparison) -> list[str]:
    rows = [
        [*(level for _, level in entry.combination), *entry_cells(entry)] for entry in table.entries
    ]
    return _table([*table.factors, *ENTRY_COLUMNS], rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]

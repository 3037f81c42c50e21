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


def comparison_markdown(tables: Sequence[TableComparison]) -> str:
    """A summary of all tables; then each with its parts and, folded away, its entries."""
    lines = [f"Engine {_engine.ENGINE_VERSION}.", "", *_overview(tables)]
    for table in tables:
        response = table.response
        lines += ["", f"### Table {response.table}: {response.title} ({response.metric})"]
        if table.by:
            lines += ["", *_parts_table(table)]
        lines += ["", "<details><summary>Entries</summary>", "", *_entry_table(table)]
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def short_markdown(tables: Sequence[TableComparison], factor: str) -> str:
    """How close each table comes, by the levels of one factor."""
    header, rows = short_rows(tables, factor)
    lines = [f"Engine {_engine.ENGINE_VERSION}.", "", *markdown_table(header, rows)]
    return "\n".join(lines) + "\n"


def short_rows(tables: Sequence[TableComparison], factor: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the short form: a row for each level, two columns for each table."""
    header = [factor]
    for table in tables:
        name = f"{table.response.metric} (table {table.response.table})"
        header += [f"{name}: mean absolute error", "inside range"]
    levels = dict.fromkeys(level for table in tables for level in table.by.get(factor, {}))
    rows = [
        [level, *_short_cells([table.by.get(factor, {}).get(level) for table in tables])]
        for level in levels
    ]
    return header, [*rows, ["all", *_short_cells([table.summary for table in tables])]]


def _short_cells(summaries: Sequence[Summary | None]) -> list[str]:
    cells = []
    for summary in summaries:
        cells += [
            formatted(summary.mean_absolute_error if summary else None, decimals=3),
            formatted_share(summary.inside_range if summary else None),
        ]
    return cells


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
    return markdown_table(["table", "response", *SUMMARY_COLUMNS], rows)


def _parts_table(table: TableComparison) -> list[str]:
    rows = [[part, *summary_cells(summary)] for part, summary in table.parts()]
    return markdown_table(["part", *SUMMARY_COLUMNS], rows)


def _entry_table(table: TableComparison) -> list[str]:
    rows = [
        [*(level for _, level in entry.combination), *entry_cells(entry)] for entry in table.entries
    ]
    return markdown_table([*table.factors, *ENTRY_COLUMNS], rows)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |" for cells in lines]

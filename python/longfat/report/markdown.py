"""Comparisons as Markdown, for pages with generated tables."""

from collections.abc import Mapping, Sequence

from longfat import _engine
from longfat.base.numbers import (
    decimals_of,
    formatted,
    formatted_interval,
    formatted_range,
    formatted_share,
    percentage,
)
from longfat.results.comparison import Entry, Summary, TableComparison
from longfat.results.curves import curve_levels, curves

SUMMARY_COLUMNS = (
    "entries",
    "mean absolute error",
    "deterministic error",
    "rank correlation",
    "inside range",
)
OUR_SUMMARY_COLUMNS = ("entries", "deterministic", "mean", "range")
ENTRY_COLUMNS = ("paper", "deterministic", "mean", "range", "n")
OUR_ENTRY_COLUMNS = ENTRY_COLUMNS[1:]


def comparison_markdown(
    tables: Sequence[TableComparison],
    confidence: float | None = None,
    answers: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Return a summary of all tables, then each table by parts with its entries folded.

    The summary has the tables with values of the paper. A table with curves shows these in place
    of parts. Means of entries have intervals if a `confidence` (0 to 1) is given. The sentences of
    `answers`, by the name of the table, stand below it.
    """
    lines = [f"Engine {_engine.ENGINE_VERSION}."]
    if overview := overview_rows(tables):
        lines += ["", *markdown_table(["table", "response", *SUMMARY_COLUMNS], overview)]
    for table in tables:
        lines += ["", f"### {table_name(table)}"]
        if table.response.across:
            lines += ["", *markdown_table(*curve_rows(table))]
        elif table.by:
            lines += ["", *markdown_table(*part_rows(table))]
        if answers is not None:
            lines += ["", *_items(answers[table_name(table)])]
        lines += [
            "",
            "<details><summary>Entries</summary>",
            "",
            *markdown_table(*entry_rows(table, confidence)),
        ]
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def answers_markdown(answers: Mapping[str, Sequence[str]]) -> str:
    """Return the sentences of the answer about each table, by its name."""
    lines = [f"Engine {_engine.ENGINE_VERSION}."]
    for name, sentences in answers.items():
        lines += ["", f"**{name}**", "", *_items(sentences)]
    return "\n".join(lines) + "\n"


def _items(sentences: Sequence[str]) -> list[str]:
    return [f"- {sentence}" for sentence in sentences]


def table_name(table: TableComparison) -> str:
    """Return the heading of a table."""
    response = table.response
    title = f": {response.title}" if response.title else ""
    return f"Table {response.table}{title} ({table.metric})"


def short_markdown(tables: Sequence[TableComparison], factor: str) -> str:
    """Return the agreement of each table with the paper, by the levels of one factor."""
    header, rows = short_rows(tables, factor)
    lines = [f"Engine {_engine.ENGINE_VERSION}.", "", *markdown_table(header, rows)]
    return "\n".join(lines) + "\n"


def short_rows(tables: Sequence[TableComparison], factor: str) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the short form: a row per level, two columns per table."""
    header = [factor]
    for table in tables:
        name = f"{table.metric} (table {table.response.table})"
        if table.response.is_printed:
            header += [f"{name}: mean absolute error", "inside range"]
        else:
            header += [f"{name}: ours", "range"]
    levels = dict.fromkeys(level for table in tables for level in table.by.get(factor, {}))
    rows = [
        [level, *_short_cells(tables, [table.by.get(factor, {}).get(level) for table in tables])]
        for level in levels
    ]
    return header, [*rows, ["all", *_short_cells(tables, [table.summary for table in tables])]]


def _short_cells(
    tables: Sequence[TableComparison], summaries: Sequence[Summary | None]
) -> list[str]:
    cells = []
    for table, summary in zip(tables, summaries, strict=True):
        if summary is None:
            cells += ["-", "-"]
        elif table.response.is_printed:
            cells.append(formatted(summary.mean_absolute_error, decimals=3))
            cells.append(formatted_share(summary.inside_range))
        else:
            decimals = decimals_of(table.response.metric)
            cells.append(formatted(summary.ours, decimals))
            cells.append(formatted_range(summary.minimum, summary.maximum, decimals))
    return cells


def overview_rows(tables: Sequence[TableComparison]) -> list[list[str]]:
    """Return a row for each table with values of the paper, under `SUMMARY_COLUMNS`."""
    return [
        [table.response.table, table.metric, *_summary_cells(table.summary)]
        for table in tables
        if table.response.is_printed
    ]


def part_rows(table: TableComparison) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table's summary, whole and by the levels of each factor."""
    if table.response.is_printed:
        header = ["part", *SUMMARY_COLUMNS]
        return header, [[part, *_summary_cells(summary)] for part, summary in table.parts()]
    decimals = decimals_of(table.response.metric)
    rows = [[part, *_our_summary_cells(summary, decimals)] for part, summary in table.parts()]
    return ["part", *OUR_SUMMARY_COLUMNS], rows


def curve_rows(table: TableComparison) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table with the levels of the factor `across` as columns."""
    levels, response = curve_levels(table), table.response
    decimals = decimals_of(response.metric)
    header = [factor for factor in table.factors if factor != response.across] + levels
    rows = [
        [
            *(level for _, level in curve.combination),
            *(
                formatted(curve.entries[level].ours if level in curve.entries else None, decimals)
                for level in levels
            ),
        ]
        for curve in curves(table)
    ]
    if response.enough is None:
        return header, rows
    enough = [curve.enough or "-" for curve in curves(table)]
    header.append(f"enough for {formatted_share(response.enough)} of the last")
    return header, [[*row, level] for row, level in zip(rows, enough, strict=True)]


def entry_rows(
    table: TableComparison, confidence: float | None = None
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table's entries, with intervals of means for a confidence."""
    is_printed = table.response.is_printed
    columns = list(ENTRY_COLUMNS if is_printed else OUR_ENTRY_COLUMNS)
    decimals = decimals_of(table.response.metric)
    rows = [
        [*(level for _, level in entry.combination), *_entry_cells(entry, is_printed, decimals)]
        for entry in table.entries
    ]
    header = [*table.factors, *columns]
    if confidence is not None:
        place = header.index("mean", len(table.factors)) + 1
        header.insert(place, f"{percentage(confidence)} % interval")
        for row, entry in zip(rows, table.entries, strict=True):
            row.insert(place, formatted_interval(entry.interval(confidence), decimals))
    return header, rows


def _summary_cells(summary: Summary) -> list[str]:
    """Format a summary as cells, in the order of `SUMMARY_COLUMNS`."""
    return [
        str(summary.compared),
        formatted(summary.mean_absolute_error, decimals=3),
        formatted(summary.deterministic_error, decimals=3),
        formatted(summary.rank_correlation),
        formatted_share(summary.inside_range),
    ]


def _our_summary_cells(summary: Summary, decimals: int) -> list[str]:
    """Format our values as cells, in the order of `OUR_SUMMARY_COLUMNS`."""
    return [
        str(summary.rows),
        formatted(summary.deterministic, decimals),
        formatted(summary.mean, decimals),
        formatted_range(summary.minimum, summary.maximum, decimals),
    ]


def _entry_cells(entry: Entry, is_printed: bool, decimals: int) -> list[str]:
    """Format an entry as cells; `?` marks a doubtful value of the paper."""
    paper = formatted(entry.reference, decimals) + ("?" if entry.doubtful else "")
    return [
        *([paper] if is_printed else []),
        formatted(entry.deterministic, decimals),
        formatted(entry.mean, decimals),
        formatted_range(entry.minimum, entry.maximum, decimals),
        str(entry.replications),
    ]


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |" for cells in lines]

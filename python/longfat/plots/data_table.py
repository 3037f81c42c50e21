"""Table of the data of a figure: for those who do not see it, and for those who want numbers."""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from longfat.plots.options import Row

MOST_ROWS = 100
"""Most rows of a table; nobody reads more, and a screen reader reads them one by one."""

_MOST_LEVELS = 40
"""An integer column with more values than this is a quantity, with fewer it names something."""


class DataTable(NamedTuple):
    """Header and rows of text. If `drawn_rows` is not None, each row summarizes several of them."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    drawn_rows: int | None


def data_table(rows: Sequence[Row]) -> DataTable:
    """Return the rows of a figure, or if there are too many, a summary of them by their names.

    A summary has the least, the greatest and the mean value of each quantity.
    """
    columns = list(dict.fromkeys(column for row in rows for column in row))
    header = [column.replace("_", " ") for column in columns]
    if len(rows) <= MOST_ROWS:
        return DataTable(header, [[_cell(row.get(name)) for name in columns] for row in rows], None)
    names = [column for column in columns if _names(rows, column)]
    while len(groups := _grouped(rows, names)) > MOST_ROWS:
        names.pop()
    quantities = [column for column in columns if column not in names and _counts(rows, column)]
    header = [column.replace("_", " ") for column in [*names, "rows", *quantities]]
    summaries = [
        [*map(_cell, key), f"{len(group):,}", *(_spread(group, column) for column in quantities)]
        for key, group in groups.items()
    ]
    return DataTable(header, summaries, len(rows))


def _names(rows: Sequence[Row], column: str) -> bool:
    """Return True if a column's values name something."""
    values = {row.get(column) for row in rows}
    return len(values) <= _MOST_LEVELS and not any(isinstance(value, float) for value in values)


def _counts(rows: Sequence[Row], column: str) -> bool:
    """Return True if a column has numbers."""
    return any(_is_number(row.get(column)) for row in rows)


def _grouped(rows: Sequence[Row], names: Sequence[str]) -> dict[tuple[object, ...], list[Row]]:
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in names), []).append(row)
    return groups


def _spread(rows: Sequence[Row], column: str) -> str:
    values = [row[column] for row in rows if _is_number(row.get(column))]
    if not values:
        return "-"
    least, greatest = min(values), max(values)
    if least == greatest:
        return _cell(float(least))
    return f"{_cell(float(least))} to {_cell(float(greatest))}, mean {_cell(fmean(values))}"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.5g}" if isinstance(value, float) else str(value)

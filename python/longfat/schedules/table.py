"""The CSV of `path.steps`, and the one with a column for each direction."""

from collections.abc import Mapping

from longfat.base.cells import csv_lines, is_number, separator_problem, shown_cells
from longfat.base.errors import BadInput
from longfat.schedules.measured import DIRECTIONS, QUANTITIES, Column, Measured, Way, name_of
from longfat.schedules.sample import Sample

_BOTH = {name_of(quantity, way): (quantity, way) for quantity in QUANTITIES for way in DIRECTIONS}
"""Columns of one direction, with what they have."""

COLUMNS = ("time_s", *QUANTITIES, *_BOTH)
"""Columns of a schedule, of which the first is required. Others in a file are ignored."""


def is_table(sample: Sample) -> bool:
    """True if the first line names the time and another column of a schedule."""
    names = [name.strip() for name in sample.head[0].split(",")] if sample.head else []
    return "time_s" in names and len(set(names) & set(COLUMNS)) > 1


def read_table(text: str, source: str) -> Measured:
    """Return the path of a schedule; other columns are ignored.

    Raises `BadInput` with the line of an error.
    """
    lines = csv_lines(text, source)
    first, header = lines[0] if lines else (1, [])
    names = [name for name in COLUMNS if name in header]
    if names[:1] != ["time_s"] or len(names) == 1 or len(set(header)) < len(header):
        wanted = f"time_s and any of {', '.join(QUANTITIES)}"
        found = separator_problem(header) or f"found {shown_cells(header) or 'none'}"
        raise BadInput([f"{source}:{first}: expected the columns {wanted}, each once; {found}"])
    if len(lines) == 1:
        raise BadInput([f"{source}: no rows below the header"])
    columns: dict[str, list[float]] = {name: [] for name in names}
    for number, cells in lines[1:]:
        row = dict(zip(header, cells, strict=False))
        if len(cells) != len(header) or not all(is_number(row[name]) for name in names):
            expected = f"expected {len(header)} numbers for {shown_cells(header)}"
            raise BadInput([f"{source}:{number}: {expected}, found {shown_cells(cells)}"])
        for name in names:
            columns[name].append(_number(row[name]))
        times = columns["time_s"]
        is_late = len(times) == 1 or times[-1] > times[-2]
        if not is_late or any(columns[name][-1] < 0 for name in names):
            raise BadInput([f"{source}:{number}: times must ascend, and no number be negative"])
    return path_of_columns({name: tuple(values) for name, values in columns.items()}).checked(
        source
    )


def _number(cell: str) -> float:
    return int(cell) if cell.isdigit() and len(cell) < 19 else float(cell)


def path_of_columns(columns: Mapping[str, Column]) -> Measured:
    """Return the path: a column without a direction counts for both, the rate for data, down."""
    ways: dict[str, dict[str, Column]] = {"up": {}, "down": {}}
    for name in QUANTITIES:
        if name in columns:
            for way in DIRECTIONS if name != "rate_bps" else ("down",):
                ways[way][name] = columns[name]
    for name, (quantity, way) in _BOTH.items():
        if name in columns:
            ways[way][quantity] = columns[name]
    return Measured(columns["time_s"], Way(**ways["up"]), Way(**ways["down"]))

"""Schedules of a path from Parquet, converted to the CSV of `path.steps`."""

from pathlib import Path
from typing import TYPE_CHECKING

from longfat.base.errors import BadInput, LongfatError
from longfat.base.files import MOST_BYTES, check_regular

if TYPE_CHECKING:
    import polars

COLUMNS = ("time_s", "rate_bps", "delay_s", "jitter_s", "loss")
"""Columns of a schedule, of which the first is required. Others in a file are ignored."""


def read_parquet(file: Path) -> str:
    """Return the schedule of a Parquet file as CSV; its numbers round-trip exactly.

    Raises `LongfatError` for a file that is not Parquet, and `BadInput` with column and row for a
    cell that is no number.
    """
    import polars

    check_regular(file, MOST_BYTES)
    try:
        frame = polars.read_parquet(file)
    except (OSError, polars.exceptions.PolarsError) as error:
        raise LongfatError(f"{file}: no Parquet file that can be read: {error}") from error
    names = [name for name in COLUMNS if name in frame.columns]
    if names[:1] != ["time_s"] or len(names) == 1:
        expected = "the column time_s and any of rate_bps, delay_s, jitter_s and loss"
        raise BadInput([f"{file}: expected {expected}, found {', '.join(frame.columns) or 'none'}"])
    problems = [problem for name in names if (problem := _problem(frame[name]))]
    if problems:
        raise BadInput([f"{file}: {problem}" for problem in problems])
    rows = frame.select(names).iter_rows()
    return "\n".join([",".join(names), *(",".join(map(repr, row)) for row in rows)])


def _problem(column: "polars.Series") -> str | None:
    """Return the problem of a column, or None."""
    import polars

    if not column.dtype.is_numeric() or isinstance(column.dtype, polars.Decimal):
        return f"column {column.name}: expected integers or floats, found {column.dtype}"
    unknown = column.is_null() | ~column.cast(polars.Float64).fill_null(0).is_finite()
    if unknown.any():
        row = unknown.arg_max()
        assert row is not None
        return f"column {column.name}, row {row + 1}: expected a number, found {column[row]}"
    return None

"""Schedules of a path from Parquet."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput
from longfat.base.extras import need
from longfat.schedules.measured import Measured
from longfat.schedules.options import Options
from longfat.schedules.sample import Sample
from longfat.schedules.table import COLUMNS, path_of_columns

if TYPE_CHECKING:
    import polars

KIND = "a Parquet file"
HELP = """Print TABLE, a Parquet file, as CSV for `path.steps`.

Reads those of the columns time_s, rate_bps, delay_s, jitter_s and loss that it has.

Example: longfat schedule from-parquet measured.parquet > measured.csv
"""
FILES = ("table",)
OPTIONS = ()

_MAGIC = b"PAR1"


def recognizes(sample: Sample) -> bool:
    """True if it begins as Parquet does."""
    return sample.content.startswith(_MAGIC)


def measured(files: dict[str, Sample], options: Options) -> Measured:  # noqa: ARG001
    """Return the path; its numbers round-trip exactly.

    Raises `BadInput` for a file that is not Parquet, and with column and row for a cell that is no
    number.
    """
    need("analysis", "reading Parquet", "polars")
    import polars

    sample = files["table"]
    refusal = f"{sample.source}: no Parquet file that can be read"
    try:
        with _stderr_closed():
            frame = polars.read_parquet(io.BytesIO(sample.content))
    except polars.exceptions.PanicException:  # no Exception: Rust found an assertion violated
        raise BadInput([refusal]) from None
    except (OSError, polars.exceptions.PolarsError) as error:
        reason = shown_cells(str(error).splitlines()[:1])
        raise BadInput([f"{refusal}: {reason}"]) from error
    names = [name for name in COLUMNS if name in frame.columns]
    if names[:1] != ["time_s"] or len(names) == 1:
        expected = "the column time_s and any of rate_bps, delay_s, jitter_s and loss"
        found = shown_cells(frame.columns) or "none"
        raise BadInput([f"{sample.source}: expected {expected}, found {found}"])
    for name in names:
        if problem := _problem(frame[name]):
            raise BadInput([f"{sample.source}: {problem}"])
    if frame.is_empty():
        raise BadInput([f"{sample.source}: no rows"])
    columns = {name: tuple(frame[name].to_list()) for name in names}
    return path_of_columns(columns).checked(sample.source)


@contextmanager
def _stderr_closed() -> Iterator[None]:
    """Drop what is written to stderr, where polars prints the backtrace of a panic."""
    try:
        kept = os.dup(2)
    except OSError:  # closed already
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


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

"""A measured path as the CSV that is printed."""

from typing import cast

from longfat.base.errors import LongfatError
from longfat.schedules.measured import (
    Direction,
    Measured,
    columns_of_both,
    difference,
    path_columns,
    table_text,
)

BOTH = "both"
"""Name of the table with a column for each direction."""


def text_and_notes(path: Measured, direction: str | None, source: str) -> tuple[str, list[str]]:
    """Return the CSV of one direction, of `BOTH`, or for both at once (None), and what to say.

    Raises `LongfatError` for a direction that was not measured.
    """
    notes = list(path.notes)
    if direction == BOTH:
        columns = columns_of_both(path)
    elif direction is None:
        columns = path_columns(path)
        notes += [remark] if (remark := difference(path, source)) else []
    else:
        columns = path_columns(path, cast("Direction", direction))
    if not columns:
        raise LongfatError(f"{source}: nothing was measured {direction}")
    return table_text(path.times_s, columns), notes

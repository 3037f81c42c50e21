"""A measured path as it is printed: the CSV of `path.steps`, or lines of a scenario."""

import json
from typing import cast

from longfat.base.errors import LongfatError
from longfat.schedules.measured import (
    DIRECTIONS,
    Column,
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
    columns: dict[str, Column]
    if direction == BOTH:
        columns = columns_of_both(path)
    elif direction is None:
        columns = path_columns(path)
        notes += [remark] if (remark := difference(path, source)) else []
    else:
        columns = path_columns(path, cast("Direction", direction))
    if not columns:
        raise LongfatError(f"{source}: nothing was measured {direction or 'in any direction'}")
    return table_text(path.times_s, columns), notes


def lines_text(path: Measured, direction: str | None, name: str) -> str:
    """Return `[[lines]]` of a scenario, in TOML: each direction as it was measured.

    The line `name` has the direction of data: down, or up if only that was measured. The line back
    has the other one. Raises `LongfatError` for `BOTH`, which does not say where data go.
    """
    if direction == BOTH:
        raise LongfatError("--lines has both directions; --direction up or down says where data go")
    measured = [way for way in DIRECTIONS if path_columns(path, way)]
    data = direction or ("up" if measured == ["up"] else "down")
    lines = []
    for way in sorted(measured, key=lambda way: way != data):
        table = table_text(path.times_s, path_columns(path, way))
        at = json.dumps(name if way == data else f"{name} back")
        steps = f'"""\n{table}\n"""'
        lines.append(f'[[lines]]\nat = {at}\npath.kind = "schedule"\npath.steps = {steps}')
    return "\n\n".join(lines)

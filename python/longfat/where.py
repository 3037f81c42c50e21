"""`--where` and the like: an SQL condition over levels, evaluated where it can do no harm."""

import sqlite3
from collections.abc import Sequence

from longfat.errors import LongfatError
from longfat.read_only import open_database, quoted, restrict

_FUNCTIONS = frozenset({"abs", "coalesce", "glob", "like", "lower", "round", "upper"})

SECONDS = 10
"""More than any condition over the rows of a study takes."""


def condition_of(columns: Sequence[str], levels: Sequence[str | None]) -> str:
    """The condition that only the rows with these levels meet; None is no level of a factor."""
    parts = []
    for column, level in zip(columns, levels, strict=True):
        name = column if column.isidentifier() else quoted(column)
        text = "" if level is None else level.replace("'", "''")
        parts.append(f"{name} IS NULL" if level is None else f"{name} = '{text}'")
    return " AND ".join(parts)


def matching(
    columns: Sequence[str],
    rows: Sequence[Sequence[str | int | None]],
    condition: str,
    origin: str = "--where",
) -> list[int]:
    """The indexes of the rows for which the SQL `condition` over `columns` is true.

    Levels that read as numbers compare as numbers (``sources > 5``), all others as text
    (``config = 'lan'``). Raises `LongfatError` that names the columns, and by `origin` where the
    condition is written, when SQL refuses.
    """
    database = open_database()
    try:
        names = ", ".join(f"{quoted(column)} NUMERIC" for column in columns)
        database.execute(f"CREATE TABLE runs (position INTEGER PRIMARY KEY, {names})")
        marks = ", ".join("?" * (len(columns) + 1))
        numbered = [(position, *row) for position, row in enumerate(rows)]
        database.executemany(f"INSERT INTO runs VALUES ({marks})", numbered)
        restrict(database, {"runs"}, _FUNCTIONS, SECONDS)
        # The closing parenthesis stands on its own line, out of the reach of a comment.
        found = database.execute(f"SELECT position FROM runs WHERE (\n{condition}\n)").fetchall()
    except (sqlite3.Error, ValueError) as error:
        raise LongfatError(
            f"{origin} {condition!r}: {error}; an SQL condition over the columns "
            f"{', '.join(columns)} is needed, text in single quotes"
        ) from error
    finally:
        database.close()
    return [position for (position,) in found]

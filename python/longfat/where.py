"""`--where` and the like: an SQL condition over levels, evaluated where it can do no harm."""

import sqlite3
from collections.abc import Sequence

from longfat.errors import LongfatError

_FUNCTIONS = frozenset({"abs", "coalesce", "glob", "like", "lower", "round", "upper"})


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
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        names = ", ".join(f"{_quoted(column)} NUMERIC" for column in columns)
        database.execute(f"CREATE TABLE runs (position INTEGER PRIMARY KEY, {names})")
        marks = ", ".join("?" * (len(columns) + 1))
        numbered = [(position, *row) for position, row in enumerate(rows)]
        database.executemany(f"INSERT INTO runs VALUES ({marks})", numbered)
        database.set_authorizer(_only_reading)
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _only_reading(
    action: int, first: str | None, second: str | None, _database: str | None, _inner: str | None
) -> int:
    """Allow reading the one table there is, and a few functions; deny everything else."""
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or first or "").lower() in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY

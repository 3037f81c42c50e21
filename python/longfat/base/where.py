"""`--where` and the like: an SQL condition over levels, evaluated where it can do no harm."""

import re
import sqlite3
import string
from collections.abc import Sequence

from longfat.base.errors import LongfatError
from longfat.base.read_only import open_database, quoted, restrict
from longfat.base.stopping import stopped_afterwards

_FUNCTIONS = frozenset({"abs", "coalesce", "glob", "like", "lower", "round", "upper"})

SECONDS = 10
"""More than any condition over the rows of a study takes."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""The letters that SQL does not tell from each other."""


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
    (``config = 'lan'``). Of columns that differ in case only, the one that the condition writes is
    meant. Raises `LongfatError` that names the columns, and by `origin` where the condition is
    written, when SQL refuses, and `Interrupted` after a signal.
    """
    database = open_database()
    try:
        chosen = _told_apart(columns, condition)
        number = _new_name([*columns, condition])
        names = "".join(f", {quoted(columns[index])} NUMERIC" for index in chosen)
        database.execute(f"CREATE TABLE runs ({number} INTEGER PRIMARY KEY{names})")
        marks = ", ".join("?" * (len(chosen) + 1))
        numbered = [(place, *(row[index] for index in chosen)) for place, row in enumerate(rows)]
        database.executemany(f"INSERT INTO runs VALUES ({marks})", numbered)
        restrict(database, {"runs"}, _FUNCTIONS, SECONDS)
        # The closing parenthesis stands on its own line, out of the reach of a comment.
        query = f"SELECT {number} FROM runs WHERE (\n{condition}\n)"
        with stopped_afterwards():
            found = database.execute(query).fetchall()
    except (sqlite3.Error, ValueError) as error:
        raise LongfatError(
            f"{origin} {condition!r}: {error}; an SQL condition over the columns "
            f"{', '.join(columns)} is needed, text in single quotes"
        ) from error
    finally:
        database.close()
    return [place for (place,) in found]


def _told_apart(columns: Sequence[str], condition: str) -> list[int]:
    """The indexes of the columns that SQL can tell apart, or that the condition writes as they are.

    Raises `ValueError` where it writes two that differ in case only.
    """
    code = re.sub("'[^']*'", "", condition)
    names = [column.translate(_LOWER) for column in columns]
    chosen = [
        index
        for index, name in enumerate(names)
        if names.count(name) == 1 or _is_word(columns[index], code)
    ]
    for index in chosen:
        alike = [columns[other] for other in chosen if names[other] == names[index]]
        if len(alike) > 1:
            raise ValueError(f"SQL does not tell {' and '.join(map(repr, alike))} apart")
    return chosen


def _is_word(name: str, code: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None


def _new_name(texts: Sequence[str]) -> str:
    """A name that stands in none of the texts."""
    name = "place"
    while any(name in text.translate(_LOWER) for text in texts):
        name += "_"
    return name

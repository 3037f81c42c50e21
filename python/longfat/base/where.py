"""SQL conditions over factor levels (`--where`), evaluated in a sandbox."""

import re
import sqlite3
import string
from collections.abc import Sequence

from longfat.base.errors import LongfatError
from longfat.base.read_only import open_database, quoted, restrict
from longfat.base.stopping import stopped_afterwards

_FUNCTIONS = frozenset({"abs", "coalesce", "glob", "like", "lower", "round", "upper"})

SECONDS = 10
"""Time limit of a condition, far above the need of any over the rows of a study."""

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""ASCII upper to lower case: SQL identifiers ignore the case of these letters."""


def condition_of(columns: Sequence[str], levels: Sequence[str | None]) -> str:
    """Return the SQL condition that selects the rows with these levels; None selects NULL."""
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
    """Return the indexes of the rows for which the SQL `condition` over `columns` is true.

    Levels that read as numbers compare as numbers (``sources > 5``), all others as text
    (``config = 'lan'``). Of columns that differ only in case, the one spelled as in the condition
    is meant. Raises `LongfatError`, with `origin` and the columns in its message, for a condition
    that SQL refuses, and `Interrupted` after a stop signal.
    """
    database = open_database()
    try:
        chosen = _unambiguous(columns, condition)
        number = _new_name([*columns, condition])
        names = "".join(f", {quoted(columns[index])} NUMERIC" for index in chosen)
        database.execute(f"CREATE TABLE runs ({number} INTEGER PRIMARY KEY{names})")
        marks = ", ".join("?" * (len(chosen) + 1))
        numbered = [(place, *(row[index] for index in chosen)) for place, row in enumerate(rows)]
        database.executemany(f"INSERT INTO runs VALUES ({marks})", numbered)
        restrict(database, {"runs"}, _FUNCTIONS, SECONDS)
        # The closing parenthesis is on its own line, so that a comment cannot hide it.
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


def _unambiguous(columns: Sequence[str], condition: str) -> list[int]:
    """Return the indexes of the columns that are unambiguous in SQL or spelled in the condition.

    Raises `ValueError` if the condition spells two that differ in case only.
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
            raise ValueError(
                f"{' and '.join(map(repr, alike))} differ only in case, which SQL ignores"
            )
    return chosen


def _is_word(name: str, code: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", code) is not None


def _new_name(texts: Sequence[str]) -> str:
    """Return a name that occurs in none of the texts."""
    name = "place"
    while any(name in text.translate(_LOWER) for text in texts):
        name += "_"
    return name

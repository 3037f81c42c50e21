"""A sandbox for untrusted SQL: a database in memory in which only named tables are readable."""

import sqlite3
import time
from collections.abc import Callable, Set
from functools import partial

INSTRUCTIONS_BETWEEN_LOOKS = 10_000
"""Steps of SQLite's virtual machine between two checks of the clock: well below a millisecond."""

LONGEST_TEXT_BYTES = 1_000_000
"""Largest text or row: a query must not fill the memory within its time limit."""

SqlValue = str | int | float | None


def open_database() -> sqlite3.Connection:
    """Open an empty database in memory, still without restrictions."""
    return sqlite3.connect(":memory:", isolation_level=None)


def quoted(name: str) -> str:
    """Quote a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def restrict(
    connection: sqlite3.Connection, tables: Set[str], functions: Set[str], seconds: float
) -> None:
    """Restrict a connection to queries of `tables` with `functions`, for `seconds` of thread time.

    Views among the tables may read other tables and call other functions on behalf of a query. A
    query that takes longer ends with an `sqlite3.OperationalError` of code `SQLITE_INTERRUPT`.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_TEXT_BYTES)
    hidden = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")} - tables
    connection.set_authorizer(partial(_permission, tables, hidden, functions))
    limit_time(connection, seconds)


def limit_time(connection: sqlite3.Connection, seconds: float) -> None:
    """Interrupt queries once this thread has used `seconds` of CPU time since this call."""
    connection.set_progress_handler(_alarm(seconds), INSTRUCTIONS_BETWEEN_LOOKS)


def _alarm(seconds: float) -> Callable[[], bool]:
    end = time.thread_time() + seconds
    return lambda: time.thread_time() > end


def _permission(
    tables: Set[str],
    hidden: Set[str],
    functions: Set[str],
    action: int,
    first: str | None,
    second: str | None,
    _database: str | None,
    view: str | None,
) -> int:
    if action == sqlite3.SQLITE_SELECT:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and (first in tables or view in tables):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_READ and second == "" and first not in hidden:
        # Rows are counted without reading a column: a common table expression (WITH) of this name.
        return sqlite3.SQLITE_DENY if _is_built_in(first) else sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION:
        name = (second or first or "").lower()
        return sqlite3.SQLITE_OK if name in functions or view in tables else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_DENY


def _is_built_in(table: str | None) -> bool:
    return (table or "").lower().startswith(("sqlite_", "pragma_", "json_", "dbstat"))

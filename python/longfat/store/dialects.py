"""SQL that differs between SQLite and PostgreSQL."""

import json
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from typing import Any

from sqlalchemy import (
    ARRAY,
    Column,
    ColumnElement,
    Connection,
    String,
    Table,
    Text,
    any_,
    cast,
    func,
    literal,
    select,
)


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Insert the rows whose `run_id` the table does not have; return their ids.

    Inserts in order of id, so that two processes with runs in common cannot deadlock.
    """
    if not rows:
        return set()
    # Already imported with the engine; importing the other one takes time.
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    statement = dialect.insert(table).on_conflict_do_nothing().returning(table.c.run_id)
    ordered = sorted(rows, key=lambda row: str(row["run_id"]))
    return set(connection.execute(statement, ordered).scalars())


def add_to(
    connection: Connection,
    table: Table,
    keys: Sequence[str],
    sums: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Add the numbers of rows to those that the table has under the same keys."""
    if not rows:
        return
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    statement = dialect.insert(table)
    added = {name: table.c[name] + statement.excluded[name] for name in sums}
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=added), rows)


def among(
    connection: Connection, column: Column[Any], texts: Collection[str]
) -> ColumnElement[bool]:
    """Return the condition that a column is one of many texts, passed as one bound value."""
    if _is_postgresql(connection):
        return column == any_(literal(list(texts), ARRAY(String)))
    listed = func.json_each(json.dumps(list(texts))).table_valued("value")
    return column.in_(select(listed.c.value))


def picked(connection: Connection, column: Column[Any], names: Sequence[str]) -> ColumnElement[Any]:
    """Return the values of these names in a JSON object, as a JSON list with null if absent.

    As JSON, which keeps numbers to the last bit; databases would round some. Without names, the
    object itself.
    """
    if not names:
        return column if _is_postgresql(connection) else func.json(cast(column, Text))
    if _is_postgresql(connection):
        return func.json_build_array(*(column.op("->")(name) for name in names))
    # A second path, even of no value, makes the result a list.
    paths = [f'$."{name}"' for name in (names if len(names) > 1 else (*names, ""))]
    return func.json_extract(cast(column, Text), *paths)


def listed(connection: Connection, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the values of a group's rows as the text of a JSON list, which is cheaper than rows.

    Two such lists of one query have their rows in the same order.
    """
    if _is_postgresql(connection):
        return cast(func.json_agg(value), Text)
    return func.json_group_array(value)


def snapshot(connection: Connection) -> Connection:
    """Let all queries of a transaction see the same runs, as SQLite does anyway."""
    if _is_postgresql(connection):
        connection.execution_options(isolation_level="REPEATABLE READ")
    return connection


def without_index(query: Any, table: Table) -> Any:
    """Return a query that reads a table itself and no index, where that is a question."""
    return query.with_hint(table, "NOT INDEXED", "sqlite")


def _is_postgresql(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"

"""The few things that SQLite and PostgreSQL spell differently."""

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
    """Insert the rows whose `run_id` the table does not have; return the ids of those.

    They are inserted by id, so that two processes with some in common never wait for each other.
    """
    if not rows:
        return set()
    # Loaded since the engine was made; the other one takes a while to load.
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    statement = dialect.insert(table).on_conflict_do_nothing().returning(table.c.run_id)
    ordered = sorted(rows, key=lambda row: str(row["run_id"]))
    return set(connection.execute(statement, ordered).scalars())


def among(
    connection: Connection, column: Column[Any], texts: Collection[str]
) -> ColumnElement[bool]:
    """Whether a column is one of many texts, which travel as one value however many they are."""
    if _is_postgresql(connection):
        return column == any_(literal(list(texts), ARRAY(String)))
    listed = func.json_each(json.dumps(list(texts))).table_valued("value")
    return column.in_(select(listed.c.value))


def picked(connection: Connection, column: Column[Any], names: Sequence[str]) -> ColumnElement[Any]:
    """The values of these names in a JSON object, as a JSON list: null for what it lacks.

    As JSON, because its numbers are what was written to the last bit; databases would round some.
    Without names the object itself.
    """
    if not names:
        return column if _is_postgresql(connection) else func.json(cast(column, Text))
    if _is_postgresql(connection):
        return func.json_build_array(*(column.op("->")(name) for name in names))
    # A second path makes it a list, be it one that leads nowhere.
    paths = [f'$."{name}"' for name in (names if len(names) > 1 else (*names, ""))]
    return func.json_extract(cast(column, Text), *paths)


def listed(connection: Connection, value: ColumnElement[Any]) -> ColumnElement[Any]:
    """A value of all rows of a group as the text of a JSON list: rows cost more on their way.

    Two such lists of one query have the rows in the same order.
    """
    if _is_postgresql(connection):
        return cast(func.json_agg(value), Text)
    return func.json_group_array(value)


def _is_postgresql(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"

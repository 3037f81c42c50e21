"""Reading of a damaged SQLite table by ranges of row numbers, around the pages that are damaged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Table, literal_column, select
from sqlalchemy.exc import DBAPIError

from longfat.store.dialects import without_index

ROWS_PER_PAGE = 64
"""More rows than a page of 4 KiB holds of the tables here."""

MOST_FAILURES = 5000
"""Attempts that read nothing, after which the rest of a table is given up."""

Columns = Sequence[Column[Any] | ColumnElement[Any]]


def rows_of(connection: Connection, table: Table, columns: Columns) -> Iterator[Mapping[Any, Any]]:
    """Yield the rows that can be read, not in the order of their numbers.

    Where reading fails, what lies behind is read from the end. What is between is halved until the
    damaged rows are alone.
    """
    failures = 0
    number: ColumnElement[int] = literal_column(f"{table.name}.rowid")
    query = without_index(select(number.label("place"), *columns), table)
    ranges = [(1, _last(connection, table, number))]
    while ranges and failures < MOST_FAILURES:
        low, high = ranges.pop()
        if low > high:
            continue
        # A single row is looked up: to find the end of a range, SQLite also reads what follows.
        within = query.where(number == low if low == high else number.between(low, high))
        place, failed = low - 1, False
        for row in _readable(connection, within.order_by(number)):
            # Numbers that do not grow are those of pages that are linked in a circle.
            if row is None or not place < row["place"] <= high:
                failed = True
                break
            place = row["place"]
            yield row
        if not failed or place >= high:
            continue
        behind = high + 1
        for row in _readable(connection, within.where(number > place).order_by(number.desc())):
            if row is None or not place < row["place"] < behind:
                break
            behind = row["place"]
            yield row
        failures += (place, behind) == (low - 1, high + 1)
        first, last = place + 1, behind - 1
        if (first, last) != (low, high):
            ranges.append((first, last))
        elif first < last:
            middle = (first + last) // 2
            ranges += [(first, middle), (middle + 1, last)]


def _readable(connection: Connection, query: Any) -> Iterator[Mapping[Any, Any] | None]:
    """Yield rows until reading fails, and then None."""
    try:
        yield from connection.execute(query).mappings()
    except (DBAPIError, UnicodeDecodeError):
        yield None


def _last(connection: Connection, table: Table, number: ColumnElement[Any]) -> int:
    """Return the highest row number, or a bound of it if it cannot be read or is damaged."""
    bound = int(connection.exec_driver_sql("PRAGMA page_count").scalar() or 0) * ROWS_PER_PAGE
    try:
        query = select(number).select_from(table).order_by(number.desc()).limit(1)
        return min(bound, connection.execute(query).scalar() or 0)
    except DBAPIError:
        return bound

"""Control totals of the runs with one scenario, seed and status, in the table `series`.

They are added up as runs are written, and compared when runs are read. Damage to an index or a page
can hide a run from a query without touching its row; then the totals differ.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    cast,
    delete,
    func,
    insert,
    select,
)

from longfat.store.backend import damaged
from longfat.store.dialects import add_to
from longfat.store.digests import microseconds
from longfat.store.schema import runs, series

KEYS = ("model", "scenario_hash", "seed", "status")
SUMS = ("runs", "replications", "squares", "wall_microseconds")

_number = cast(runs.c.replication, BigInteger)

OF_RUNS = (
    func.count().label("runs"),
    cast(func.sum(_number), BigInteger).label("replications"),
    cast(func.sum(_number * _number), BigInteger).label("squares"),
    cast(func.sum(cast(func.round(runs.c.wall_seconds * 1000000.0), BigInteger)), BigInteger).label(
        "wall_microseconds"
    ),
)
"""The sums, computed of rows of `runs`."""


def add(connection: Connection, rows: Iterable[Mapping[Any, Any]], sign: int = 1) -> None:
    """Add runs to the totals; `sign` -1 takes away runs that were deleted."""
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows:
        number = row["replication"]
        values = (1, number, number * number, microseconds(row["wall_seconds"]))
        of_key = sums.setdefault(tuple(row[key] for key in KEYS), Counter())
        for name, value in zip(SUMS, values, strict=True):
            of_key[name] += sign * value
    # In order, so that two processes with series in common cannot deadlock.
    added = [{**dict(zip(KEYS, key, strict=True)), **sums[key]} for key in sorted(sums)]
    add_to(connection, series, KEYS, SUMS, added)


def refuse_others(
    connection: Connection, name: str, found: Sequence[Any], wanted: ColumnElement[bool]
) -> None:
    """Raise `LongfatError` unless the totals of the `wanted` series are those of the rows `found`.

    The rows have `KEYS`, if not all of one model, and `SUMS`.
    """
    columns = [series.c[column] for column in (*KEYS[1:], *SUMS)]
    written = connection.execute(select(*columns).where(wanted))
    expected = {tuple(row)[:3]: tuple(row)[3:] for row in written if row.runs != 0}
    counted = {(row.scenario_hash, row.seed, row.status): _sums(row) for row in found}
    if counted == expected:
        return
    key = next(k for k in {**counted, **expected} if counted.get(k) != expected.get(k))
    scenario_hash, seed, status = key
    there, due = (sums.get(key, (0, 0, 0, 0)) for sums in (counted, expected))
    numbers = (
        f"{there[0]} of {due[0]} runs are found"
        if there[0] != due[0]
        else "their replications or times are others than were written"
    )
    raise damaged(name, f"of scenario {scenario_hash!a} with seed {seed!a}, {status!a}: {numbers}")


def _sums(row: Any) -> tuple[Any, ...]:
    return tuple(getattr(row, column) for column in SUMS)


def count_again(connection: Connection) -> None:
    """Compute the totals from the runs."""
    keys = [runs.c[key] for key in KEYS]
    connection.execute(delete(series))
    summed = select(*keys, *OF_RUNS).group_by(*keys)
    connection.execute(insert(series).from_select([*KEYS, *SUMS], summed))

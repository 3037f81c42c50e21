"""Search of a damaged store for the runs that are whole, to count them or to copy them.

A run is whole if its row, its parts and its scenario are what was written, by their digests. Damage
never makes another run whole, so that as much may be tried here as SQLite lets one read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import JSON, Connection, Table, Text, cast, func, select
from sqlalchemy.exc import DBAPIError

from longfat.base.errors import LongfatError, StoreDamaged
from longfat.store import totals
from longfat.store.backend import Backend, in_words
from longfat.store.digests import COVERED, PARTS, part_digests, run_digest, run_id_of
from longfat.store.ranges import rows_of
from longfat.store.schema import runs, series
from longfat.store.sealing import parts_as_stored
from longfat.store.writing import Rows, insert_rows

BATCH = 200
"""Runs, each with its scenario and parts, in memory at a time."""


@dataclass
class Found:
    """Runs of a store: the number of whole ones, the ids of damaged ones, and other findings.

    `written` is the number of runs by the control totals; None if these cannot be read.
    """

    whole: int = 0
    damaged: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    written: int | None = None

    @property
    def missing(self) -> int:
        """Number of runs that were written and not found whole."""
        return max(len(self.damaged), (self.written or 0) - self.whole)

    @property
    def is_intact(self) -> bool:
        """Whether the store is as it was written."""
        return not self.damaged and not self.problems and self.written == self.whole


def checked(backend: Backend) -> Found:
    """Check every run of a store, and the database itself."""
    found = Found()
    with backend.opened_for_salvage() as (connection, problems):
        found.problems += problems
        _note(found, lambda: _check_database(backend, connection, found))
        for _ in whole_runs(connection, found):
            pass
        _note(found, lambda: _check_totals(backend.name, connection, found))
    return found


def salvage(source: Backend, target: Backend) -> Found:
    """Copy every whole run of a store into a new one.

    Raises `LongfatError` if the new one exists, or if nothing in the old one can be read.
    """
    existing = target.open_for_reading()
    if existing is not None:
        existing.dispose()
        raise LongfatError(f"{target.name}: exists; give the name of a new store")
    found = Found()
    with source.opened_for_salvage() as (connection, problems):
        found.problems += problems
        _note(found, lambda: _check_totals(source.name, connection, found))
        whole = whole_runs(connection, found)
        first = list(islice(whole, BATCH))
        if not first:
            raise LongfatError(
                f"{source.name}: no run in it is whole, so {target.name} is not made"
                f"{''.join(f'; {problem}' for problem in found.problems[:1])}"
            )
        engine = target.open_for_writing()
        try:
            while first:
                with engine.begin() as writing:
                    insert_rows(writing, *sealed(first))
                first = list(islice(whole, BATCH))
        finally:
            engine.dispose()
    return found


def _check_database(backend: Backend, connection: Connection, found: Found) -> None:
    said = backend.check(connection)
    if said != "ok":
        found.problems.append(said)


def _check_totals(name: str, connection: Connection, found: Found) -> None:
    found.written = int(connection.execute(select(func.sum(series.c.runs))).scalar() or 0)
    models = connection.execute(select(series.c.model).distinct()).scalars().all()
    for model in {*models, *connection.execute(select(runs.c.model).distinct()).scalars()}:
        keys = [runs.c[key] for key in totals.KEYS[1:]]
        query = select(*keys, *totals.OF_RUNS).where(runs.c.model == model).group_by(*keys)
        rows = connection.execute(query).all()
        totals.refuse_others(connection, name, rows, series.c.model == model)


def _note(found: Found, check: Any) -> None:
    """Make a check, and note its failure as a finding."""
    try:
        check()
    except StoreDamaged as error:
        found.problems.append(error.what)
    except (DBAPIError, UnicodeDecodeError) as error:
        said = in_words("", error)
        found.problems.append(said.what if isinstance(said, StoreDamaged) else str(said))


Run = tuple[Mapping[Any, Any], Rows]
"""Row of a run and the rows of its parts, with JSON as text."""


def whole_runs(connection: Connection, found: Found) -> Iterator[Run]:
    """Yield the runs that are whole, and count all.

    Parts are looked up by an index, and where that does not give what was written, once more by
    going through their tables.
    """
    suspects: dict[str, Mapping[Any, Any]] = {}
    for batch in _batches(_rows(connection, runs)):
        sound = {row["run_id"]: row for row in batch if _is_sound(row)}
        found.damaged += [str(row["run_id"]) for row in batch if row["run_id"] not in sound]
        for run_id, parts in _parts(connection, sorted(sound)).items():
            if _are_sound(sound[run_id], parts):
                found.whole += 1
                yield sound[run_id], parts
            else:
                suspects[run_id] = sound[run_id]
    for run_id, parts in _parts_by_table(connection, suspects).items():
        if _are_sound(suspects[run_id], parts):
            found.whole += 1
            yield suspects[run_id], parts
        else:
            found.damaged.append(run_id)


def _rows(connection: Connection, table: Table) -> Iterator[Mapping[Any, Any]]:
    """Yield what can be read of a table's rows, in the order in which they are stored."""
    columns = [
        cast(column, Text).label(column.name) if isinstance(column.type, JSON) else column
        for column in table.c
    ]
    if connection.dialect.name == "sqlite":
        return rows_of(connection, table, columns)
    streamed = connection.execution_options(yield_per=BATCH)
    return iter(streamed.execute(select(*columns)).mappings())


def _batches(rows: Iterable[Mapping[Any, Any]]) -> Iterator[list[Mapping[Any, Any]]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _is_sound(row: Mapping[Any, Any]) -> bool:
    """Whether a row has its digest, and the scenario of which its id is a hash."""
    try:
        return bool(
            all(row[name] is not None for name in ("run_id", "part_digests"))
            and run_digest({name: row[name] for name in COVERED}) == row["digest"]
            and run_id_of(row["model"], row["scenario"]) == row["run_id"]
        )
    except (TypeError, ValueError, OverflowError):  # values of other types than were written
        return False


def _are_sound(row: Mapping[Any, Any], parts: Rows) -> bool:
    try:
        return bool(part_digests(parts) == row["part_digests"])
    except (TypeError, ValueError):
        return False


def _parts(connection: Connection, run_ids: list[str]) -> dict[str, Any]:
    try:
        return parts_as_stored(connection, run_ids)
    except (DBAPIError, UnicodeDecodeError):
        return {run_id: {table.name: [] for table, _ in PARTS} for run_id in run_ids}


def _parts_by_table(connection: Connection, suspects: Mapping[Any, Any]) -> dict[str, Any]:
    parts: dict[str, dict[str, list[Any]]] = {
        run_id: {table.name: [] for table, _ in PARTS} for run_id in suspects
    }
    for table, _ in PARTS if suspects else ():
        for row in _rows(connection, table):
            if row["run_id"] in parts and isinstance(row["position"], int):
                parts[row["run_id"]][table.name].append(row)
        for found in parts.values():
            found[table.name].sort(key=lambda row: row["position"])
    return parts


def sealed(found: Sequence[Run]) -> tuple[dict[str, Any], dict[str, Rows]]:
    """Return rows and parts of runs by id, as they are inserted, with the digests of today."""
    rows: dict[str, Any] = {}
    parts: dict[str, Rows] = {}
    for row, of_run in found:
        run_id = row["run_id"]
        parts[run_id] = {
            name: [{**part, "measures": json.loads(part["measures"])} for part in of_table]
            for name, of_table in of_run.items()
        }
        read = {name: row[name] and json.loads(row[name]) for name in ("metrics", "work")}
        whole = {**row, **read, "part_digests": part_digests(parts[run_id])}
        rows[run_id] = {**whole, "digest": run_digest(whole)}
    return rows, parts

"""Digests of stored runs, which every reader checks.

A digest is the start of SHA-256, since SQLite (by a function that is registered here) and
PostgreSQL (by one that it has) both compute it where the rows are: a query over many runs moves
no row for its check. The digest of a run's row covers every column but the scenario, of which the
run's id is a hash with the number of the model. `part_digests` has one for each of `PARTS`.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, literal_column

from longfat.store.schema import completions, flows, ports

LENGTH = 16
"""Hexadecimal digits of a digest: 64 bits, for the detection of damage and not of forgery."""

PARTS: tuple[tuple[Table, tuple[str, ...]], ...] = (
    (flows, ("flavor",)),
    (ports, ("policy",)),
    (completions, ()),
)
"""Tables of a run's parts in the order of `part_digests`, with their columns besides a name."""

COVERED = (
    *("run_id", "scenario_hash", "seed", "replication", "model", "engine", "status", "failure"),
    *("fingerprint", "started_at", "ended_at", "wall_seconds", "events", "metrics", "work"),
    *("build", "part_digests"),
)
"""Columns of `runs` in the order in which they are digested."""

FUNCTION = "longfat_digest"

_SEPARATOR = b"\x1f"
_NULL = b"\x1e"


def digest(fields: Iterable[bytes | None]) -> str:
    """Return the digest of values as they are stored; None stands for NULL."""
    text = _SEPARATOR.join([_NULL if field is None else field for field in fields])
    return sha256(text).hexdigest()[:LENGTH]


def run_digest(row: Mapping[Any, Any]) -> str:
    """Return the digest of a row of `runs`, as `digest_in_sql` computes it of the stored one."""
    return digest(stored(microseconds(row[n]) if n == "wall_seconds" else row[n]) for n in COVERED)


def part_digests(parts: Mapping[str, Sequence[Mapping[Any, Any]]]) -> str:
    """Return the digests of a run's parts, from the rows of each table in order of position."""
    return " ".join(part_digest(parts[table.name], kinds) for table, kinds in PARTS)


def part_digest(rows: Iterable[Mapping[Any, Any]], kinds: Sequence[str]) -> str:
    """Return the digest of the rows of one table that belong to a run."""
    names = ("position", "name", *kinds, "measures")
    return digest(stored(row[name]) for row in rows for name in names)


def run_id_of(model: int, scenario: str) -> str:
    """Return the id of a run of a model, from its scenario as it is stored."""
    text = f'{{"model":{model},"scenario":{scenario}}}'
    return sha256(text.encode(errors="surrogateescape")).hexdigest()


def stored(value: Any) -> bytes | None:
    """Return a value as the database stores it: JSON as text, as `json.dumps` writes it."""
    if value is None:
        return None
    text = json.dumps(value) if isinstance(value, dict) else str(value)
    return text.encode(errors="surrogateescape")


def microseconds(seconds: float) -> int:
    """Return seconds as a whole number of microseconds: databases format a float differently."""
    return round(seconds * 1e6)


def register(database: sqlite3.Connection) -> None:
    """Register the function that `digest_in_sql` calls in SQLite."""
    database.create_function(FUNCTION, -1, lambda *fields: digest(fields), deterministic=True)


def digest_in_sql(connection: Connection) -> ColumnElement[str]:
    """Return the digest of a row of `runs`, computed by the database from what it has stored."""
    if connection.dialect.name == "postgresql":
        texts = [f"coalesce({_as(name, 'text', 'bigint')}, chr(30))" for name in COVERED]
        joined = f"convert_to(concat_ws(chr(31), {', '.join(texts)}), 'UTF8')"
        return literal_column(f"left(encode(sha256({joined}), 'hex'), {LENGTH})")
    # As bytes, since damaged text may be no UTF-8.
    blobs = [_as(name, "blob", "integer") for name in COVERED]
    return literal_column(f"{FUNCTION}({', '.join(blobs)})")


def _as(name: str, kind: str, integer: str) -> str:
    """Return a column of `runs` cast to a type; of the wall time its microseconds."""
    column = f"runs.{name}"
    if name == "wall_seconds":
        column = f"CAST(round({column} * 1000000.0) AS {integer})"
    return f"CAST({column} AS {kind})"

"""The tables of a store. A change that older readers cannot bear raises `SCHEMA_VERSION`.

What every run has, and what SQL filters and joins by, are typed columns: identity, provenance,
status. What depends on the models of a scenario (metrics, and the measures of flows and ports) is
a JSON column, so that a new metric needs no new schema; SQLite and PostgreSQL both query into it
(``metrics ->> 'efficiency'``). One row for each metric would need a self-join for every pair of
metrics that a question combines; one column for each would change with every model.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 1

DONE = "done"
FAILED = "failed"

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", String, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("scenario_hash", String(64), nullable=False, index=True),
    Column("seed", BigInteger, nullable=False),
    Column("replication", Integer, nullable=False),
    Column("engine", String, nullable=False),
    Column("status", String, nullable=False, doc="done or failed"),
    Column("failure", Text, doc="why the run failed"),
    Column("fingerprint", String, doc="hash of the event stream; equal bytes, equal run"),
    Column("started_at", String, nullable=False, doc="UTC, ISO 8601"),
    Column("ended_at", String, nullable=False, doc="UTC, ISO 8601"),
    # Start and end are seen from outside the engine, to a tenth of a second: exact for long runs
    # and, because one run starts when another ends, exact in sum for short ones.
    Column("wall_seconds", Float, nullable=False),
    Column("events", BigInteger),
    Column("scenario", Text, nullable=False, doc="resolved scenario, canonical JSON, to the byte"),
    Column("metrics", JSON(none_as_null=True)),
    Column("work", JSON(none_as_null=True)),
)

flows = Table(
    "flows",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("flavor", String, nullable=False),
    Column("measures", JSON, nullable=False),
)

ports = Table(
    "ports",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("policy", String, nullable=False),
    Column("measures", JSON, nullable=False),
)

# How long what was asked for took to arrive, by kind, where applications ask; older stores have no
# such table.
completions = Table(
    "completions",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("measures", JSON, nullable=False),
)

# Runs in progress, by what their process said last; a killed process leaves rows that grow stale.
running = Table(
    "running",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column("process", String, primary_key=True),
    Column("heard_at", String, nullable=False, doc="UTC, ISO 8601"),
)

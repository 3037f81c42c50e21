"""Tables of a store. Each change needs a new `SCHEMA_VERSION` and a file in `migrations`.

Identity, provenance and status, which every run has and SQL filters and joins by, are typed
columns. Values that depend on the models of a scenario (metrics, and the measures of flows and
ports) are a JSON column, so that a new metric needs no new schema; SQLite and PostgreSQL both query
into it (``metrics ->> 'efficiency'``). One row for each metric would need a self-join for every
pair of metrics that a query combines; one column for each would change with every model.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

SCHEMA_VERSION = 5

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
    Column("scenario_hash", String(64), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("replication", Integer, nullable=False),
    Column("model", Integer, nullable=False, doc="number of the model, part of the run's id"),
    Column("engine", String, nullable=False, doc="release and model of the engine"),
    Column("status", String, nullable=False, doc="done or failed"),
    Column("failure", Text, doc="why the run failed"),
    Column("fingerprint", String, doc="hash of the event stream; equal bytes, equal run"),
    Column("started_at", String, nullable=False, doc="UTC, ISO 8601"),
    Column("ended_at", String, nullable=False, doc="UTC, ISO 8601"),
    # Start and end are measured outside the engine, to a tenth of a second: accurate for long runs
    # and, because one run starts when another ends, accurate in total for short ones.
    Column("wall_seconds", Float, nullable=False),
    Column("events", BigInteger),
    Column("scenario", Text, nullable=False, doc="resolved scenario, canonical JSON, to the byte"),
    Column("metrics", JSON(none_as_null=True)),
    Column("work", JSON(none_as_null=True)),
    Column("build", String, doc="hash of the engine's sources; unknown before schema version 2"),
    Column("part_digests", String, nullable=False, doc="digests of flows, ports and completions"),
    Column("digest", String(16), nullable=False, doc="digest of this row, see `digests`"),
    # Covering indices of queries over all runs.
    Index(
        "ix_runs_planned",
        *("model", "scenario_hash", "seed", "replication", "status", "wall_seconds"),
    ),
    Index("ix_runs_maker", "model", "build", "scenario_hash"),
    Index("ix_runs_status", "run_id", "status"),
)

# Control totals of the runs with one scenario, seed and status. A run that damage hides from a
# query, or moves to another scenario, has no digest that could be wrong: the totals show it.
series = Table(
    "series",
    metadata,
    Column("model", Integer, primary_key=True),
    Column("scenario_hash", String(64), primary_key=True),
    Column("seed", BigInteger, primary_key=True),
    Column("status", String, primary_key=True),
    Column("runs", BigInteger, nullable=False),
    Column("replications", BigInteger, nullable=False, doc="sum of the replications' numbers"),
    Column("squares", BigInteger, nullable=False, doc="sum of the squares of these numbers"),
    Column("wall_microseconds", BigInteger, nullable=False),
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

# Completion times of requested objects, by kind, for request traffic.
completions = Table(
    "completions",
    metadata,
    Column("run_id", ForeignKey("runs.run_id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("name", String, nullable=False),
    Column("measures", JSON, nullable=False),
)

# Processes that work on studies. A killed process leaves a row with a constant beat.
workers = Table(
    "workers",
    metadata,
    Column("worker", String, primary_key=True, doc="host, process id and a random word"),
    Column("place", String, nullable=False, doc="where the process id means this process"),
    Column("pid", BigInteger, nullable=False),
    Column("born", BigInteger, nullable=False, doc="start of the process, in ticks since boot"),
    Column("jobs", Integer, nullable=False, doc="simulations at a time"),
    Column("beat", BigInteger, nullable=False, doc="grows while the process lives"),
    Column("heard_at", String, nullable=False, doc="UTC, ISO 8601: for people, decides nothing"),
)

# Runs that a worker has leased and not yet stored.
leases = Table(
    "leases",
    metadata,
    Column("run_id", String(64), primary_key=True),
    Column(
        "worker",
        String,
        ForeignKey("workers.worker", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
)

# Alembic's schema version, equal to the one in `meta`, which older versions of longfat read.
alembic_version = Table(
    "alembic_version", metadata, Column("version_num", String(32), primary_key=True)
)

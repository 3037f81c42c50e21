"""Schema 4: run ids hash the number of the model; the release is a column.

Before, run ids hashed the release too, so that each release orphaned all runs.
"""

import json
from hashlib import sha256
from typing import Any

from alembic import op
from sqlalchemy import (
    Column,
    Integer,
    Select,
    String,
    Text,
    bindparam,
    column,
    insert,
    select,
    table,
    update,
)

revision = "4"
down_revision = "3"

RUNS = table(
    "runs",
    *(column("run_id", String), column("engine", String), column("scenario", Text)),
    column("model", Integer),
)
NAMES = table("new_names", column("old", String), column("new", String))
PARTS = ("flows", "ports", "completions")

BATCH = 1000
"""Runs, each with its scenario, in memory at a time."""


def upgrade() -> None:
    """Set the model of every run, and the id computed from it."""
    op.add_column("runs", Column("model", Integer, nullable=False, server_default="0"))
    op.create_table("new_names", Column("old", String, primary_key=True), Column("new", String))
    connection = op.get_bind()
    last = ""
    while rows := connection.execute(_after(last)).all():
        last = rows[-1].run_id
        models = [{"of": row.run_id, "number": _model(row.engine)} for row in rows]
        of_run = update(RUNS).where(RUNS.c.run_id == bindparam("of"))
        connection.execute(of_run.values(model=bindparam("number")), models)
        names = [
            {"old": row.run_id, "new": _digest("model", _model(row.engine), row.scenario)}
            for row in rows
            # A row changed by hand keeps its id, which shows the change.
            if row.run_id == _digest("engine", row.engine, row.scenario)
        ]
        if names:
            connection.execute(insert(NAMES), names)
    _rename()
    op.drop_table("new_names")
    for index in ("planned", "maker"):
        op.drop_index(f"ix_runs_{index}", "runs")
    known = ["model", "scenario_hash", "seed", "replication", "status", "wall_seconds"]
    op.create_index("ix_runs_planned", "runs", known)
    op.create_index("ix_runs_maker", "runs", ["model", "build", "scenario_hash"])


def _after(run_id: str) -> Select[Any]:
    """Return the next batch of runs, ordered by id."""
    wanted = select(RUNS.c.run_id, RUNS.c.engine, RUNS.c.scenario)
    return wanted.where(RUNS.c.run_id > run_id).order_by(RUNS.c.run_id).limit(BATCH)


def _rename() -> None:
    """Copy each run to its new id, redirect its parts, and delete the old row.

    In this order no part ever violates its foreign key.
    """
    kept = (
        "scenario_hash, seed, replication, engine, status, failure, fingerprint, started_at, "
        "ended_at, wall_seconds, events, scenario, metrics, work, build, model"
    )
    op.execute(
        f"INSERT INTO runs (run_id, {kept}) SELECT new, {kept} FROM runs JOIN new_names "
        "ON run_id = old"
    )
    for part in PARTS:
        op.execute(
            f"UPDATE {part} SET run_id = (SELECT new FROM new_names WHERE old = {part}.run_id) "
            "WHERE run_id IN (SELECT old FROM new_names)"
        )
    op.execute("DELETE FROM runs WHERE run_id IN (SELECT old FROM new_names)")


def _model(engine: str) -> int:
    """Return the number of the model in `0.1.0+model.2`; 0 if there is none."""
    number = engine.rpartition("+model.")[2]
    return int(number) if number.isdecimal() else 0


def _digest(key: str, maker: str | int, scenario: str) -> str:
    """Return the id of a run; `scenario` is the stored canonical JSON, to the byte."""
    return sha256(f'{{"{key}":{json.dumps(maker)},"scenario":{scenario}}}'.encode()).hexdigest()

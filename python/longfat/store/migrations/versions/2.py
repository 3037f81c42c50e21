"""Schema 2: processes and their leases; the engine build of each run; indices."""

from alembic import op
from sqlalchemy import JSON, BigInteger, Column, ForeignKey, Integer, String

revision = "2"
down_revision = "1"


def upgrade() -> None:
    """Replace the list of running runs by leases, and add the build to runs."""
    op.add_column("runs", Column("build", String))
    op.drop_index("ix_runs_scenario_hash", "runs")
    op.create_index("ix_runs_cost", "runs", ["scenario_hash", "status", "wall_seconds"])
    op.create_index("ix_runs_maker", "runs", ["engine", "build", "scenario_hash"])
    op.create_index("ix_runs_status", "runs", ["run_id", "status"])
    op.drop_table("running")
    # Some stores of version 1 already have the indices.
    op.create_table(
        "completions",
        Column("run_id", String(64), ForeignKey("runs.run_id"), primary_key=True),
        Column("position", Integer, primary_key=True),
        Column("name", String, nullable=False),
        Column("measures", JSON, nullable=False),
        if_not_exists=True,
    )
    op.create_table(
        "workers",
        Column("worker", String, primary_key=True),
        Column("place", String, nullable=False),
        Column("pid", BigInteger, nullable=False),
        Column("born", BigInteger, nullable=False),
        Column("jobs", Integer, nullable=False),
        Column("beat", BigInteger, nullable=False),
        Column("heard_at", String, nullable=False),
    )
    op.create_table(
        "leases",
        Column("run_id", String(64), primary_key=True),
        Column("worker", String, ForeignKey("workers.worker", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("ix_leases_worker", "leases", ["worker"])

"""Schema 3: an index of runs by scenario hash, seed and replication replaces the one by cost."""

from alembic import op

revision = "3"
down_revision = "2"

KNOWN = ["engine", "scenario_hash", "seed", "replication", "status", "wall_seconds"]


def upgrade() -> None:
    """Replace the index."""
    op.drop_index("ix_runs_cost", "runs")
    op.create_index("ix_runs_planned", "runs", KNOWN)

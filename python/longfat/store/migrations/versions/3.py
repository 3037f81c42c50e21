"""Schema 3: an index of runs by what plans know of them, in place of the one by cost."""

from alembic import op

revision = "3"
down_revision = "2"

KNOWN = ["engine", "scenario_hash", "seed", "replication", "status", "wall_seconds"]


def upgrade() -> None:
    """Exchange the indices."""
    op.drop_index("ix_runs_cost", "runs")
    op.create_index("ix_runs_planned", "runs", KNOWN)

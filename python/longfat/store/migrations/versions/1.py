"""Schema 1: runs with their flows and ports, and the processes that run them.

The first released schema. Its stores were created whole, so there is nothing to do.
"""

revision = "1"
down_revision = None


def upgrade() -> None:
    """Do nothing: migrations begin here."""

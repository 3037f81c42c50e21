"""Schema 1: runs with their flows and ports, and who is running what.

The first schema that was released. Its stores were created whole, so there is nothing to do.
"""

revision = "1"
down_revision = None


def upgrade() -> None:
    """Do nothing: this is where migrations begin."""

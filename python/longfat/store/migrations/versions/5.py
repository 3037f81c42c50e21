"""Schema 5: digests of runs and of their parts, and control totals.

The digests are of what is stored now: they show damage from now on, and not of before.
"""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, String

from longfat.store.sealing import seal

revision = "5"
down_revision = "4"


def upgrade() -> None:
    """Add the digests and the totals, and compute them."""
    op.add_column("runs", Column("part_digests", String, nullable=False, server_default=""))
    op.add_column("runs", Column("digest", String(16), nullable=False, server_default=""))
    op.create_table(
        "series",
        Column("model", Integer, primary_key=True),
        Column("scenario_hash", String(64), primary_key=True),
        Column("seed", BigInteger, primary_key=True),
        Column("status", String, primary_key=True),
        Column("runs", BigInteger, nullable=False),
        Column("replications", BigInteger, nullable=False),
        Column("squares", BigInteger, nullable=False),
        Column("wall_microseconds", BigInteger, nullable=False),
    )
    seal(op.get_bind())

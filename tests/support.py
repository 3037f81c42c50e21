"""Helpers shared by test modules."""

import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from longfat.store.databases import store_at
from longfat.store.sealing import seal

Longfat = Callable[..., subprocess.CompletedProcess[str]]
"""The command line: arguments in, the ended process with its output out."""


def change(store: Path, statement: str, *values: object) -> None:
    """Change stored rows, and their digests with them, as only another program would."""
    with closing(sqlite3.connect(store)) as database, database:
        assert database.execute(statement, values).rowcount > 0
    engine = store_at(str(store)).open_for_writing()
    try:
        with engine.begin() as connection:
            seal(connection)
    finally:
        engine.dispose()

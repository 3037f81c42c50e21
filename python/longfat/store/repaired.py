"""A copy of a damaged SQLite store with the list of tables of a new store.

A store that this version of longfat created keeps the list on the pages on which every new store
has it, and its tables begin on the same pages. Of a store that was upgraded this does not hold: its
tables are then not found, and no row has its digest.
"""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

HEADER = 100
"""Bytes of the file's header on page 1."""

_FREE_LIST = slice(32, 40)
_CHANGES = slice(24, 28)
_PAGES = slice(28, 32)
_VALID_FOR = slice(92, 96)


def with_new_schema(damaged: Path, folder: Path, create: Callable[[Path], None]) -> Path:
    """Return a copy in a folder with the header and the list of tables of a store from `create`."""
    new, copy = folder / "new.db", folder / "copy.db"
    create(new)
    shutil.copyfile(damaged, copy)
    log = damaged.with_name(f"{damaged.name}-wal")
    if log.exists():
        shutil.copyfile(log, folder / "copy.db-wal")
    with closing(sqlite3.connect(new)) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        roots = {row[0] for row in database.execute("SELECT rootpage FROM sqlite_master")}
    pages = new.read_bytes()
    with copy.open("r+b") as file:
        file.seek(0, 2)
        count = max(-(-file.tell() // size), len(pages) // size)
        file.truncate(count * size)
        for number in range(1, len(pages) // size + 1):
            if number not in roots:
                page = bytearray(pages[(number - 1) * size : number * size])
                if number == 1:
                    _count_pages(page, count)
                file.seek((number - 1) * size)
                file.write(page)
    return copy


def _count_pages(page: bytearray, count: int) -> None:
    """Write the number of pages into the header on page 1, and that none is free."""
    page[_PAGES] = count.to_bytes(4, "big")
    page[_VALID_FOR] = page[_CHANGES]
    page[_FREE_LIST] = bytes(8)

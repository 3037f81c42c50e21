"""A throw-away PostgreSQL server from the machine's programs, on a socket that nobody else sees."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.waiting import ended, until

PLACES = ("/usr/local/bin", *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"))))
"""Folders of the programs besides PATH; Debian has one for each version."""


def program(name: str) -> str | None:
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", ""), *PLACES]))


def missing_programs() -> str:
    return ", ".join(name for name in ("initdb", "postgres") if program(name) is None)


@dataclass
class PostgresqlServer:
    sockets: Path
    process: subprocess.Popen[bytes]
    numbers: Iterator[int]

    @classmethod
    @contextmanager
    def started(cls, folder: Path) -> Iterator[Self]:
        """Make a cluster in a folder and serve it; the server refuses to be root."""
        who: dict[str, Any] = {"user": "nobody"} if os.geteuid() == 0 else {}
        # The path of a socket has at most 107 bytes.
        with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as short:
            sockets, data = Path(short), folder / "data"
            data.mkdir()
            if who:
                for path in (sockets, data):
                    os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)
                for path in (folder, *folder.parents):
                    if path.owner() == "root" and path.is_relative_to(tempfile.gettempdir()):
                        path.chmod(path.stat().st_mode | 0o011)
            options = ["--auth=trust", "--username=longfat", "--encoding=UTF8", "--no-sync"]
            make = [str(program("initdb")), "-D", str(data), *options]
            subprocess.run(make, check=True, capture_output=True, cwd=data, **who)
            settings = ["listen_addresses=", f"unix_socket_directories={sockets}", "fsync=off"]
            serve = [str(program("postgres")), "-D", str(data)]
            serve += [word for setting in settings for word in ("-c", setting)]
            with (folder / "log").open("wb") as log:
                process = subprocess.Popen(serve, stdout=log, stderr=log, cwd=data, **who)
            server = cls(sockets, process, count())
            try:
                until(server.answers, "the PostgreSQL server to answer")
                yield server
            finally:
                process.terminate()
                ended(process, "the PostgreSQL server")

    def url(self, name: str) -> str:
        return f"postgresql://longfat@/{name}?host={self.sockets}"

    def answers(self) -> bool:
        import psycopg

        assert self.process.poll() is None, "the PostgreSQL server ended"
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def create_database(self) -> str:
        import psycopg

        name = f"store{next(self.numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

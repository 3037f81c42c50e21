"""`longfat view` as a process of its own, as its users start it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from tests.waiting import PATIENCE_SECONDS, ended


@dataclass(frozen=True)
class Served:
    """A view that answers at `address`, which holds the token."""

    address: str
    process: subprocess.Popen[str]
    folder: Path

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        """The port it listens at."""
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def simulates(self) -> bool:
        """True while it runs a scenario for a page, whose traces are in a temporary folder."""
        return any(self.folder.glob("longfat-*"))

    @contextmanager
    def client(self) -> Iterator[httpx2.Client]:
        """A client that has opened the address."""
        with httpx2.Client(
            base_url=self.origin, follow_redirects=True, timeout=PATIENCE_SECONDS
        ) as client:
            assert client.get(self.address).status_code == 200
            yield client


@contextmanager
def served(program: Path, folder: Path, *arguments: str | Path) -> Iterator[Served]:
    """A view in a folder, at a free port; it must exit cleanly on a signal."""
    environment = {name: value for name, value in os.environ.items() if name != "LONGFAT_STORE"}
    environment["TMPDIR"] = str(folder)
    process = subprocess.Popen(
        [program, "view", "--port", "0", *arguments],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        if not address:
            raise AssertionError(process.communicate()[1])
        yield Served(address, process, folder)
    finally:
        process.send_signal(signal.SIGINT)
        ended(process, "the view")

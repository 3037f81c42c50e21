"""A view of a small study, part of which has been run; asked without a network."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from longfat.running.limits import Limits
from longfat.web.app import create_app
from longfat.web.guard import Hosts
from longfat.web.view import View
from tests.conftest import in_folder, write_study
from tests.started import Starter
from tests.web.serving import Served, served

HOST = "127.0.0.1:8747"
TOKEN = "a-token-for-tests"
LIMITS = Limits(events=50_000_000, wall_seconds=60, memory_bytes=2**29)

SMALL = {
    "duration": "50 ms",
    "topology.kind": "n-source",
    "topology.sources": "2",
    "topology.access.delay": "5 us",
    "topology.bottleneck.delay": "5 us",
    "port.buffer": "200 cells",
    "port.policy.kind": "selective-drop",
    "tcp.receiver_window": "65535 B",
}
"""A scenario that runs in a moment."""


@pytest.fixture(scope="session")
def kept(starter: Starter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study `small` and a store with half of its runs, made once."""
    folder = tmp_path_factory.mktemp("kept")
    study = write_study(folder / "small")
    run = in_folder(folder, starter)
    process = run("study", "run", study, "--where", "load = 'light'", "--jobs", "1")
    assert process.returncode == 0, process.stderr
    return folder


@pytest.fixture(scope="session")
def server(program: Path, kept: Path) -> Iterator[Served]:
    """A view that all tests look at; whoever changes the study or its store starts another."""
    with served(program, kept, kept / "longfat.db", "--study", kept / "small") as server:
        yield server


@pytest.fixture
def store(kept: Path, study_folder: Path, tmp_path: Path) -> str:
    """The store of the study `small` with half of its runs, beside the study."""
    assert study_folder.parent == tmp_path
    return str(shutil.copy(kept / "longfat.db", tmp_path))


@pytest.fixture
def view(study_folder: Path, tmp_path: Path) -> View:
    """A view of a store that does not exist."""
    return View(str(tmp_path / "longfat.db"), [str(study_folder)], LIMITS, TOKEN)


@pytest.fixture
def stranger(view: View) -> Iterator[TestClient]:
    """A client without the token."""
    with TestClient(
        create_app(view, Hosts("127.0.0.1", 8747)),
        base_url=f"http://{HOST}",
        follow_redirects=False,
    ) as client:
        yield client


@pytest.fixture
def client(stranger: TestClient) -> TestClient:
    """A client that has opened the address with the token."""
    assert stranger.get(f"/?token={TOKEN}").status_code == 303
    return stranger


def played(client: TestClient, settings: dict[str, str]) -> tuple[int, dict[str, Any]]:
    """Status and JSON of the answer to a scenario of a playground."""
    answer = client.post("/api/play", json={"page": "a page", "settings": settings})
    return answer.status_code, answer.json()

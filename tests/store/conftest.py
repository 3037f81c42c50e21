"""Fixtures that run each test with every kind of store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.server import PostgresqlServer, missing_programs


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresqlServer]:
    """A PostgreSQL server of our own, as long as the tests last."""
    if missing := missing_programs():
        pytest.skip(f"no PostgreSQL server on this machine: {missing} not found")
    with PostgresqlServer.started(tmp_path_factory.mktemp("postgresql")) as server:
        yield server


@pytest.fixture
def database(server: PostgresqlServer) -> str:
    """The URL of an empty database."""
    return server.create_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a store may be created."""
    if request.param == "sqlite":
        return str(tmp_path / "store.db")
    url: str = request.getfixturevalue("database")
    return url

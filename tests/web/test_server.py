"""The server on a real socket: untrusted requests, and requests at the same time."""

import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

import httpx2
import pytest

from longfat.running.limits import Limits
from longfat.web.server import names_of
from longfat.web.view import MOST_EVENTS, MOST_MEMORY_BYTES, MOST_WALL_SECONDS
from tests.support import Longfat
from tests.waiting import PATIENCE_SECONDS, ended, until
from tests.web.conftest import SMALL
from tests.web.serving import Served, served


@pytest.fixture
def server(program: Path, study_folder: Path, tmp_path: Path) -> Iterator[Served]:
    with served(program, tmp_path, "--study", study_folder) as server:
        yield server


@pytest.fixture
def unlimited(program: Path, study_folder: Path, tmp_path: Path) -> Iterator[Served]:
    """A server whose runs have no time limit."""
    with served(program, tmp_path, "--study", study_folder, *UNLIMITED) as server:
        yield server


UNLIMITED = ("--limit", "events=none", "--limit", "wall=none")


def sent(server: Served, data: bytes) -> bytes:
    """The server's complete response to these bytes."""
    with socket.create_connection(
        ("127.0.0.1", server.port), timeout=PATIENCE_SECONDS
    ) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
                if b"\r\n\r\n" in answer:
                    break
        except (TimeoutError, ConnectionResetError):
            pass
        return answer


def test_bytes_that_are_no_request_get_400_and_the_server_stays(server: Served) -> None:
    for data in (
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n: nothing\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ):
        status = sent(server, data).split(b" ")[1:2]
        assert status
        assert status[0].startswith(b"4"), data[:60]
    with server.client() as client:
        assert client.get("/").status_code == 200


def test_slow_strangers_keep_nobody_out_and_are_disconnected(server: Served) -> None:
    slow = []
    for _ in range(70):
        connection = socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a: ")
        slow.append(connection)
    with server.client() as client:
        assert client.get("/").status_code == 200
    for connection in slow:
        with connection, suppress(ConnectionResetError):
            assert connection.recv(1000) == b""


def test_a_server_of_all_addresses_prints_those_that_lead_to_it(
    program: Path, study_folder: Path, tmp_path: Path
) -> None:
    with served(program, tmp_path, "--study", study_folder, "--host", "0.0.0.0") as server:
        with server.client() as client:
            assert client.get("/").status_code == 200
        for name in names_of("0.0.0.0"):
            address = server.address.replace("127.0.0.1", name)
            assert httpx2.get(address, follow_redirects=True).status_code == 200


def test_a_page_hears_of_runs_as_they_end(
    server: Served, longfat: Longfat, study_folder: Path
) -> None:
    def run() -> None:
        longfat("study", "run", study_folder, "--jobs", "1")

    with server.client() as client:
        states = [client.get("/api/studies/small/state").json()]
        thread = Thread(target=run)
        thread.start()

        def all_have_ended() -> bool:
            states.append(client.get("/api/studies/small/state").json())
            return bool(states[-1]["missing"] + states[-1]["running"] == 0)

        until(all_have_ended, "the page to hear of every run")
        thread.join()
    assert states[0]["done"] == 0
    assert states[-1]["done"] == states[-1]["runs"] > 0


def ask_for_a_long_run(client: httpx2.Client) -> int | None:
    """The server's response to the page `one`, if any."""
    # Hours of work, which something must break off.
    long = {
        **SMALL,
        "duration": "1000000 s",
        "topology.sources": "15",
        "port.buffer": "12000 cells",
    }
    try:
        document = {"page": "one", "settings": long}
        return client.post("/api/play", json=document).status_code
    except httpx2.TransportError:
        return None


def test_a_page_that_asks_again_does_not_wait_for_what_it_asked_before(unlimited: Served) -> None:
    outcomes: list[int | None] = []

    def ask_long() -> None:
        with unlimited.client() as client:
            outcomes.append(ask_for_a_long_run(client))

    with unlimited.client() as client:
        thread = Thread(target=ask_long)
        thread.start()
        until(unlimited.simulates, "the long run to begin")
        document = {"page": "one", "settings": SMALL}
        assert client.post("/api/play", json=document).status_code == 200
        thread.join()
    assert outcomes == [409]


def test_many_requests_at_once_are_answered_or_asked_to_try_again(server: Served) -> None:
    statuses: list[int] = []

    def ask(page: int) -> None:
        with httpx2.Client(
            base_url=server.origin, timeout=PATIENCE_SECONDS, follow_redirects=True
        ) as client:
            try:
                client.get(server.address)
                document = {"page": str(page), "settings": SMALL}
                statuses.append(client.post("/api/play", json=document).status_code)
            except httpx2.TransportError:
                statuses.append(0)

    threads = [Thread(target=ask, args=(page,)) for page in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(statuses) == 40
    assert statuses.count(200) >= 20
    assert set(statuses) <= {200, 401, 503}
    with server.client() as client:
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_even_while_a_page_waits_for_a_run(
    number: signal.Signals, code: int, program: Path, study_folder: Path, tmp_path: Path
) -> None:
    with (
        served(program, tmp_path, "--study", study_folder, *UNLIMITED) as server,
        server.client() as client,
    ):
        outcomes: list[int | None] = []
        thread = Thread(target=lambda: outcomes.append(ask_for_a_long_run(client)))
        thread.start()
        until(server.simulates, "the long run to begin")
        server.process.send_signal(number)
        thread.join()
        ended(server.process, "the view after a signal")
        assert server.process.returncode in (code, -number)
    assert 200 not in outcomes, "the run went on to its end"


def test_a_port_that_is_taken_is_reported(longfat: Longfat, server: Served) -> None:
    process = longfat("view", "--port", str(server.port))
    assert process.returncode == 2
    assert f"port {server.port}: Address already in use" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--study", "nowhere"], "nowhere: no shipped study of this name"),
        (["--limit", "events=many"], "--limit events=many: expected"),
        (["mysql://a/b"], "a store is given as PATH"),
    ],
)
def test_data_that_cannot_be_shown_is_reported_before_anything_is_served(
    longfat: Longfat, arguments: list[str], message: str
) -> None:
    process = longfat("view", "--port", "0", *arguments)
    assert process.returncode == 2
    assert message in process.stderr
    assert process.stdout == ""


def test_its_help_lists_the_limits_of_the_runs_of_a_page(longfat: Longfat) -> None:
    told = " ".join(longfat("view", "--help").stdout.split())
    (defaults,) = re.findall(r"may be repeated\. \[default: (events=.*?)\]", told)
    limits = Limits().changed(shlex.split(defaults.replace(",", "")))
    assert limits == Limits(MOST_EVENTS, MOST_WALL_SECONDS, MOST_MEMORY_BYTES)


def test_without_its_libraries_it_says_how_to_get_them(program: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "uvicorn.py").write_text("raise ModuleNotFoundError(name='uvicorn')")
    process = subprocess.run(
        [program, "view", "--port", "0"],
        env={"PYTHONPATH": str(hidden)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    assert process.returncode == 2
    assert "pip install 'longfat[ui]'" in process.stderr

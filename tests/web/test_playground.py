"""The playground runs the requested scenario within limits, and cancels abandoned runs."""

import asyncio
import os
import signal
import time
import tomllib
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.running.limits import Limits
from longfat.web.desk import Crowded, Desk, Superseded
from longfat.web.errand import MOST_KEPT_BYTES, Errand, Work, Workers
from longfat.web.playground import play
from tests.waiting import PATIENCE_SECONDS, until
from tests.web.conftest import SMALL, played


def test_a_run_of_the_playground_is_the_run_of_its_file(client: TestClient) -> None:
    status, answer = played(client, SMALL)
    assert status == 200
    file = client.get("/play/scenario.toml", params=SMALL)
    assert file.headers["content-disposition"] == 'attachment; filename="scenario.toml"'
    record = run(load_scenario(tomllib.loads(file.text)))
    for name in ("run_id", "fingerprint", "metrics", "flows", "ports"):
        assert answer[name] == record[name]
    shares = {entry["cause"]: entry["share"] for entry in answer["ledger"]}
    assert shares["useful"] == record["metrics"]["share_useful"]
    assert [chart["name"] for chart in answer["charts"]] == ["cwnd", "queue", "goodput"]
    assert all(chart["series"] for chart in answer["charts"])


def test_flow_times_are_reported_by_class(client: TestClient) -> None:
    flows = {
        "traffic.kind": "flows",
        "traffic.interval": "5 ms",
        "traffic.size.kind": "fixed",
        "traffic.size.size": "2 kB",
    }
    status, answer = played(client, SMALL | flows)
    assert status == 200, answer
    kinds = {kind["name"]: kind for kind in answer["completions"]}
    assert {"flow", "flow up to 10 kB"} <= kinds.keys()
    assert kinds["flow"]["asked"] >= kinds["flow"]["delivered"] > 0
    assert 0 < kinds["flow"]["time_p50_s"] <= kinds["flow"]["time_max_s"] < 0.05
    assert played(client, SMALL)[1]["completions"] == []


def test_two_equal_requests_get_equal_charts(client: TestClient) -> None:
    first, second = (played(client, SMALL)[1] for _ in range(2))
    assert first["charts"] == second["charts"]


def test_wrong_settings_are_reported_with_their_paths(client: TestClient) -> None:
    status, answer = played(client, {**SMALL, "port.buffer": "many"})
    assert status == 422
    assert "port.buffer: expected a number of cells" in answer["problems"][0]
    assert client.get("/play/scenario.toml", params={"a b": "1"}).status_code == 422


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"duration": "1000 h"}, "duration: a run would take about"),
        (
            {
                "topology.bottleneck.delay": "50 s",
                "duration": "200 s",
                "tcp.receiver_window": "1000000000 B",
                "tcp.initial_window": "1000000000 B",
            },
            "of memory; the limit is",
        ),
        ({"topology.sources": "100000"}, "topology.sources: 100,000 connections; a page shows"),
    ],
)
def test_no_request_may_ask_for_more_than_the_limits(
    client: TestClient, changes: dict[str, str], message: str
) -> None:
    status, answer = played(client, {**SMALL, **changes})
    assert status == 422
    assert message in answer["problems"][0]


def test_a_run_that_exceeds_its_time_is_stopped_and_reported(tmp_path: Path) -> None:
    limits = Limits(events=10**9, wall_seconds=0.01, memory_bytes=2**30)
    with pytest.raises(Exception, match="wall") as caught:
        play({**SMALL, "duration": "20 s"}, limits, tmp_path)
    assert "limit" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[" * 50_000, "application/json", 400),
        (b"\xff\xfe{}", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}", "text/plain", 400),
        (b'{"page": "p"}', "application/json", 400),
        (b'{"page": "p", "settings": []}', "application/json", 400),
        (b'{"page": "p", "settings": {"seed": 1}}', "application/json", 400),
        (b'{"page": "p", "settings": {"seed": "\\ud800"}}', "application/json", 400),
        (b'{"page": 1, "settings": {}}', "application/json", 400),
        (b'{"settings": {}}', "application/json", 400),
        (b'{"page": "p", "settings": {}}', "application/json", 422),
        (b'{"page": "p", "settings": {"seed": "' + b"9" * 20_000 + b'"}}', "application/json", 422),
        (b'{"page": "p", "settings": {"seed": "' + b"[" * 20_000 + b'"}}', "application/json", 422),
    ],
)
def test_what_makes_no_sense_is_refused_and_the_server_stays(
    client: TestClient, content: bytes, kind: str, status: int
) -> None:
    answer = client.post("/api/play", content=content, headers={"Content-Type": kind})
    assert answer.status_code == status
    assert answer.json()["problems"]
    assert played(client, SMALL)[0] == 200


def _run(scene: Coroutine[Any, Any, Any]) -> Any:
    """Run to its end, in a thread of its own: a browser of other tests may hold this one's loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, scene).result()


async def _forever_here() -> bool:
    return False


LIMITED = Limits(wall_seconds=1.0, memory_bytes=2**29)


def _waits(_: Path) -> None:
    """Work that never ends, inside one step, as far as the server knows."""
    while True:
        time.sleep(3600)


def _done(_: Path) -> str:
    return "done"


def _marks(folder: Path, marks: Path) -> tuple[int, str]:
    """Say how many did this at the same time; the first waits for a second."""
    mark = marks / folder.name
    mark.touch()
    have_met = marks.with_name("have-met")
    until(lambda: len([*marks.iterdir()]) > 1 or have_met.exists(), "a second run")
    together = len([*marks.iterdir()])
    have_met.touch()
    time.sleep(0.01)
    mark.unlink()
    return together, folder.name


def _dies(_: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _takes_memory(_: Path) -> int:
    return len(bytes(2**31))


def test_the_latest_request_of_a_page_calls_off_the_one_before() -> None:
    async def scene() -> list[Any]:
        desk = Desk(at_a_time=1)
        first = asyncio.create_task(desk.carry_out("a", _waits, _forever_here))
        await asyncio.sleep(0)  # the first is begun
        second = desk.carry_out("a", _done, _forever_here)
        return [*await asyncio.gather(first, second, return_exceptions=True)]

    first, second = _run(scene())
    assert isinstance(first, Superseded)
    assert second == "done"


def test_what_nobody_waits_for_is_called_off() -> None:
    async def gone() -> bool:
        return True

    with pytest.raises(Superseded):
        _run(Desk(at_a_time=1).carry_out("a", _waits, gone))


def test_no_more_runs_go_on_at_a_time_than_allowed_and_no_more_wait(tmp_path: Path) -> None:
    async def scene() -> list[Any]:
        desk = Desk(at_a_time=2, most_waiting=32)
        (marks := tmp_path / "marks").mkdir()
        work = partial(_marks, marks=marks)
        errands = [desk.carry_out(str(page), work, _forever_here) for page in range(40)]
        return await asyncio.gather(*errands, return_exceptions=True)

    results = _run(scene())
    assert max(result[0] for result in results if not isinstance(result, Crowded)) == 2
    assert sum(isinstance(result, Crowded) for result in results) == 40 - 32


def test_runs_that_take_long_leave_their_places_to_others() -> None:
    async def scene() -> Any:
        desk = Desk(at_a_time=2)
        heavy = [asyncio.create_task(desk.carry_out(p, _waits, _forever_here)) for p in "ab"]
        answer = await desk.carry_out("c", _done, _forever_here)
        still = [task.done() for task in heavy]
        desk.close()
        await asyncio.gather(*heavy, return_exceptions=True)
        return answer, still

    assert _run(scene()) == ("done", [False, False])


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (_waits, "stopped at its limit of 1 s"),
        (_dies, "ended before the run"),
        (_takes_memory, "more memory"),
    ],
)
def test_work_that_cannot_be_stopped_from_within_ends_its_own_process_only(
    work: Work, message: str
) -> None:
    async def scene() -> Any:
        desk = Desk(at_a_time=1, limits=LIMITED)
        with pytest.raises(LongfatError, match=message):
            await desk.carry_out("a", work, _forever_here)
        return await desk.carry_out("a", _done, _forever_here)

    assert _run(scene()) == "done"


def test_no_process_and_no_file_is_left_of_a_run_that_is_called_off() -> None:
    with closing(Workers(LIMITED)) as workers:
        with Errand(_waits, workers) as errand:
            folder, process = Path(errand.folder.name), errand.process
            assert process.is_alive()
        assert not process.is_alive()
        assert not folder.exists()


def _process_of(_: Path) -> int:
    return os.getpid()


def _needs_much(_: Path) -> int:
    return len(bytearray(b"x" * MOST_KEPT_BYTES)) and os.getpid()


async def _answers(works: Sequence[Work], studies: Sequence[str] = ()) -> list[Any]:
    """The answers to works that come one after the other."""
    with closing(Desk(at_a_time=1, studies=studies)) as desk:
        return [await desk.carry_out("a", work, _forever_here) for work in works]


def test_a_process_serves_again_unless_its_run_needed_much_memory() -> None:
    works = [_process_of, _needs_much, _process_of, _process_of]
    first, second, third, fourth = _run(_answers(works))
    assert first == second
    assert third == fourth != first


def test_runs_with_controls_of_users_have_a_new_process_each(study_folder: Path) -> None:
    first, second = _run(_answers([_process_of, _process_of], [str(study_folder)]))
    assert first != second


def test_a_process_that_ended_while_it_waited_is_replaced() -> None:
    async def scene() -> list[Any]:
        with closing(Workers()) as workers:
            answers = []
            for _ in range(2):
                with Errand(_process_of, workers) as errand:
                    assert await errand.is_done(PATIENCE_SECONDS)
                    answers.append(errand.answer())
                    process = errand.process
                process.kill()
                process.join()
        return answers

    first, second = _run(scene())
    assert first != second


def test_a_page_that_must_wait_is_informed(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crowded(*_: object) -> None:
        raise Crowded

    monkeypatch.setattr(Desk, "carry_out", crowded)
    status, answer = played(client, SMALL)
    assert status == 503
    assert "try again" in answer["problems"][0]


def test_the_settings_of_a_preset_are_shown_as_in_force(client: TestClient) -> None:
    plain = played(client, SMALL)[1]["in_force"]
    assert plain["tcp.initial_window"] == "1 MSS"
    linux = {**SMALL, "tcp.preset": "linux-like", "tcp.mss": "1000 B"}
    status, answer = played(client, linux)
    assert status == 200, answer
    held = answer["in_force"]
    assert held["tcp.initial_window"] == "10 MSS"
    assert held["tcp.mss"] == "1000 B"
    assert held["traffic.stagger"] == "0 s"
    assert answer["travels_whole"] is False
    whole = played(client, {**SMALL, "framing": "packet", "port.buffer": "20 packets"})
    assert whole[1]["travels_whole"] is True

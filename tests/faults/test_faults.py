"""Faults strike a study. `tests.faults.bench` has the laws that must hold after each of them."""

import json
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest

from longfat import _engine
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Threads
from longfat.store import Store
from tests.conftest import mount
from tests.faults.bench import Bench
from tests.faults.conftest import FULL
from tests.faults.damage import answers
from tests.waiting import PATIENCE_SECONDS, ended, until

KILLS = 100 if FULL else 3
FLIPS = 1000 if FULL else 60
TIMES_GONE = 5 if FULL else 1
"""Each of the ways to lose a store."""
JUMPS = 20 if FULL else 1

FEW_PAGES = 100 * 1024
"""Room for the tables of a store and some runs."""


def wait_for_runs(bench: Bench, store: Path, process: subprocess.Popen[str]) -> set[str]:
    """Wait until a run is acknowledged; the ones that are."""

    def acknowledged() -> set[str]:
        assert process.poll() is None, process.stderr and process.stderr.read()
        return bench.acknowledged(store)

    return until(acknowledged, "the first acknowledged run")


def stop_readable(process: subprocess.Popen[str], store: Path) -> None:
    """Stop a process where it does not keep readers out: in a commit it has the store locked."""

    def is_readable() -> bool:
        process.send_signal(signal.SIGSTOP)
        with closing(sqlite3.connect(store, timeout=0)) as database:
            try:
                database.execute("SELECT count(*) FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:
                process.send_signal(signal.SIGCONT)
                return False
        return True

    until(is_readable, "the process outside of a commit")


def test_killed_at_random_moments(bench: Bench, tmp_path: Path) -> None:
    moments = random.Random(9)
    number = 0
    for kill in range(KILLS):
        store = tmp_path / f"{number}.db"
        process = bench.start(store)
        if kill % 5 == 0:  # anywhere, even while the store is being created
            time.sleep(moments.uniform(0, 1.5))
        else:
            wait_for_runs(bench, store, process)
            time.sleep(moments.uniform(0, 0.5))
        acknowledged = bench.acknowledged(store)
        process.kill()
        _, talk = process.communicate()
        bench.struck("kill -9", store, acknowledged, talk)
        if len(acknowledged) > len(bench.plan.distinct) / 2:
            bench.finish(store)
            number += 1
    bench.finish(tmp_path / f"{number}.db")


@pytest.mark.parametrize(
    ("fault", "strike"),
    [
        ("store deleted", Path.unlink),
        ("folder deleted", lambda file: shutil.rmtree(file.parent)),
        ("store moved", lambda file: file.rename(file.with_name("elsewhere.db"))),
        ("store replaced", lambda file: file.with_name("other.db").rename(file)),
    ],
)
def test_the_store_goes_away(
    bench: Bench, tmp_path: Path, fault: str, strike: Callable[[Path], object]
) -> None:
    moments = random.Random(fault)
    number = struck = 0
    while struck < TIMES_GONE:
        number += 1
        store = tmp_path / str(number) / "longfat.db"
        store.parent.mkdir()
        with Store.writable(str(store.with_name("other.db"))):
            pass
        process = bench.start(store)
        wait_for_runs(bench, store, process)
        time.sleep(moments.uniform(0, 0.3))
        stop_readable(process, store)
        if bench.acknowledged(store) == bench.plan.distinct.keys():  # too late
            process.kill()
            process.communicate()
            continue
        strike(store)
        process.send_signal(signal.SIGCONT)
        bench.gone(fault, process, store)
        struck += 1


def test_bits_flip(bench: Bench, store: Path, tmp_path: Path) -> None:
    assert bench.run(store).returncode == 0
    right = answers(store, bench.plan)
    chance = random.Random(9)
    for number in range(FLIPS):
        bench.flipped(store, tmp_path / f"damaged-{number}.db", right, chance)
        (tmp_path / f"damaged-{number}.db").unlink()


@pytest.mark.parametrize("times", [1, 2, 50], ids=["once", "twice", "for a second"])
def test_interrupted_from_the_keyboard(bench: Bench, store: Path, times: int) -> None:
    process = bench.start(store)
    acknowledged = wait_for_runs(bench, store, process)
    for _ in range(times):
        process.send_signal(signal.SIGINT)  # none is sent any more once the process has ended
        time.sleep(0.02)
    _, talk = ended(process, "the study after Ctrl-C")
    assert process.returncode == 128 + signal.SIGINT
    bench.struck(f"Ctrl-C x {times}", store, acknowledged, talk)
    bench.finish(store)


def test_the_disk_is_full(bench: Bench, small_disk: Path) -> None:
    store = small_disk / "longfat.db"
    subprocess.run(["mount", "-o", f"remount,size={FEW_PAGES}", small_disk], check=True)
    run = bench.run(store)
    assert run.returncode == 2, run
    assert "full" in run.stderr or "disk I/O error" in run.stderr
    bench.struck("full disk", store, bench.acknowledged(store), run.stderr)
    subprocess.run(["mount", "-o", "remount,size=16m", small_disk], check=True)
    bench.finish(store)


def test_files_may_not_grow(bench: Bench, store: Path) -> None:
    """A quota, for machines on which nobody may mount a small disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FEW_PAGES, before[1]))
    try:
        run = bench.run(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert run.returncode == 2, run
    bench.struck("quota", store, bench.acknowledged(store), run.stderr)
    bench.finish(store)


def test_the_store_is_read_only(bench: Bench, small_disk: Path) -> None:
    store = small_disk / "longfat.db"
    subprocess.run(["mount", "-o", "remount,size=16m", small_disk], check=True)
    process = bench.start(store)
    acknowledged = wait_for_runs(bench, store, process)
    process.kill()
    process.communicate()
    assert mount("-o", "remount,ro", str(small_disk))
    run = bench.run(store)
    assert run.returncode == 2, run
    bench.struck("read-only store", store, acknowledged, run.stderr)
    assert mount("-o", "remount,rw", str(small_disk))
    bench.finish(store)


def test_one_of_two_processes_dies(bench: Bench, store: Path) -> None:
    doomed = bench.start(store, "--jobs", "1")
    acknowledged = wait_for_runs(bench, store, doomed)
    other = bench.start(store, "--jobs", "1")
    doomed.kill()
    doomed.communicate()
    _, talk = ended(other, "the process that is left")
    assert other.returncode == 0, talk
    bench.struck("a worker dies", store, acknowledged, talk)
    bench.finish(store)


@pytest.mark.parametrize(
    ("limit", "exit_code", "said"),
    [
        ("wall=0.02 s", 1, "stopped at its limit of 0.02 s"),
        # What is estimated to exceed these is refused before anything runs.
        ("events=1000", 2, "--limit events"),
        ("memory=1 kB", 2, "--limit memory"),
    ],
)
def test_runs_meet_their_limits(
    bench: Bench, store: Path, limit: str, exit_code: int, said: str
) -> None:
    run = bench.run(store, "--limit", limit)
    assert run.returncode == exit_code, run
    assert said in run.stderr
    bench.struck(f"limit {limit.partition('=')[0]}", store, bench.acknowledged(store), run.stderr)
    bench.finish(store)


Report = Callable[[list[tuple[int, str]], float], object]


def test_runs_panic(bench: Bench, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No known input makes the engine panic, so its answer is replaced."""
    run_batch = _engine.run_batch
    panic = json.dumps({"failure": "the engine panicked: index out of bounds"})

    def batch(resolved: Sequence[str], jobs: int, report: Report, *others: Any) -> None:
        def relay(finished: list[tuple[int, str]], seconds: float) -> None:
            told = [(index, panic if index % 3 == 0 else text) for index, text in finished]
            report(told, seconds)

        run_batch(resolved, jobs, relay, *others)

    monkeypatch.setattr(_engine, "run_batch", batch)
    with Store.writable(str(store)) as opened:
        progress = run_campaign(
            missing_runs(bench.plan, opened), opened, Threads(1), lambda _: None
        )
    monkeypatch.undo()
    assert progress.failed == 5
    assert len(bench.acknowledged(store)) == 10
    bench.struck("a run panics", store, bench.acknowledged(store))
    bench.finish(store)


class JumpingClock(datetime):
    """A system clock that jumps at every reading."""

    chance = random.Random(9)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "JumpingClock":
        days = cls.chance.uniform(-10_000, 10_000)
        return cls.fromtimestamp(time.time(), tz or UTC) + timedelta(days=days)


@pytest.fixture
def jumping_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in ("running.execution", "store", "store.leasing"):
        monkeypatch.setattr(f"longfat.{module}.datetime", JumpingClock)
    yield
    monkeypatch.undo()


@pytest.mark.usefixtures("jumping_clock")
def test_the_clock_jumps(bench: Bench, tmp_path: Path) -> None:
    for number in range(JUMPS):
        store = tmp_path / f"{number}.db"
        with Store.writable(str(store)) as opened:
            progress = run_campaign(
                missing_runs(bench.plan, opened), opened, Threads(2), lambda _: None
            )
            seconds = opened.mean_wall_seconds().values()
        assert (progress.finished, progress.failed) == (len(bench.plan.distinct), 0)
        assert all(0 <= mean < PATIENCE_SECONDS for mean in seconds), (
            "a clock of the day measured the runs"
        )
        bench.struck("clock jumps", store, bench.acknowledged(store))
        bench.finish(store)

"""Processes that share a study: one leases each run, and another does if that one dies."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from longfat.store import Store
from longfat.store.worker import LEASE_SECONDS, Watch, Worker

Open = Callable[[], Store]

NOTHING_RETRIED: frozenset[str] = frozenset()


class Clock:
    """A monotonic clock that tests set."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def opened(location: str) -> Iterator[Open]:
    """Another process that works on the same store."""
    stores = []

    def open_store() -> Store:
        store = Store.writable(location)
        stores.append(store)
        return store

    yield open_store
    for store in stores:
        with store:
            pass


def on_another_machine(store: Store) -> Store:
    """The store as used by a process whose process id is meaningless here."""
    store._worker = replace(store._worker, place="another machine")  # noqa: SLF001
    return store


def watched_by(store: Store, clock: Clock) -> Store:
    store._watch = Watch(clock)  # noqa: SLF001
    return store


def lease(store: Store, run_ids: str, count: int = 100) -> str:
    return "".join(store.lease(list(run_ids), count, NOTHING_RETRIED).mine)


def test_a_run_is_taken_on_by_one_process_only(opened: Open) -> None:
    first, second = opened(), opened()
    assert lease(first, "abcd", 2) == "ab"
    assert lease(second, "abcd", 3) == "cd"
    assert lease(first, "abcd") == ""


def test_runs_are_taken_on_in_their_order(opened: Open) -> None:
    first, second = opened(), opened()
    assert lease(first, "dbca", 2) == "db"
    assert lease(second, "dbca", 1) == "c"


def test_what_is_released_can_be_taken_on(opened: Open) -> None:
    first, second = opened(), opened()
    assert lease(first, "ab") == "ab"
    first.release()
    assert lease(second, "ab") == "ab"


def test_a_silent_process_loses_its_runs_after_a_lease_and_not_before(opened: Open) -> None:
    clock = Clock()
    silent, other = on_another_machine(opened()), watched_by(opened(), clock)
    assert lease(silent, "ab") == "ab"
    assert lease(other, "ab") == ""
    clock.seconds += LEASE_SECONDS - 1
    assert lease(other, "ab") == ""
    clock.seconds += 1
    assert lease(other, "ab") == "ab"


def test_a_process_that_speaks_keeps_its_runs_for_ever(opened: Open) -> None:
    clock = Clock()
    busy, other = on_another_machine(opened()), watched_by(opened(), clock)
    assert lease(busy, "a") == "a"
    for _ in range(5):
        clock.seconds += LEASE_SECONDS / 2
        busy.write([])
        assert lease(other, "a") == ""


@pytest.mark.parametrize("years", [-30, 30])
def test_a_clock_of_the_day_that_jumps_decides_nothing(
    opened: Open, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    clock = Clock()
    busy, other = on_another_machine(opened()), watched_by(opened(), clock)
    assert lease(busy, "a") == "a"
    with monkeypatch.context() as jumped:
        then = f"{2026 + years}-01-01T00:00:00.000+00:00"
        jumped.setattr("longfat.store.leasing.moment_text", lambda _moment: then)
        busy.write([])
        assert lease(other, "a") == ""
        clock.seconds += LEASE_SECONDS
        busy.write([])
        assert lease(other, "a") == ""
    clock.seconds += LEASE_SECONDS
    assert lease(other, "a") == "a"


def test_a_process_given_up_for_dead_goes_on_under_its_name(opened: Open) -> None:
    clock = Clock()
    slow, other = on_another_machine(opened()), watched_by(opened(), clock)
    assert lease(slow, "a") == "a"
    lease(other, "a")
    clock.seconds += LEASE_SECONDS
    assert lease(other, "a") == "a"
    slow.write([])  # it was only slow
    assert lease(slow, "ab") == "b"


def test_a_process_given_up_for_dead_takes_on_runs_before_it_has_spoken(opened: Open) -> None:
    clock = Clock()
    slow, other = on_another_machine(opened()), watched_by(opened(), clock)
    assert lease(slow, "a") == "a"
    lease(other, "a")
    clock.seconds += LEASE_SECONDS
    assert lease(other, "a") == "a"
    assert lease(slow, "ab") == "b"


def test_a_process_whose_disk_stood_still_for_longer_than_a_lease_is_not_dead_to_itself(
    opened: Open,
) -> None:
    clock = Clock()
    slow = watched_by(on_another_machine(opened()), clock)
    assert lease(slow, "abc", 1) == "a"
    clock.seconds += LEASE_SECONDS
    assert lease(slow, "abc", 1) == "b"
    assert lease(opened(), "abc") == "c", "and it has what it had"


def test_a_process_never_takes_itself_for_dead(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened()
    monkeypatch.setattr(Worker, "is_gone", lambda _worker: True)
    assert lease(store, "a") == "a"


DIES_WITH_A_CLAIM = """\
import os, sys
from longfat.store import Store
store = Store.writable(sys.argv[1])
assert store.lease(["a"], 1, frozenset()).mine == ["a"]
print("leased", flush=True)
os._exit(9)
"""


def test_a_process_that_was_killed_here_holds_nothing_up(opened: Open, location: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", DIES_WITH_A_CLAIM, location], capture_output=True, text=True
    )
    assert ended.stdout == "leased\n"
    assert lease(opened(), "a") == "a"


def test_this_process_lives_and_one_that_never_was_does_not() -> None:
    worker = Worker.here()
    assert not worker.is_gone()
    assert replace(worker, born=worker.born + 1).is_gone(), "the process id was used again"
    assert replace(worker, pid=2**22 + 1).is_gone(), "beyond the largest process id of Linux"
    assert not replace(worker, pid=2**22 + 1, place="another machine").is_gone()
    assert not replace(worker, pid=2**22 + 1, place="").is_gone()

"""Execution of resolved scenarios by the engine, with a clean stop on a signal."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from longfat import _engine
from longfat.base.errors import DriverUnfit, Interrupted
from longfat.base.stopping import requested_stop
from longfat.records.record import Record
from longfat.running.machine import cores

Driver = Literal["fast", "events"]
"""Driver of the engine: "fast", used where its results are identical, or "events"."""


@dataclass(frozen=True)
class Outcome:
    """The end of the run at `index` of a batch: a record, or the message of its failure.

    `started` and `ended` are accurate to the interval of the engine's reports.
    """

    index: int
    record: Record | None
    failure: str | None
    started: datetime
    ended: datetime


@dataclass(frozen=True)
class Watch:
    """Outputs of a run besides its record.

    `traces` is the folder for traces and `names` selects them, all if empty; `error` is the
    tolerance of a value as a share of its scale (0 keeps every change, None is 0.005), and
    `interval_ps` the length in picoseconds of the intervals in which cells and bytes are counted (a
    thousandth of the run if None). `pcap` is the file for a packet capture.
    """

    traces: Path | None = None
    names: Sequence[str] = ()
    error: float | None = None
    interval_ps: int | None = None
    pcap: Path | None = None


@dataclass
class Progress:
    """Progress of some runs; `elsewhere` counts those that other processes have finished."""

    runs: int
    simulated_seconds_total: float
    finished: int = 0
    failed: int = 0
    elsewhere: int = 0
    simulated_seconds: float = 0.0


Report = Callable[[list[Outcome], float], None]
"""Called about ten times a second with new outcomes and the total of simulated seconds so far."""


More = Callable[[int], list[str]]
"""Called when few runs wait for a core, with their number; returns runs to append."""


EngineLimits = tuple[int | None, float | None, int | None]
"""Limits of a run: events, wall time in s, memory in bytes; None for no limit."""

NO_LIMITS: EngineLimits = (None, None, None)


class Executor(Protocol):
    """Runs batches: by the threads of this process, or on a cluster."""

    cores: int
    """Number of runs simulated at the same time."""

    ahead_seconds: float
    """Queued work per core, in seconds."""

    def execute(
        self, resolved: Sequence[str], report: Report, more: More, limits: EngineLimits
    ) -> None:
        """Run a batch as the function `execute` does."""


class Threads:
    """The engine's threads in this process.

    The queue covers one interval of the engine's reports: other processes wait for no more if this
    one is killed.
    """

    ahead_seconds = 2.0

    def __init__(self, cores: int) -> None:
        self.cores = cores

    def execute(
        self, resolved: Sequence[str], report: Report, more: More, limits: EngineLimits
    ) -> None:
        """Run a batch in this process."""
        execute(resolved, self.cores, report, more, limits)


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    return cores()


def execute(
    resolved: Sequence[str],
    jobs: int,
    report: Report,
    more: More | None = None,
    limits: EngineLimits = NO_LIMITS,
    driver: Driver = "fast",
) -> None:
    """Run a batch on `jobs` threads in order, until none waits and `more` returns nothing.

    Raises `Interrupted` after a stop signal, once all finished runs are reported; runs in progress
    are abandoned.
    """
    times = _Times(jobs)
    times.add(len(resolved))

    def following(waiting: int) -> list[str]:
        runs = more(waiting) if more and waiting < jobs else []
        times.add(len(runs))
        return runs

    with _stoppable(report, times) as relay:
        _engine.run_batch(resolved, jobs, relay, following if more else None, limits, driver)


def execute_watched(
    resolved: str,
    watch: Watch,
    report: Report,
    limits: EngineLimits = NO_LIMITS,
    driver: Driver = "fast",
) -> None:
    """Run one scenario as `execute` does, with the outputs that `watch` asks for."""
    times = _Times(1)
    times.add(1)
    with _stoppable(report, times) as relay:
        _engine.run_watched(
            resolved,
            None if watch.traces is None else str(watch.traces),
            watch.names,
            watch.error,
            watch.interval_ps,
            None if watch.pcap is None else str(watch.pcap),
            relay,
            limits,
            driver,
        )


def refuse_other_driver(record: Record | None, driver: Driver | None) -> None:
    """Raise `DriverUnfit` if a run was done by another driver than the requested one."""
    if driver is not None and record is not None and record["work"]["driver"] != driver:
        raise DriverUnfit(record["work"]["handed_over"])


@contextmanager
def _stoppable(
    report: Report, times: "_Times"
) -> Iterator[Callable[[list[tuple[int, str]], float], None]]:
    """Wrap `report` for the engine so that a stop signal raises `Interrupted` after it."""
    with requested_stop() as requested:

        def relay(finished: list[tuple[int, str]], simulated_seconds: float) -> None:
            in_order = sorted(finished)
            report([_outcome(index, text, times) for index, text in in_order], simulated_seconds)
            if requested:
                raise Interrupted(requested[0])

        yield relay
        if requested:  # after the last report
            raise Interrupted(requested[0])


def _outcome(index: int, text: str, times: "_Times") -> Outcome:
    document = json.loads(text)
    started, ended = times.end(index)
    record = document.get("record")
    found = None if record is None else Record(record)
    return Outcome(index, found, document.get("failure"), started, ended)


class _Start(NamedTuple):
    """Start of a run, by the system clock and by the monotonic clock."""

    moment: datetime
    seconds: float


class _Times:
    """Start and end times of the runs of a batch.

    The engine has no clock, but it starts runs in order, the next as soon as one ends; so times are
    accurate to the interval of its reports.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._given = 0
        self._begun = 0
        self._in_progress: dict[int, _Start] = {}

    def add(self, runs: int) -> None:
        """Add `runs` to those that wait for a thread."""
        self._given += runs
        self._start()

    def end(self, index: int) -> tuple[datetime, datetime]:
        """Return start and end of a run that has just ended; the next waiting run starts now."""
        start = self._in_progress.pop(index)
        self._start()
        return start.moment, start.moment + timedelta(seconds=time.monotonic() - start.seconds)

    def _start(self) -> None:
        while len(self._in_progress) < self._threads and self._begun < self._given:
            self._in_progress[self._begun] = _Start(datetime.now(UTC), time.monotonic())
            self._begun += 1

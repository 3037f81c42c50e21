"""Hands resolved scenarios to the engine and its outcomes back, stopping cleanly on a signal."""

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
"""How time is advanced: fast where the results are the same to the byte, or always by events."""


@dataclass(frozen=True)
class Outcome:
    """The end of the run at `index` of a batch: a record, or the message of its failure.

    `started` and `ended` are known to the interval of the engine's reports.
    """

    index: int
    record: Record | None
    failure: str | None
    started: datetime
    ended: datetime


@dataclass(frozen=True)
class Watch:
    """What a run leaves besides its record.

    `traces` is the folder for traces and `names` which of them, all if there are none; `error` is
    how far a value may be from the truth as a share of its scale (0 keeps every change, None is
    0.005), and `interval_ps` the length in picoseconds of the intervals in which cells and bytes
    are counted (a thousandth of the run if None). `pcap` is the file for a packet capture.
    """

    traces: Path | None = None
    names: Sequence[str] = ()
    error: float | None = None
    interval_ps: int | None = None
    pcap: Path | None = None


@dataclass
class Progress:
    """How far some runs have come; `elsewhere` counts those that other processes have ended."""

    runs: int
    simulated_seconds_total: float
    finished: int = 0
    failed: int = 0
    elsewhere: int = 0
    simulated_seconds: float = 0.0


Report = Callable[[list[Outcome], float], None]
"""Called about ten times a second with new outcomes and the seconds simulated so far by all."""


More = Callable[[int], list[str]]
"""Called where few runs wait for a core, with their number; answers with runs to follow."""


EngineLimits = tuple[int | None, float | None, int | None]
"""Events, seconds of wall time and bytes of memory of a run; None for no limit."""

NO_LIMITS: EngineLimits = (None, None, None)


class Executor(Protocol):
    """Something that runs batches: the threads of this process, or a cluster."""

    cores: int
    """Runs that are simulated at the same time."""

    ahead_seconds: float
    """Seconds of work that each core has waiting while it simulates."""

    def execute(
        self, resolved: Sequence[str], report: Report, more: More, limits: EngineLimits
    ) -> None:
        """Run a batch as the function `execute` does."""


class Threads:
    """The engine's threads in this process.

    What waits lasts from one report of the engine to the next, and is all that other processes
    wait for when this one is killed.
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
    """The cores that this process may use."""
    return cores()


def execute(
    resolved: Sequence[str],
    jobs: int,
    report: Report,
    more: More | None = None,
    limits: EngineLimits = NO_LIMITS,
    driver: Driver = "fast",
) -> None:
    """Run a batch on `jobs` threads, in the order given; no `more` while none waits ends it.

    Raises `Interrupted` after a signal to stop, once `report` has seen everything finished;
    runs still in progress are given up.
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
    """Run one scenario as `execute` does, and let it leave what `watch` asks for."""
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
    """Raise `DriverUnfit` for a run that another driver than the one asked for has done."""
    if driver is not None and record is not None and record["work"]["driver"] != driver:
        raise DriverUnfit(record["work"]["handed_over"])


@contextmanager
def _stoppable(
    report: Report, times: "_Times"
) -> Iterator[Callable[[list[tuple[int, str]], float], None]]:
    """What the engine is to call: `report`; then a signal that has come raises `Interrupted`."""
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
    """When a run started, by the clock of the day and by one that only measures."""

    moment: datetime
    seconds: float


class _Times:
    """When the runs of a batch start and end.

    The engine keeps no clock, but it starts runs in the order given, the next one as soon as one
    ends; so starts and ends are known to the interval of its reports.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._given = 0
        self._begun = 0
        self._in_progress: dict[int, _Start] = {}

    def add(self, runs: int) -> None:
        """So many more runs wait for a thread."""
        self._given += runs
        self._start()

    def end(self, index: int) -> tuple[datetime, datetime]:
        """Start and end of a run that has just ended; the next one waiting starts in its place."""
        start = self._in_progress.pop(index)
        self._start()
        return start.moment, start.moment + timedelta(seconds=time.monotonic() - start.seconds)

    def _start(self) -> None:
        while len(self._in_progress) < self._threads and self._begun < self._given:
            self._in_progress[self._begun] = _Start(datetime.now(UTC), time.monotonic())
            self._begun += 1

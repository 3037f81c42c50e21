"""Hands resolved scenarios to the engine and its outcomes back, stopping cleanly on a signal."""

import json
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal

from longfat import _engine
from longfat.errors import Interrupted

Record = dict[str, Any]
"""What one run yields: metrics, flows, ports, work and provenance (what `run --json` prints)."""

Driver = Literal["fast", "events"]
"""How time is advanced: fast where the results are the same to the byte, or always by events."""

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class Outcome:
    """The end of the run at `index` of a batch: a record, or the message of its failure."""

    index: int
    record: Record | None
    failure: str | None


@dataclass
class Progress:
    """How far some runs have come."""

    runs: int
    simulated_seconds_total: float
    finished: int = 0
    failed: int = 0
    simulated_seconds: float = 0.0


Report = Callable[[list[Outcome], float], None]
"""Called about ten times a second with new outcomes and the seconds simulated so far by all."""


def execute(
    resolved: Sequence[str], jobs: int, report: Report, driver: Driver = "fast"
) -> None:
    """Run a batch on `jobs` threads, in the order given.

    Raises `Interrupted` after SIGINT or SIGTERM, once `report` has seen everything finished;
    runs still in progress are given up.
    """
    with _requested_stop() as requested:

        def relay(finished: list[tuple[int, str]], simulated_seconds: float) -> None:
            report([_outcome(index, text) for index, text in finished], simulated_seconds)
            if requested:
                raise Interrupted(requested[0])

        _engine.run_batch(resolved, jobs, relay, driver)


def _outcome(index: int, text: str) -> Outcome:
    document = json.loads(text)
    return Outcome(index, document.get("record"), document.get("failure"))


@contextmanager
def _requested_stop() -> Iterator[list[int]]:
    """A list that receives the number of a stop signal instead of an exception at any moment.

    An exception could strike while a transaction is being written; a note is read between two.
    """
    requested: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        requested.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield requested  # only the main thread may handle signals
        return
    previous = {number: signal.signal(number, note) for number in STOP_SIGNALS}
    try:
        yield requested
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)

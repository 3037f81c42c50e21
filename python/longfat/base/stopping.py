"""Stop signals, acted on between two steps of the work and not within one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from longfat.base.errors import Interrupted

STOP_SIGNALS = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if name in signal.Signals.__members__
)
"""SIGHUP arrives when the terminal closes; under `nohup` it is ignored. Windows has none."""


@contextmanager
def requested_stop() -> Iterator[list[int]]:
    """Yield a list to which stop signals are appended, instead of raising an exception anywhere.

    An exception could interrupt a transaction; the list is checked between two. Signals that the
    parent process ignores stay ignored.
    """
    requested: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        requested.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield requested  # only the main thread may handle signals
        return
    handled = [number for number in STOP_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, note) for number in handled}
    try:
        yield requested
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def stopped_afterwards() -> Iterator[None]:
    """Raise `Interrupted` at the end of the block if a stop signal arrived within it.

    For C code that calls back into Python: it takes an exception from a callback for an error of
    its own.
    """
    with requested_stop() as requested:
        try:
            yield
        finally:
            if requested:
                raise Interrupted(requested[0])

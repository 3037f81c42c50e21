"""Signals that ask a command to stop, heeded between two steps and not in the middle of one."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from longfat.base.errors import Interrupted

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The last comes when the terminal is closed; for a command of `nohup` it is ignored."""

_stopping = threading.Event()
"""Set once this process has been asked to stop."""


@contextmanager
def requested_stop() -> Iterator[list[int]]:
    """A list that receives the number of a stop signal instead of an exception at any moment.

    An exception could strike while a transaction is being written; a note is read between two.
    Signals that whoever started the command had ignored stay so.
    """
    requested: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        _stopping.set()
        requested.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield requested  # only the main thread may handle signals
        return
    heeded = [number for number in STOP_SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    previous = {number: signal.signal(number, note) for number in heeded}
    try:
        yield requested
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def stopped_afterwards() -> Iterator[None]:
    """Let a stop signal that comes meanwhile raise `Interrupted` at the end, whatever else went on.

    For what calls back from C: that takes an exception out of a callback for a failure of its own.
    """
    with requested_stop() as requested:
        try:
            yield
        finally:
            if requested:
                raise Interrupted(requested[0])


@contextmanager
def one_interrupt() -> Iterator[None]:
    """Let the first Ctrl-C of a command end it, and no other disturb it until its process is gone.

    Whoever presses it twice would else meet a traceback from the middle of closing a store; who
    cannot wait has SIGTERM and SIGKILL. Where whoever started the command had SIGINT ignored, as
    a shell does for what runs in its background, it stays so.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    try:
        yield
    finally:
        # A handler in Python is taken away again while the interpreter ends; this one is not.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt_once(_number: int, _frame: FrameType | None) -> None:
    if not _stopping.is_set():
        _stopping.set()
        raise KeyboardInterrupt

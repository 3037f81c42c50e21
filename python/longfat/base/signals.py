"""Signals of the program `longfat`: when Ctrl-C ends it at once, and when it asks for a clean end.

While modules are imported Ctrl-C ends the process at once, since an exception there prints a
traceback. While a command works Ctrl-C raises `KeyboardInterrupt` once, so that the command can
clean up. It is raised again if it was raised where Python ignores exceptions. A process that does
not end then is ended by a thread of the engine, also if a control loops for ever. Only modules that
are imported anyway are imported here: see `longfat.cli.start`.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from types import FrameType

GRACE_MILLISECONDS = 700
"""Time for a clean end, after SIGTERM or a second Ctrl-C."""

_at_work = False
_interrupted = False


class interrupts_handled:  # noqa: N801 - a context manager, without importing contextlib
    """Handle Ctrl-C of the program, unless its parent process ignores it, as of background jobs."""

    def __enter__(self) -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)

    def __exit__(self, *_: object) -> None:
        # The interpreter removes Python handlers while it exits, but not SIG_IGN.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if _interrupted:
            from longfat import _engine

            _engine.end_process_after(GRACE_MILLISECONDS, 128 + signal.SIGINT)


class at_work:  # noqa: N801
    """Within this block Ctrl-C raises `KeyboardInterrupt`, once, and signals end the process."""

    _pipe = -1

    def __init__(self) -> None:
        self._unraisable = sys.unraisablehook

    def __enter__(self) -> None:
        global _at_work, _interrupted
        is_handled = signal.getsignal(signal.SIGINT) in (_interrupt, signal.SIG_IGN)
        if sys.platform != "win32" and is_handled:
            from longfat import _engine

            reading, self._pipe = os.pipe()
            os.set_blocking(self._pipe, False)
            signal.set_wakeup_fd(self._pipe, warn_on_full_buffer=False)
            _engine.end_process_at_signals(reading, GRACE_MILLISECONDS)
            sys.unraisablehook = self._interrupt_again
        _at_work, _interrupted = True, False

    def __exit__(self, *_: object) -> None:
        global _at_work
        _at_work = False
        if self._pipe != -1:
            signal.set_wakeup_fd(-1)
            os.close(self._pipe)
            sys.unraisablehook = self._unraisable

    def _interrupt_again(self, ignored: sys.UnraisableHookArgs) -> None:
        """Interrupt again after an interrupt in a destructor or in the callback of a weakref.

        Python ignores exceptions there, and its imports have such callbacks.
        """
        global _interrupted
        if ignored.exc_type is not KeyboardInterrupt:
            self._unraisable(ignored)
            return
        _interrupted = False
        _thread.start_new_thread(_interrupt_soon, ())


def _interrupt_soon() -> None:
    """Interrupt the main thread once it has left what ignores exceptions: long before this time."""
    import time

    time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    global _interrupted
    if not _at_work:
        os._exit(128 + signal.SIGINT)
    if not _interrupted:
        _interrupted = True
        raise KeyboardInterrupt

"""Waiting for other processes, threads and pages.

A busy machine makes everything slower by any factor, so limits only detect hangs: they are far
beyond any duration, and their errors name the awaited event. `benchmarks` measures durations.
"""

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import AnyStr, TypeVar

import pytest

Result = TypeVar("Result")

PATIENCE_SECONDS = 300.0
"""Time in seconds after which an awaited event counts as hanging."""


def until(
    condition: Callable[[], Result], what: str, pause: Callable[[float], object] = time.sleep
) -> Result:
    """Wait until a condition holds and return its value; the error after the limit names `what`."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (result := condition()):
        assert time.monotonic() < deadline, f"waited {PATIENCE_SECONDS:g} s in vain for {what}"
        pause(0.02)
    return result


def ended(process: subprocess.Popen[AnyStr], what: str) -> tuple[AnyStr, AnyStr]:
    """Wait for the end of a process; what it wrote to standard output and standard error."""
    try:
        return process.communicate(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"{what} has not ended within {PATIENCE_SECONDS:g} s") from None


def until_handling(process: subprocess.Popen[AnyStr], number: signal.Signals, what: str) -> None:
    """Wait until a process handles a signal itself, as `longfat` does once it simulates."""
    status = Path(f"/proc/{process.pid}/status")
    if not status.exists():
        pytest.skip("only Linux shows which signals a process handles")

    def is_handled() -> bool:
        assert process.poll() is None, f"{what} ended before it handled {number.name}"
        (caught,) = (
            line.split()[1] for line in status.read_text().splitlines() if "SigCgt" in line
        )
        return bool(int(caught, 16) >> (number - 1) & 1)

    until(is_handled, f"{what} to handle {number.name}")

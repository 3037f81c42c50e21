"""Progress on stderr: a bar on a terminal, a plain line every ten seconds elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from longfat.base.numbers import formatted_seconds
from longfat.cli.talk import say
from longfat.running.execution import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

PATIENCE_SECONDS = 1.0
"""Shortest wall time, in seconds, for which a bar is shown."""

LINE_INTERVAL_SECONDS = 10.0


@contextmanager
def shown_progress() -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows the progress of runs when called."""
    display = _Bar() if sys.stderr is not None and sys.stderr.isatty() else _Lines()
    try:
        yield display.show
    finally:
        display.close()


class _Lines:
    def __init__(self) -> None:
        self._started = self._last_line = time.monotonic()

    def show(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last_line < LINE_INTERVAL_SECONDS:
            return
        self._last_line = now
        say(
            f"{_description(progress, now - self._started)}, {_left(progress, now - self._started)}"
        )

    def close(self) -> None:
        pass


class _Bar:
    """A bar over simulated seconds: unlike runs, they advance evenly, and their total is known."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bar: RichProgress | None = None

    def show(self, progress: Progress) -> None:
        elapsed = time.monotonic() - self._started
        if self._bar is None:
            if elapsed < PATIENCE_SECONDS:
                return
            self._bar = _rich_bar(progress.simulated_seconds_total)
            self._bar.start()
        self._bar.update(
            self._bar.task_ids[0],
            completed=progress.simulated_seconds,
            description=_description(progress, elapsed),
        )

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _rich_bar(total: float) -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    bar = RichProgress(
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(stderr=True),
    )
    bar.add_task("", total=total)
    return bar


def _description(progress: Progress, elapsed: float) -> str:
    elsewhere = f"{progress.elsewhere} elsewhere, " if progress.elsewhere else ""
    return (
        f"{progress.finished} of {progress.runs} runs, {elsewhere}"
        f"{progress.simulated_seconds / elapsed:,.0f} simulated s/s, {progress.failed} failed"
    )


def _left(progress: Progress, elapsed: float) -> str:
    if not progress.simulated_seconds:
        return "time left unknown"
    remaining = progress.simulated_seconds_total - progress.simulated_seconds
    return f"about {formatted_seconds(elapsed * remaining / progress.simulated_seconds)} left"

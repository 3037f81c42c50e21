"""Scheduling of the runs for pages: a few at a time, and only the latest request of each page."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

import anyio.to_thread

Answer = TypeVar("Answer")

MOST_WAITING = 32
"""Most requests that may wait; no user has so many pages."""


class Superseded(Exception):
    """The page has sent another request, or has been closed."""


class Crowded(Exception):
    """Too many requests wait."""


class Errand:
    """A request's work of the engine, which can be cancelled."""

    def __init__(self) -> None:
        self._called_off = Event()

    def call_off(self) -> None:
        """Cancel the errand."""
        self._called_off.set()

    def check(self, *_: object) -> None:
        """Raise `Superseded` once the errand is cancelled; the engine calls this regularly."""
        if self._called_off.is_set():
            raise Superseded


@dataclass
class Desk:
    """Runs errands in threads, `at_a_time` of them at a time."""

    at_a_time: int
    _latest: dict[str, Errand] = field(default_factory=dict)
    _waiting: int = 0

    def __post_init__(self) -> None:
        self._free = asyncio.Semaphore(self.at_a_time)

    async def carry_out(
        self,
        page: str,
        work: Callable[[Errand], Answer],
        is_gone: Callable[[], Awaitable[bool]],
    ) -> Answer:
        """Run `work` for a page and cancel the page's previous errand.

        `is_gone` returns True once the client has disconnected. Raises `Superseded` if the errand
        was cancelled, `Crowded` if too many requests wait, and as `work` does.
        """
        if page in self._latest:
            self._latest[page].call_off()
        if self._waiting >= MOST_WAITING:
            raise Crowded
        errand = self._latest[page] = Errand()
        watcher = asyncio.create_task(_call_off_when_gone(errand, is_gone))
        self._waiting += 1
        try:
            async with self._free:
                errand.check()
                return await anyio.to_thread.run_sync(work, errand)
        finally:
            self._waiting -= 1
            errand.call_off()
            watcher.cancel()
            if self._latest.get(page) is errand:
                del self._latest[page]

    def close(self) -> None:
        """Cancel all errands."""
        for errand in self._latest.values():
            errand.call_off()


async def _call_off_when_gone(errand: Errand, is_gone: Callable[[], Awaitable[bool]]) -> None:
    while not await is_gone():
        await asyncio.sleep(0.1)
    errand.call_off()

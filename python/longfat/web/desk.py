"""Runs for pages: a few at a time, and of each page only the one that it asked for last."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TypeVar

import anyio.to_thread

Answer = TypeVar("Answer")

MOST_WAITING = 32
"""Requests that may wait for a run before theirs; no user has so many pages."""


class Superseded(Exception):
    """The page has asked for something else, or is gone."""


class Crowded(Exception):
    """Too many requests wait."""


class Errand:
    """What one request has the engine do; others may call it off."""

    def __init__(self) -> None:
        self._called_off = Event()

    def call_off(self) -> None:
        """Nobody waits for it any more."""
        self._called_off.set()

    def check(self, *_: object) -> None:
        """Raise `Superseded` once it is called off: for the engine to call as it goes."""
        if self._called_off.is_set():
            raise Superseded


@dataclass
class Desk:
    """Carries out errands, `at_a_time` of them in threads of their own."""

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
        """Let `work` be done for a page, calling off what it asked for before.

        `is_gone` tells whether nobody waits for the answer any more. Raises `Superseded` when the
        errand was called off, `Crowded` when too many wait, and what `work` raises.
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
        """Call everything off."""
        for errand in self._latest.values():
            errand.call_off()


async def _call_off_when_gone(errand: Errand, is_gone: Callable[[], Awaitable[bool]]) -> None:
    while not await is_gone():
        await asyncio.sleep(0.1)
    errand.call_off()

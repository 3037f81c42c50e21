"""Scheduling of the runs for pages: a few at a time, and only the latest request of each page."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from longfat.running.limits import Limits
from longfat.web.errand import Errand, Work, Workers

MOST_WAITING = 128
"""Most requests that may wait: two of each page of a large class."""

PROMPT_SECONDS = 2.0
"""Time after which a run leaves its place to the runs of other pages, and goes on behind them."""


class Superseded(Exception):
    """The page has sent another request, or has been closed."""


class Crowded(Exception):
    """Too many requests wait."""


@dataclass
class Desk:
    """Runs errands, `at_a_time` of them at a time, and as many more that take long.

    `studies` are those whose controls errands may use; at most `most_waiting` requests may wait.
    """

    at_a_time: int
    limits: Limits = field(default_factory=Limits)
    studies: Sequence[str] = ()
    most_waiting: int = MOST_WAITING
    _latest: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    _waiting: int = 0

    def __post_init__(self) -> None:
        self._workers = Workers(self.limits, self.studies, self.at_a_time)
        self._prompt = asyncio.Semaphore(self.at_a_time)
        self._long = asyncio.Semaphore(self.at_a_time)

    async def carry_out(self, page: str, work: Work, is_gone: Callable[[], Awaitable[bool]]) -> Any:
        """Run `work` for a page and end the page's previous errand.

        `is_gone` returns True once the client has disconnected. Raises `Superseded` if the errand
        was ended, `Crowded` if too many requests wait, and as `Errand.answer` does.
        """
        if page in self._latest:
            self._latest[page].cancel()
        if self._waiting >= self.most_waiting:
            raise Crowded
        errand = self._latest[page] = asyncio.create_task(self._in_turn(work))
        watcher = asyncio.create_task(_cancel_when_gone(errand, is_gone))
        self._waiting += 1
        try:
            await asyncio.wait({errand})
        finally:
            self._waiting -= 1
            errand.cancel()
            watcher.cancel()
            if self._latest.get(page) is errand:
                del self._latest[page]
        if errand.cancelled():
            raise Superseded
        return errand.result()

    async def _in_turn(self, work: Work) -> Any:
        place = self._prompt
        await place.acquire()
        try:
            with Errand(work, self._workers) as errand:
                while not await errand.is_done(PROMPT_SECONDS):
                    if place is self._prompt and not self._long.locked():
                        await self._long.acquire()
                        place.release()
                        place = self._long
                        errand.give_way()
                return errand.answer()
        finally:
            place.release()

    def close(self) -> None:
        """End all errands."""
        for errand in self._latest.values():
            errand.cancel()
        self._workers.close()


async def _cancel_when_gone(
    errand: asyncio.Task[Any], is_gone: Callable[[], Awaitable[bool]]
) -> None:
    while not await is_gone():
        await asyncio.sleep(0.1)
    errand.cancel()

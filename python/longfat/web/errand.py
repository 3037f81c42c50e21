"""Runs for pages, in processes that the server can end at any time.

Limits of the engine hold between events. A scenario of a stranger may find something that takes
long or much memory within one, and then only its process ends, and only its page is told.

A process that has answered serves again: its libraries, which take longer to load than most runs
of the playground take, are then there.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from longfat.base.errors import BadInput, LongfatError, RunFailed
from longfat.running.limits import Limits

Work = Callable[[Path], Any]
"""Returns JSON; may write to the folder, which exists for as long as the errand. Can be pickled."""

GRACE_SECONDS = 5.0
"""Time beyond the limit of a run for charts; the process is killed after it."""

SPARE_BYTES = 2**29
"""Memory beyond the limit of a run for the interpreter and charts."""

MOST_KEPT_BYTES = SPARE_BYTES // 2
"""Peak memory of a process that serves again. What it may still hold then fits into the spare."""

_LOWEST_PRIORITY = 19

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["longfat.web.playground", "longfat.web.repeated"])


def prepare() -> None:
    """Start the process that forks others, which then have their modules at once."""
    forkserver.ensure_running()


class Worker:
    """A process that does one errand after the other."""

    def __init__(self, limits: Limits, studies: Sequence[str]) -> None:
        self.answers, to_server = _processes.Pipe()
        arguments = (to_server, limits.memory_bytes, studies)
        self.process = _processes.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        to_server.close()

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.answers.close()


@dataclass
class Workers:
    """Processes of a view, of which at most `most_idle` wait for errands.

    `studies` are those whose controls errands may use. Such a control is code of a user, which may
    change: each of its runs then has a new process.
    """

    limits: Limits = field(default_factory=Limits)
    studies: Sequence[str] = ()
    most_idle: int = 1
    _idle: list[Worker] = field(default_factory=list)
    _is_closed: bool = False

    def take(self) -> Worker:
        """Return a process that waits for an errand."""
        while self._idle:
            worker = self._idle.pop()
            if worker.process.is_alive():
                return worker
            worker.end()
        return self._new()

    def take_back(self, worker: Worker, *, serves_again: bool) -> None:
        """Keep a process for the next errand; or end it, and have another one waiting."""
        has_room = len(self._idle) < self.most_idle and not self._is_closed
        if serves_again and has_room and not self.studies:
            self._idle.append(worker)
            return
        worker.end()
        if not self._idle and has_room:
            self._idle.append(self._new())

    def _new(self) -> Worker:
        return Worker(self.limits, self.studies)

    def close(self) -> None:
        """End the processes that wait, and from now on those that come back."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().end()


class Errand:
    """Work in another process, begun at once; a context manager that ends what goes on.

    The folder of the work exists for as long.
    """

    def __init__(self, work: Work, workers: Workers) -> None:
        self._limits, self._workers = workers.limits, workers
        self._begun = time.monotonic()
        self._serves_again = False
        self._has_given_way = False
        self.folder = TemporaryDirectory(prefix="longfat-", ignore_cleanup_errors=True)
        self._worker = workers.take()
        with suppress(OSError):  # of a process that has just ended: its answer is missing
            self._worker.answers.send((work, Path(self.folder.name)))

    @property
    def process(self) -> BaseProcess:
        """The process that does the work."""
        return self._worker.process

    def __enter__(self) -> "Errand":
        return self

    def __exit__(self, *_: object) -> None:
        self._workers.take_back(
            self._worker, serves_again=self._serves_again and not self._has_given_way
        )
        self.folder.cleanup()

    async def is_done(self, seconds: float) -> bool:
        """Wait for the answer for at most this time, and return True if it is there.

        Raises `RunFailed` once the errand has had its time.
        """
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        loop.add_reader(self._worker.answers.fileno(), done.set)
        try:
            await asyncio.wait_for(done.wait(), seconds)
        except TimeoutError:
            most = self._limits.wall_seconds
            if most is not None and time.monotonic() - self._begun > most + GRACE_SECONDS:
                raise RunFailed(
                    f"stopped at its limit of {most:g} s (--limit wall=... raises it)"
                ) from None
        finally:
            loop.remove_reader(self._worker.answers.fileno())
        return done.is_set()

    def answer(self) -> Any:
        """Return the answer, which must be there.

        Raises `BadInput` for work that failed, and `RunFailed` if the process has ended without an
        answer.
        """
        try:
            is_good, answer, self._serves_again = self._worker.answers.recv()
        except (EOFError, OSError):
            self.process.join()
            raise RunFailed(
                "the process of this run has ended before the run "
                f"(exit code {self.process.exitcode}); it may have needed too much memory"
            ) from None
        if not is_good:
            raise BadInput(answer)
        return answer

    def give_way(self) -> None:
        """Let all other processes go first."""
        if self.process.pid is not None:
            os.setpriority(os.PRIO_PROCESS, self.process.pid, _LOWEST_PRIORITY)
            self._has_given_way = True


def _serve(server: Connection, memory_bytes: int | None, studies: Sequence[str]) -> None:
    """Do errands, in their process, until the server ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the server ends its workers
    Thread(target=_end_with_server, daemon=True).start()
    _bound_memory(memory_bytes)
    import polars  # noqa: F401 - takes longer than most runs; its threads must not be forked

    while True:
        try:
            work, folder = server.recv()
        except EOFError:  # the server has ended
            return
        try:
            _provide_controls_of(studies)
            is_good, answer = True, work(folder)
        except LongfatError as error:
            is_good, answer = False, getattr(error, "problems", None) or str(error).splitlines()
        except MemoryError:
            is_good, answer = False, ["the run needs more memory than it may have"]
        server.send((is_good, answer, _peak_bytes() <= MOST_KEPT_BYTES))


def _peak_bytes() -> int:
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _provide_controls_of(studies: Sequence[str]) -> None:
    from longfat.studies.definition import load_study

    for source in studies:
        load_study(source)


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)


def _bound_memory(memory_bytes: int | None) -> None:
    if memory_bytes is None:
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory_bytes + SPARE_BYTES
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

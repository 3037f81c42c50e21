"""One run for a page, in a process of its own that the server can end at any time.

Limits of the engine hold between events. A scenario of a stranger may find something that takes
long or much memory within one, and then only its process ends, and only its page is told.
"""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
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

_LOWEST_PRIORITY = 19

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["longfat.web.playground", "longfat.web.repeated"])


def prepare() -> None:
    """Start the process that forks others, which then have their modules at once."""
    forkserver.ensure_running()


class Errand:
    """Work in a process of its own, begun at once; a context manager that kills it at the end."""

    def __init__(self, work: Work, limits: Limits, studies: Sequence[str] = ()) -> None:
        self._limits = limits
        self._begun = time.monotonic()
        self.folder = TemporaryDirectory(prefix="longfat-", ignore_cleanup_errors=True)
        self._answers, answers = _processes.Pipe(duplex=False)
        arguments = (work, Path(self.folder.name), answers, limits.memory_bytes, studies)
        self.process = _processes.Process(target=_carry_out, args=arguments, daemon=True)
        self.process.start()
        answers.close()

    def __enter__(self) -> "Errand":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.join()
        self._answers.close()
        self.folder.cleanup()

    async def is_done(self, seconds: float) -> bool:
        """Wait for the answer for at most this time, and return True if it is there.

        Raises `RunFailed` once the errand has had its time.
        """
        loop = asyncio.get_running_loop()
        done = asyncio.Event()
        loop.add_reader(self._answers.fileno(), done.set)
        try:
            await asyncio.wait_for(done.wait(), seconds)
        except TimeoutError:
            most = self._limits.wall_seconds
            if most is not None and time.monotonic() - self._begun > most + GRACE_SECONDS:
                raise RunFailed(
                    f"stopped at its limit of {most:g} s (--limit wall=... raises it)"
                ) from None
        finally:
            loop.remove_reader(self._answers.fileno())
        return done.is_set()

    def answer(self) -> Any:
        """Return the answer, which must be there.

        Raises `BadInput` for work that failed, and `RunFailed` if the process has ended without an
        answer.
        """
        try:
            is_good, answer = self._answers.recv()
        except EOFError:
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


def _carry_out(
    work: Work, folder: Path, answers: Connection, memory_bytes: int | None, studies: Sequence[str]
) -> None:
    """Do the work of an errand, in its process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the server ends its errands
    Thread(target=_end_with_server, daemon=True).start()
    _bound_memory(memory_bytes)
    try:
        _provide_controls_of(studies)
        answers.send((True, work(folder)))
    except LongfatError as error:
        answers.send((False, getattr(error, "problems", None) or str(error).splitlines()))
    except MemoryError:
        answers.send((False, ["the run needs more memory than it may have"]))


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

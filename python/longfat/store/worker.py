"""Who works on a study: the name of a process, and whether another one still lives.

No clock of the day decides anything here, so clocks may jump and disagree. A process that runs
where this one runs is asked for by its process id. Any other one is watched: its row in `workers`
has a beat that it raises every second, and one that stands still for `LEASE_SECONDS` of *this*
process's monotonic clock belongs to nobody. (The same idea keeps the leases of Amazon's DynamoDB
lock client independent of the clocks of its hosts.)
"""

import os
import platform
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LEASE_SECONDS = 20.0
"""Twenty missed beats: longer than a busy machine or database makes a process wait."""


@dataclass(frozen=True)
class Worker:
    """A process, by a name of its own and by what its operating system knows of it.

    `place` tells where `pid` means this process (the boot of the machine and the namespace of
    process ids; empty when unknown), `born` when it started, in ticks since boot. `jobs` is how
    many simulations it runs at a time.
    """

    name: str
    place: str
    pid: int
    born: int
    jobs: int = 1

    @classmethod
    def here(cls) -> "Worker":
        """This process, under a new name."""
        pid = os.getpid()
        name = f"{platform.node()}:{pid}:{secrets.token_hex(4)}"
        return cls(name, _place(), pid, _birth(pid) or 0)

    def is_gone(self) -> bool:
        """Whether this process certainly has ended; False when that cannot be known from here."""
        return self.place != "" and self.place == _place() and _birth(self.pid) != self.born


class Watch:
    """Remembers when each beat was first seen; `clock` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first_seen: dict[str, tuple[int, float]] = {}

    def silent(self, beats: Mapping[str, int]) -> set[str]:
        """Those of the workers whose beat has stood still for the length of a lease."""
        now = self._clock()
        self._first_seen = {worker: self._seen(worker, beat, now) for worker, beat in beats.items()}
        return {
            worker
            for worker, (_, since) in self._first_seen.items()
            if now - since >= LEASE_SECONDS
        }

    def _seen(self, worker: str, beat: int, now: float) -> tuple[int, float]:
        known = self._first_seen.get(worker)
        return known if known is not None and known[0] == beat else (beat, now)


@cache
def _place() -> str:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        namespace = Path("/proc/self/ns/pid").readlink()
    except OSError:  # not Linux, or a sandbox: leases alone decide
        return ""
    return f"{boot} {namespace}"


def _birth(pid: int) -> int | None:
    """When a process started, in ticks since boot; None for one that has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # proc(5): "pid (name) state ppid ... starttime", the name with any character in it.
    state, *others = stat.rpartition(")")[2].split()
    return None if state in ("Z", "X") else int(others[18])

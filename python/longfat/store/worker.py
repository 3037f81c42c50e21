"""Workers of a study, and the detection of dead ones.

System clocks decide nothing here, so they may jump and disagree. A process on the same machine is
checked by its process id. Any other is watched: it increments the beat in its row of `workers`
every second, and a beat that is constant for `LEASE_SECONDS` of *this* process's monotonic clock
means that it is dead. (Amazon's DynamoDB lock client keeps leases independent of the clocks of its
hosts in this way.)
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
"""Twenty missed beats: longer than a busy machine or database delays a process."""


@dataclass(frozen=True)
class Worker:
    """A process, identified by a unique name and by its operating system.

    `place` is the scope of `pid` (the machine's boot id and the namespace of process ids; empty if
    unknown), `born` the start of the process in ticks since boot. `jobs` is the number of
    simulations at a time.
    """

    name: str
    place: str
    pid: int
    born: int
    jobs: int = 1

    @classmethod
    def here(cls) -> "Worker":
        """Return this process with a new name."""
        pid = os.getpid()
        name = f"{platform.node()}:{pid}:{secrets.token_hex(4)}"
        return cls(name, _place(), pid, _birth(pid) or 0)

    def is_gone(self) -> bool:
        """True if this process has certainly ended; False if that is unknown here."""
        return self.place != "" and self.place == _place() and _birth(self.pid) != self.born


class Watch:
    """Records when each beat was first seen; `clock` returns monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._first_seen: dict[str, tuple[int, float]] = {}

    def silent(self, beats: Mapping[str, int]) -> set[str]:
        """Return the workers whose beat has been constant for the length of a lease."""
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
    except OSError:  # not Linux, or a sandbox: only heartbeats decide
        return ""
    return f"{boot} {namespace}"


def _birth(pid: int) -> int | None:
    """Return the start of a process in ticks since boot; None if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # proc(5): "pid (name) state ppid ... starttime", where the name may contain any character.
    state, *others = stat.rpartition(")")[2].split()
    return None if state in ("Z", "X") else int(others[18])

"""Real-time priority and a core of its own for the thread of a run."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longfat.base.errors import LongfatError
from longfat.emulation import kernel

DEFAULT_PRIORITY = 50
"""Above all usual programs, below the threads of the kernel that handle interrupts in real time."""


_STOLEN = 8
"""Column of the time stolen, in the first line of /proc/stat."""


@dataclass(frozen=True)
class Timing:
    """How the thread of a run is scheduled. Without a priority it competes with all programs."""

    priority: int | None = DEFAULT_PRIORITY
    core: int | None = None
    spin_ps: int = 60_000_000


@dataclass(frozen=True)
class Scheduled:
    """How it was scheduled indeed."""

    policy: str
    priority: int | None
    core: int | None
    cores_allowed: int
    spin_s: float
    refused: str | None

    def as_json(self) -> dict[str, Any]:
        """Return it for a record."""
        return asdict(self)


def schedule(timing: Timing) -> Scheduled:
    """Schedule the calling thread; what the machine does not allow is said, and left out."""
    refused = None
    policy, priority = "normal", None
    kernel.wake_exactly()
    if timing.core is not None:
        os.sched_setaffinity(0, {timing.core})
    if timing.priority is not None:
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(timing.priority))
            policy, priority = "fifo", timing.priority
        except PermissionError:
            refused = "real-time priority: not permitted (it needs CAP_SYS_NICE or RLIMIT_RTPRIO)"
    return Scheduled(
        policy=policy,
        priority=priority,
        core=timing.core,
        cores_allowed=len(os.sched_getaffinity(0)),
        spin_s=timing.spin_ps / 1e12,
        refused=refused,
    )


@contextlib.contextmanager
def others_elsewhere(timing: Timing) -> Iterator[None]:
    """Keep this thread, and the programs that it starts meanwhile, off the core of the run."""
    before = os.sched_getaffinity(0)
    if timing.core is not None:
        if timing.core not in before:
            raise LongfatError(
                f"--core {timing.core}: not one of this process's cores "
                f"({', '.join(map(str, sorted(before)))})"
            )
        os.sched_setaffinity(0, before - {timing.core} or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def stolen_seconds() -> float | None:
    """Return the time that the host of a virtual machine has kept its processors from it."""
    try:
        first = Path("/proc/stat").read_text().splitlines()[0].split()
    except OSError:
        return None
    return int(first[_STOLEN]) / os.sysconf("SC_CLK_TCK")

"""Memory and cores that this process may use, which a container may limit.

Containers and batch systems set limits by control groups (cgroup v2); the limits of the process's
own group and of all enclosing groups apply.
"""

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")

_NO_LIMIT = "max"


def memory_bytes(root: Path = _ROOT) -> int:
    """Return the limit of this process's memory in bytes; `root` contains /proc and /sys.

    Windows does not tell Python how much there is: what a process could address is the limit.
    """
    if not hasattr(os, "sysconf"):
        return sys.maxsize
    pages, page = (os.sysconf(name) for name in ("SC_PHYS_PAGES", "SC_PAGE_SIZE"))
    of_groups = (int(first) for first, *_ in _limits("memory.max", root))
    return int(min([pages * page, *of_groups]))


def cores(root: Path = _ROOT) -> int:
    """Return the number of cores that this process may use, at least 1.

    Rounds the quota of a group up: 1.5 cores count as 2.
    """
    has_affinity = hasattr(os, "sched_getaffinity")
    own = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    of_groups = (math.ceil(int(quota) / int(period)) for quota, period in _limits("cpu.max", root))
    return max(1, min([own, *of_groups]))


def _limits(name: str, root: Path) -> Iterator[list[str]]:
    """Yield the words of each limit file of this name, for the groups that set a limit."""
    for group in _groups(root):
        try:
            words = (group / name).read_text().split()
        except OSError:  # the root group has no such file
            continue
        if words and words[0] != _NO_LIMIT:
            yield words


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of the process's control group and of the enclosing groups."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:  # no Linux
        return
    top = root / "sys/fs/cgroup"
    for line in lines:
        if line.startswith("0::/"):
            own = top / line.removeprefix("0::/")
            yield own
            yield from (group for group in own.parents if group.is_relative_to(top))

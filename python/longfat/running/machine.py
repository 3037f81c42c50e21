"""What this process may use of the machine: its memory and cores, or less of them in a container.

Containers and batch systems set limits by control groups (cgroup v2): that of the process, and
those around it.
"""

import math
import os
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")

_NO_LIMIT = "max"


def memory_bytes(root: Path = _ROOT) -> int:
    """The memory that this process may use at most; `root` is where the kernel tells of groups."""
    pages, page = (os.sysconf(name) for name in ("SC_PHYS_PAGES", "SC_PAGE_SIZE"))
    of_groups = (int(first) for first, *_ in _limits("memory.max", root))
    return min([pages * page, *of_groups])


def cores(root: Path = _ROOT) -> int:
    """The cores that this process may use, at least one.

    A group that may use one and a half counts as two: simulations share what there is.
    """
    has_affinity = hasattr(os, "sched_getaffinity")
    own = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    of_groups = (math.ceil(int(quota) / int(period)) for quota, period in _limits("cpu.max", root))
    return max(1, min([own, *of_groups]))


def _limits(name: str, root: Path) -> Iterator[list[str]]:
    """The words of each limit of this name, of the groups that have one."""
    for group in _groups(root):
        try:
            words = (group / name).read_text().split()
        except OSError:  # the outermost has none
            continue
        if words and words[0] != _NO_LIMIT:
            yield words


def _groups(root: Path) -> Iterator[Path]:
    """The folders of the group of this process and of those around it."""
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

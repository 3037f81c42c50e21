"""In a container a process has the memory and cores of the container, not of the machine."""

import os
from pathlib import Path

import pytest

from longfat.running.limits import SHARE_OF_MEMORY, Limits
from longfat.running.machine import cores, memory_bytes


def group(root: Path, path: str, **settings: str) -> None:
    folder = root / "sys/fs/cgroup" / path
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in settings.items():
        (folder / name.replace("_", ".")).write_text(f"{value}\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A kernel that reports a group within two others; the outermost has no limits."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("4:memory:/other\n0::/pods/mine\n")
    group(tmp_path, "")
    group(tmp_path, "pods", memory_max="max", cpu_max="max 100000")
    group(tmp_path, "pods/mine", memory_max="max", cpu_max="max 100000")
    return tmp_path


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of four cores and 16 MiB."""
    sizes = {"SC_PHYS_PAGES": 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1, 2, 3})


def test_a_group_without_limits_has_all_of_the_machine(root: Path) -> None:
    assert (memory_bytes(root), cores(root)) == (2**24, 4)


def test_the_smallest_limit_of_all_groups_around_a_process_counts(root: Path) -> None:
    group(root, "pods", memory_max=str(2**22), cpu_max="150000 100000")
    group(root, "pods/mine", memory_max=str(2**23), cpu_max="300000 100000")
    assert (memory_bytes(root), cores(root)) == (2**22, 2)


def test_a_group_that_may_have_more_than_there_is_gets_what_there_is(root: Path) -> None:
    group(root, "pods/mine", memory_max=str(2**40), cpu_max="6400000 100000")
    assert (memory_bytes(root), cores(root)) == (2**24, 4)


def test_a_part_of_a_core_is_one(root: Path) -> None:
    group(root, "pods/mine", cpu_max="20000 100000")
    assert cores(root) == 1


def test_a_system_without_groups_is_taken_as_it_is(tmp_path: Path) -> None:
    assert (memory_bytes(tmp_path), cores(tmp_path)) == (2**24, 4)


def test_limits_of_the_machine_are_those_of_the_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longfat.running.limits.memory_bytes", lambda: 10**9)
    assert Limits.of_machine().memory_bytes == int(10**9 * SHARE_OF_MEMORY)

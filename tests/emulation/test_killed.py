"""A run that is killed leaves nothing behind: no process, no namespace, no interface."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.emulation.conftest import Line
from tests.waiting import PATIENCE_SECONDS

PROGRAM = Path(sys.executable).with_name("longfat")

pytestmark = pytest.mark.usefixtures("namespaces")


def processes() -> Iterator[tuple[int, str, str]]:
    """Number, command line and network namespace of every process."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                yield int(folder.name), command, str((folder / "ns" / "net").readlink())
            except OSError:  # it has ended
                continue


def wait_until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.mark.parametrize("number", range(3))
def test_a_run_killed_at_any_moment_leaves_nothing(line: Line, number: int) -> None:
    mark = f"9{os.getpid()}{number}.25"
    background = f"sleep {mark} & sleep {mark}"
    arguments = [str(line()), "--server", background, "--", "sh", "-c", f"({background})"]
    run = subprocess.Popen(
        [PROGRAM, "emulate", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    if number == 0:  # at a moment of the start
        time.sleep(random.Random(os.getpid()).uniform(0.2, 0.6))
    else:
        wait_until(lambda: sum(mark in command for _, command, _ in processes()) >= 4, "started")
    own = str(Path("/proc/self/ns/net").readlink())
    theirs = {space for _, command, space in processes() if mark in command} - {own}
    hosts = {one for one, _, _ in processes() if _parent(one) == run.pid}
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    wait_until(lambda: not any(mark in command for _, command, _ in processes()), "programs")
    wait_until(lambda: not theirs & {space for _, _, space in processes()}, "namespaces")
    wait_until(lambda: not hosts & {one for one, _, _ in processes()}, "hosts")


def test_a_run_that_is_asked_to_stop_ends_its_programs(line: Line) -> None:
    mark = f"8{os.getpid()}.75"
    command = [str(PROGRAM), "emulate", str(line()), "--", "sleep", mark]
    run = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    wait_until(lambda: sum(mark in command for _, command, _ in processes()) >= 2, "started")
    run.send_signal(signal.SIGTERM)
    assert run.wait(PATIENCE_SECONDS) == 128 + signal.SIGTERM
    wait_until(lambda: not any(mark in command for _, command, _ in processes()), "programs")


def _parent(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except (OSError, IndexError):
        return 0

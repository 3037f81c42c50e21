"""Runs in real time, where the machine allows network namespaces; elsewhere they are skipped."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longfat.base.errors import LongfatError
from longfat.emulation.hosts import Host, set_up
from longfat.emulation.run import Programs, emulate
from longfat.records.record import Record
from longfat.scenarios.scenario import load_scenario

Line = Callable[..., Path]
Program = Callable[[str, str], list[str]]

LINE = """
schema_version = 1
duration = "20 s"
framing = {{ kind = "packet", header = "54 B" }}
{rest}
[topology]
kind = "n-source"
sources = {sources}
access = {{ rate = "100 Mbit/s", delay = "1 ms" }}
bottleneck = {{ rate = "2 Mbit/s", delay = "18 ms" }}
"""


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Skip where there are no network namespaces, with the reason."""
    try:
        with set_up([Host("probe", 1, 1500)]) as descriptors:
            for descriptor in descriptors:
                os.close(descriptor)
    except LongfatError as error:
        pytest.skip(str(error))


@pytest.fixture
def line(tmp_path: Path) -> Line:
    """Write a scenario with a line of 2 Mbit/s and a round trip of 40 ms."""

    def write(rest: str = 'port.buffer = "50 packets"', sources: int = 1) -> Path:
        path = tmp_path / "line.toml"
        path.write_text(LINE.format(sources=sources, rest=rest))
        return path

    return write


@pytest.fixture
def python(tmp_path: Path) -> Program:
    """Write a program, and return its command."""

    def write(name: str, text: str) -> list[str]:
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        return [sys.executable, str(path)]

    return write


def run(scenario: Path, command: Sequence[str], **settings: Any) -> Record:
    """Run a command over the network of a scenario, with the settings of `Programs`."""
    overrides = settings.pop("overrides", {})
    programs = Programs(command, **settings)
    return emulate(load_scenario(scenario, overrides), programs, keep_stdout=True)

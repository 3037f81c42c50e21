"""A small scenario and a small study, and the command line as its users call it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from longfat.studies.definition import StudyDefinition, load_study
from tests.started import Starter, at_start
from tests.support import Longfat
from tests.waiting import PATIENCE_SECONDS

pytest_plugins = ["tests.browser"]

# Examples of Hypothesis may take as long as the machine needs for them.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

SCENARIO = """\
schema_version = 1
duration = "50 ms"
seed = 1

[topology]
kind = "n-source"
sources = 2
access = { rate = "155.52 Mbit/s", delay = "5 us" }
bottleneck = { rate = "155.52 Mbit/s", delay = "5 us" }

[port]
buffer = "200 cells"
policy = { kind = "fba", threshold = 0.9, z = 0.8 }

[tcp]
receiver_window = "65535 B"

[traffic]
kind = "infinite"
"""

STUDY = """\
schema_version = 1
title = "A small study"
citation = "Nobody: Nothing. Nowhere, 1997"
scenario = "scenario.toml"

[design]
kind = "reference-rows"
replications = 2
perturb = { start = "uniform(0 ms, 1 ms)" }
seeds = "common"

[factors.load]
light = { "topology.sources" = 2, duration = "40 ms" }
heavy = { "topology.sources" = 4, duration = "80 ms" }

[factors]
"port.policy" = { ubr = "tail-drop", fba = "fba" }
"port.policy.z" = [0.8, 0.5]

[[response]]
table = "A"
title = "Policies"
metric = "efficiency"
reference = "reference/a.csv"

[[response]]
table = "A"
title = "Policies"
metric = "fairness"
reference = "reference/a.csv"

[[response]]
table = "B"
title = "Parameters"
metric = "efficiency"
reference = "reference/b.csv"

[quick]
replications = 1
where = "load = 'light'"
"""

TABLE_A = """\
load,policy,efficiency,fairness,doubtful,note
light,ubr,0.50,0.90,,
light,fba,0.80,0.95,,
heavy,ubr,0.40,0.70,,
heavy,fba,0.90,0.10,fairness,a digit is lost
"""

# Its first row means the same run as the second one of table A: 0.8 is the default.
TABLE_B = """\
load,policy,z,efficiency
light,fba,0.8,0.80
light,fba,0.5,0.70
"""


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> Iterator[None]:
    """Restore SIGINT's default for programs, even if a shell runs the tests in its background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO)
    return file


def write_study(folder: Path) -> Path:
    """The small study, in a folder of its own."""
    (folder / "reference").mkdir(parents=True)
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "study.toml").write_text(STUDY)
    (folder / "reference" / "a.csv").write_text(TABLE_A)
    (folder / "reference" / "b.csv").write_text(TABLE_B)
    return folder


@pytest.fixture
def study_folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "small")


@pytest.fixture
def study(study_folder: Path) -> StudyDefinition:
    return load_study(study_folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of its own with room for a few runs only."""
    folder = tmp_path / "small-disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)):
        pytest.skip("only root may mount the small file system that this test fills")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def mount(*arguments: str) -> bool:
    """True if the mount succeeded."""
    try:
        return (
            subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0
        )
    except FileNotFoundError:
        return False


@pytest.fixture(scope="session")
def program() -> Path:
    return Path(sys.executable).with_name("longfat")


@pytest.fixture(scope="session")
def starter(program: Path) -> Iterator[Starter]:
    with Starter(program) as starter:
        yield starter


def in_folder(folder: Path, starter: Starter) -> Longfat:
    """The command, run in a folder, as a process of its own.

    It has its libraries from the beginning, unless something is `changed`, such as its environment.
    """

    def call(*arguments: str | Path, **changed: Any) -> subprocess.CompletedProcess[str]:
        words = [str(word) for word in arguments]
        environment = {name: value for name, value in os.environ.items() if name != "LONGFAT_STORE"}
        if not changed and at_start(environment) == starter.environment:
            return starter.run(words, folder, environment, PATIENCE_SECONDS)
        options = {"cwd": folder, "env": environment, "timeout": PATIENCE_SECONDS, **changed}
        return subprocess.run(
            [starter.program, *words], capture_output=True, text=True, check=False, **options
        )

    return call


@pytest.fixture
def longfat(tmp_path: Path, starter: Starter) -> Longfat:
    """The command, run in an empty folder, as a process of its own."""
    return in_folder(tmp_path, starter)

"""`longfat run SCENARIO` of a short simulation, done without importing the command line."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from longfat.cli import start
from longfat.records.screen import LINES
from tests.support import Longfat

LOADED = """\
import json, sys
sys.argv = ["longfat", *sys.argv[1:]]
from longfat.cli.start import program
try:
    program()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""

BY_THE_COMMAND_LINE = ("--limit", "events=1e12")
"""An option without effect, with which a run is no plain run."""


def loaded(*arguments: str | Path) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=False
    )
    return set(json.loads(process.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--json",),
        ("--set", "topology.sources = 3", "--set", "topology.sources=4", "--seed", "7", "--json"),
        ("--seed", "007", "--set", "topology.sources=5", "--json"),
        ("--trace", "traces"),
        ("--json", "--trace", "traces"),
    ],
)
def test_a_plain_run_prints_what_the_command_line_prints(
    longfat: Longfat, scenario_file: Path, options: Sequence[str]
) -> None:
    at_once = longfat("run", scenario_file, *options)
    in_full = longfat("run", scenario_file, *BY_THE_COMMAND_LINE, *options)
    assert at_once.returncode == in_full.returncode == 0
    assert at_once.stdout == in_full.stdout
    assert at_once.stderr == in_full.stderr


def test_a_plain_run_of_many_connections_is_one_screen_as_on_the_command_line(
    longfat: Longfat, scenario_file: Path
) -> None:
    text = re.sub(r"sources = \d+", "sources = 120", scenario_file.read_text())
    scenario_file.write_text(text)
    at_once = longfat("run", scenario_file)
    in_full = longfat("run", scenario_file, *BY_THE_COMMAND_LINE)
    assert (at_once.stdout, at_once.stderr) == (in_full.stdout, in_full.stderr)
    assert len((at_once.stdout + at_once.stderr).splitlines()) <= LINES


@pytest.mark.parametrize("options", [(), ("--json",), ("--seed", "7", "--set", "duration=1 ms")])
def test_a_plain_run_loads_neither_command_line_nor_typing(
    scenario_file: Path, options: Sequence[str]
) -> None:
    slow = {"click", "typing", "dataclasses", "pathlib", "rich", "longfat.cli.program"}
    # What an editable installation loads itself is none of longfat's doing.
    assert not (loaded("run", scenario_file, *options) - loaded_by_python()) & slow


def loaded_by_python() -> set[str]:
    code = "import json, sys; print(json.dumps(sorted(sys.modules)))"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return set(json.loads(process.stdout))


def test_a_long_run_is_left_to_the_command_line(scenario_file: Path) -> None:
    text = scenario_file.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("duration")]
    scenario_file.write_text("\n".join(['duration = "1000 s"', *lines]))
    asked = start._plainly_asked([str(scenario_file)])  # noqa: SLF001
    assert asked is not None
    assert start._record_of_short_run(asked) is None  # noqa: SLF001


def test_whatever_is_wrong_is_left_to_the_command_line(
    longfat: Longfat, tmp_path: Path, scenario_file: Path
) -> None:
    for text in ("", "duration = ", "[topology]\nsources = -1\n"):
        (tmp_path / "bad.toml").write_text(text)
        at_once = longfat("run", "bad.toml")
        assert at_once.returncode == 2
        assert at_once.stderr == longfat("run", "bad.toml", *BY_THE_COMMAND_LINE).stderr
        assert at_once.stdout == ""
    for options in (
        ("--set", "nonsense"),
        ("--set",),
        ("--seed", "-1"),
        ("--seed", "x"),
        ("--set", "port.buffer=1 furlong"),
        ("--set", "no.such=1"),
        ("more.toml",),
        ("--jsn",),
        ("--trace",),
        ("--trace", "/dev/null/traces"),
    ):
        at_once = longfat("run", scenario_file, *options)
        assert at_once.returncode == 2
        in_full = longfat("run", *BY_THE_COMMAND_LINE, scenario_file, *options)
        assert at_once.stderr == in_full.stderr
    for location in ("absent.toml", ".", "nul\\0"):
        at_once = longfat("run", location)
        assert at_once.returncode == 2
        assert "Traceback" not in at_once.stderr


def test_a_plain_run_leaves_the_traces_that_the_command_line_leaves(
    longfat: Longfat, scenario_file: Path, tmp_path: Path
) -> None:
    longfat("run", scenario_file, "--trace", "at-once")
    longfat("run", scenario_file, "--trace", "in-full", *BY_THE_COMMAND_LINE)
    at_once, in_full = (
        {file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()}
        for folder in ("at-once", "in-full")
    )
    assert at_once
    assert at_once == in_full


def test_a_scenario_may_come_through_a_pipe(longfat: Longfat, scenario_file: Path) -> None:
    with scenario_file.open() as scenario:
        process = longfat("run", "/dev/stdin", stdin=scenario)
    assert process.returncode == 0
    piped = longfat("run", "/dev/stdin", input=scenario_file.read_text())
    assert piped.returncode == 0
    assert piped.stdout == process.stdout == longfat("run", scenario_file).stdout


@pytest.mark.parametrize(
    "verb", [("run", "lan.toml"), ("models",), ("run", "lan.toml", "--seed", "1")]
)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said_in_one_line(
    program: Path, scenario_file: Path, verb: Sequence[str]
) -> None:
    arguments = [str(scenario_file) if word == "lan.toml" else word for word in verb]
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [program, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert process.returncode == 1
    assert process.stderr == "cannot write the output: No space left on device\n"


def test_a_reader_who_leaves_is_no_failure_to_speak_of(program: Path, scenario_file: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [program, "run", scenario_file],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writing)
    assert process.returncode == 1
    assert process.stderr == ""


@pytest.mark.parametrize("closed", ["1>&-", "2>&-"])
@pytest.mark.parametrize("option", ["", "--limit events=1e12"])
def test_nobody_need_be_there_to_read(
    program: Path, scenario_file: Path, closed: str, option: str
) -> None:
    command = f"'{program}' run '{scenario_file}' {option} {closed}"
    process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert process.returncode == 0
    assert "Traceback" not in process.stderr


INTERRUPTED = """
import signal, sys
from longfat import _engine
from longfat.cli import start
from longfat.records.screen import LINES
_engine.run_batch = lambda *_: signal.raise_signal(signal.SIGINT)
sys.argv = ["longfat", "run", sys.argv[1]]
start.program()
"""


def test_ctrl_c_ends_a_plain_run_in_one_line(scenario_file: Path) -> None:
    """In a process of its own, which the signal ends soon even if it does not end by itself."""
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, scenario_file],
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 128 + signal.SIGINT
    assert process.stderr == "stopped; a single run stores no partial result\n"

"""Nasty command lines and files, of which `fuzz/nasty_inputs.py` tries a thousand."""

import os
import runpy
from pathlib import Path

import pytest

from tests.support import Longfat

NASTY = runpy.run_path(str(Path(__file__).parents[2] / "fuzz/nasty_inputs.py"))


def test_a_few_nasty_command_lines_end_with_an_exit_code_and_no_traceback() -> None:
    counts = NASTY["campaign"](12, seed=3)
    assert counts.commands == 12
    assert (counts.tracebacks, counts.hangs, counts.other_exits) == ([], [], [])


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    NASTY["make_files"](tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["run", "{}"],
        ["check", "{}"],
        ["run", "scenario.toml", "--set", "port.buffer=@{}"],
        ["run", "scenario.toml", "--control", "c={}"],
        ["study", "run", "{}"],
        ["study", "status", "small", "--store", "{}"],
        ["store", "upgrade", "{}"],
        ["analyze", "{}", "--factors", "a", "--response", "b"],
        ["schedule", "from-ping", "{}"],
        ["schedule", "from-irtt", "{}"],
        ["schedule", "from-parquet", "{}"],
        ["schedule", "from-mahimahi", "{}"],
        ["schedule", "join", "{}", "{}"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("name", ["fifo", "/dev/zero", "huge", "socket"])
def test_what_is_no_regular_file_is_refused_wherever_a_file_is_named(
    nasty: Path, longfat: Longfat, words: list[str], name: str
) -> None:
    process = longfat(*[word.format(name) for word in words])
    assert process.returncode == 2
    assert Path(name).name in process.stderr
    assert "Traceback" not in process.stderr
    assert (nasty / "fifo").is_fifo()


def test_a_pipe_of_the_shell_is_read(program: Path, nasty: Path) -> None:
    command = f"'{program}' run <(cat scenario.toml) --json"
    assert os.waitstatus_to_exitcode(os.system(f'cd {nasty} && bash -c "{command}"')) == 0


def test_a_path_that_is_too_long_is_refused(longfat: Longfat) -> None:
    process = longfat("check", "a" * 5000)
    assert process.returncode == 2
    assert "file name too long" in process.stderr
    assert len(process.stderr) < 300


def test_a_working_folder_that_is_gone_is_refused(program: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    command = f"cd {tmp_path}/gone && rmdir ../gone && '{program}' study run ubr-plus --quick"
    assert os.waitstatus_to_exitcode(os.system(command)) == 2

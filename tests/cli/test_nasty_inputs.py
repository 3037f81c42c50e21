"""Nasty command lines and files, of which `fuzz/nasty_inputs.py` tries a thousand."""

import os
import random
from pathlib import Path

import pytest
from fuzz import nasty_inputs

from tests.support import Longfat


def test_a_few_nasty_command_lines_end_with_an_exit_code_and_no_traceback() -> None:
    counts = nasty_inputs.campaign(12, seed=3)
    assert counts.commands == 12
    assert nasty_inputs.broken_rules(counts) == []


def test_nasty_command_lines_reach_every_verb_and_the_presets_of_linux() -> None:
    chance, known = random.Random(1), nasty_inputs.verbs()
    lines = [nasty_inputs.command_line(chance, known) for _ in range(nasty_inputs.COUNT)]
    words = {word for line in lines for word in line}
    assert {"tcp.preset=linux-6.12", "port.preset=linux-6.12"} <= words
    verbs = {" ".join(words) for words, _ in known}
    begun = {
        verb
        for verb in verbs
        if any(
            " ".join(line).startswith(f"{verb} ") and line[-1] != "--no-such-option"
            for line in lines
        )
    }
    assert verbs - begun == nasty_inputs.NOT_STARTED


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    nasty_inputs.make_files(tmp_path)
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

"""Shells complete, and `man` shows, what the program has."""

import os
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from longfat.cli.completion import WHERE
from longfat.cli.man import manual
from longfat.cli.program import main
from tests.support import Longfat

PAGES = dict(manual(main, "longfat", "0"))


@pytest.mark.parametrize("shell", WHERE)
def test_a_shell_gets_its_script(longfat: Longfat, shell: str) -> None:
    script = longfat("completion", shell).stdout
    assert f"_LONGFAT_COMPLETE={shell}_complete" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "-c", script], check=True)


def test_another_shell_is_refused_with_those_that_are_known(longfat: Longfat) -> None:
    process = longfat("completion", "tcsh")
    assert process.returncode == 2
    assert "'bash', 'zsh', 'fish'" in process.stderr


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("longfat stu", "study"), ("longfat study comp", "compare"), ("longfat run --see", "--seed")],
)
def test_what_is_typed_is_completed(program: Path, typed: str, expected: str) -> None:
    environment = os.environ | {
        "_LONGFAT_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    process = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    assert f"plain,{expected}" in process.stdout.splitlines()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_every_option(name: str) -> None:
    command: click.Command = main
    for verb in _verbs(name):
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), verb)
        assert found is not None
        command = found
    page = PAGES[name].replace("\\-", "-")
    longest = [
        max(param.opts, key=len)
        for param in command.params
        if isinstance(param, click.Option) and not param.hidden
    ]
    assert [option for option in longest if option not in page] == []


def _verbs(name: str) -> list[str]:
    """The verbs of a page, whose own names may have hyphens."""
    verbs, command, rest = [], main, name.removeprefix("longfat").lstrip("-")
    while rest:
        assert isinstance(command, click.Group)
        names = command.list_commands(click.Context(command))
        verb = max((verb for verb in names if f"{rest}-".startswith(f"{verb}-")), key=len)
        verbs.append(verb)
        rest = rest.removeprefix(verb).lstrip("-")
        inner = command.get_command(click.Context(command), verb)
        assert inner is not None
        command = inner  # type: ignore[assignment]
    return verbs


def test_no_line_of_a_page_begins_like_a_request_by_chance() -> None:
    requests = {".TH", ".SH", ".PP", ".TP", ".nf", ".fi"}
    begins = {
        line.split()[0]
        for page in PAGES.values()
        for line in page.splitlines()
        if line.startswith((".", "'"))
    }
    assert begins <= requests
    assert all(line for page in PAGES.values() for line in page.splitlines())


def test_pages_are_written_where_man_finds_them(longfat: Longfat, tmp_path: Path) -> None:
    process = longfat("man", "-o", tmp_path / "man1")
    assert process.returncode == 0, process.stderr
    assert {file.stem for file in (tmp_path / "man1").iterdir()} == set(PAGES)
    assert f"wrote {len(PAGES)} pages" in process.stderr


def test_a_folder_that_is_a_file_is_refused(longfat: Longfat, tmp_path: Path) -> None:
    (tmp_path / "man1").touch()
    process = longfat("man", "-o", tmp_path / "man1")
    assert process.returncode == 2
    assert "is a file" in process.stderr

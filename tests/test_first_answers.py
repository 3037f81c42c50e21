"""The tasks of somebody who is new take less than five minutes, machine and reading included."""

import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from tests.test_documents import ROOT, SHOWN, as_script, is_as_shown, paste

PAGE = ROOT / "docs" / "guide" / "first-answers.md"
EXERCISES = ROOT / "docs" / "guide" / "teaching.md"

MINUTES = 5
WORDS_PER_MINUTE = 200
SECONDS_PER_ACT = 10
"""To paste a command, to start it and to see that it has ended; or to find and choose something."""

HOPS_PER_SECOND = 3e6
"""Hops of packets that one core simulates: far below what `longfat bench` measures."""

HOPS = re.compile(r"([\d,]+) packet hops; ")
"""The work of a run, as `longfat run` says it."""

WORK = "work.txt"
"""Messages on standard error, among them the work of a run."""

BROWSER = re.compile(r"^In the browser, .*?\n\n((?:\d+\. .*\n|   .*\n)+)", re.MULTILINE)
"""The steps of a task in the browser, in its section."""


def sections(page: Path) -> dict[str, str]:
    """The sections of a page by their heading."""
    _, *parts = re.split(r"^## ", page.read_text(), flags=re.MULTILINE)
    return {heading: text for heading, _, text in (part.partition("\n") for part in parts)}


def tasks() -> dict[str, str]:
    """The texts to read and to paste for each task in the terminal."""
    of_page = {name: BROWSER.sub("", text) for name, text in sections(PAGE).items()}
    (exercise,) = (text for text in of_page.values() if "teaching.md#1-" in text)
    first = next(text for heading, text in sections(EXERCISES).items() if heading[:2] == "1.")
    name = next(heading for heading, text in of_page.items() if text == exercise)
    return {**of_page, name: exercise + first}


def steps(name: str) -> str:
    """The steps of a task in the browser, as the page lists them."""
    (found,) = BROWSER.findall(sections(PAGE)[name])
    return str(found)


def pasted(text: str) -> list[str]:
    """The commands of the console blocks of a text."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in re.split(r"^\$ ", block, flags=re.M)[1:]]


def commands(text: str) -> list[str]:
    """The commands that a reader pastes: those of console blocks, and those shown with output."""
    return pasted(text) + [command for command, _ in SHOWN.findall(text)]


def words(text: str) -> int:
    """The words that a reader reads, commands and output included; links without their targets."""
    read = re.sub(r"<!-- .*? -->|\]\(.*?\)|[|─█▏▎▍▌▋▊▉-]+", " ", text)
    return len(read.split())


def hops_of(text: str, folder: Path) -> int:
    """Paste the commands and count the hops of packets that they simulate.

    Those that the page of first answers shows must print what it shows.
    """
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    told = pasted_noting_work("\n".join(as_script(block) for block in blocks), folder)
    of_page = SHOWN.findall(PAGE.read_text())
    for command, shown in SHOWN.findall(text):
        printed = pasted_noting_work(command, folder)
        told += printed
        if (command, shown) in of_page:
            is_as_shown(PAGE, command, shown, printed)
    said = HOPS.findall(told + (folder / WORK).read_text())
    simulated = sum(int(number.replace(",", "")) for number in said)
    for store in folder.glob("*.db"):
        with closing(sqlite3.connect(store)) as database:
            (stored,) = database.execute(
                "SELECT sum(json_extract(work, '$.packet_hops')) FROM runs"
            ).fetchone()
        simulated += stored
    return simulated


def pasted_noting_work(script: str, folder: Path) -> str:
    """Paste a script; the work that it says goes to a file, also that of commands in a pipe."""
    return paste(f"exec 2>> {WORK}\n" + script.replace("2>&1", ""), folder)


def is_quick(task: str, where: str, acts: int, read: int, simulated: float) -> None:
    """A task takes less than `MINUTES`, and its row of the page says how long.

    `acts` are commands and choices, `read` words, `simulated` hops of packets. With LONGFAT_BLESS=1
    the row is rewritten.
    """
    seconds: Mapping[str, float] = {
        "reading": 60 * read / WORDS_PER_MINUTE,
        "acting": SECONDS_PER_ACT * acts,
        "simulating": simulated / HOPS_PER_SECOND,
    }
    assert sum(seconds.values()) < 60 * MINUTES, seconds
    begin = f"| {task} | {where} |"
    row = f"{begin} {acts} | {read} | {sum(seconds.values()) / 60:.1f} |"
    if os.environ.get("LONGFAT_BLESS"):
        rows = re.compile(rf"^{re.escape(begin)}.*$", re.MULTILINE)
        PAGE.write_text(rows.sub(row, PAGE.read_text()))
    assert row in PAGE.read_text().splitlines()


@pytest.mark.parametrize("name", list(tasks()))
def test_a_first_task_takes_less_than_five_minutes(name: str, tmp_path: Path) -> None:
    text = tasks()[name]
    hops = hops_of(text, tmp_path)
    assert hops > 100_000, "a task simulates"
    assert 2 <= len(commands(text)) <= 6
    is_quick(name, "terminal", len(commands(text)), words(text), hops)


def test_the_readme_leads_to_the_first_tasks_before_anything_else() -> None:
    start, *_ = (ROOT / "README.md").read_text().split("\n## ")
    assert "docs/guide/first-answers.md" in start

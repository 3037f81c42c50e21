"""Blocks of documents that are not pasted as they are: files in part, and lists of commands.

A command of a list must exist. Those that run alone and in seconds are run, on the quick part of a
study, one after the other; those of console blocks are pasted by `tests.test_documents`.
"""

import re
import shlex
import shutil
import sqlite3
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest
from jsonschema import Draft202012Validator

from longfat.cli.program import main
from longfat.cli.schema import KINDS, schema_of
from longfat.cli.verify import CHECKS, Verification
from longfat.scenarios.editors import for_editors
from tests.conftest import in_folder
from tests.started import Starter
from tests.support import Longfat

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("studies/*/README.md")),
]

BASE: dict[str, dict[str, Any]] = {
    "scenario": {
        "schema_version": 1,
        "duration": "1 s",
        "port": {"buffer": "100 packets"},
        "topology": {
            "kind": "n-source",
            "sources": 2,
            "access": {"delay": "5 us"},
            "bottleneck": {"delay": "5 us"},
        },
    },
    "study": {"schema_version": 1, "title": "A study", "factors": {}, "response": []},
    "claims": {"schema_version": 1, "claim": []},
    "orbit": {},
    "situation": {
        "schema_version": 1,
        "title": "A situation",
        "category": "mine",
        "failure": "Nothing works.",
    },
}
"""Files to which a block adds, if it is not a whole file."""


def blocks(language: str) -> Iterator[tuple[str, str]]:
    """Yield page and text of each fenced block of a language; `language` is a pattern."""
    for page in PAGES:
        pattern = rf"^```(?:{language})\n(.*?)^```$"
        for text in re.findall(pattern, page.read_text(), re.DOTALL | re.MULTILINE):
            yield page.relative_to(ROOT).as_posix(), text


def added(base: Any, block: Any) -> Any:
    """A file with what a block adds; a table of another kind replaces the one of the file."""
    if not isinstance(base, dict) or not isinstance(block, dict) or "kind" in block:
        return block
    return base | {key: added(base.get(key), value) for key, value in block.items()}


def test_each_block_of_toml_is_part_of_a_valid_file() -> None:
    validators = {kind: Draft202012Validator(for_editors(schema_of(kind))) for kind in KINDS}
    found = [(page, tomllib.loads(text)) for page, text in blocks("toml")]
    assert len(found) > 30
    unfit = [
        (page, block)
        for page, block in found
        if not any(each.is_valid(added(BASE[kind], block)) for kind, each in validators.items())
    ]
    assert unfit == []


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield page and words of each command of longfat in a block; lines may be continued."""
    for page, text in blocks("|console|bash"):
        inside = ""
        for line in text.replace("\\\n", " ").splitlines():
            heredoc = re.search(r"<<\s*'?(\w+)'?", line)
            if inside or heredoc:
                inside = "" if line.strip() == inside else inside or (heredoc or [""])[1]
                continue
            yield from ((page, words) for words in longfat_in(line.removeprefix("$ ")))


def longfat_in(line: str) -> Iterator[list[str]]:
    """Yield the words of a command of longfat in a line of a shell, up to a pipe or the like."""
    if not re.match(r"(?:sudo .*?|for .*?do )?longfat ", line):
        return
    lexer = shlex.shlex(line[line.index("longfat ") :], posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = []
    for word in lexer:
        if set(word) <= set("|&;<>()"):
            break
        words.append(word)
    yield words[1:]


LEFT_OUT = {
    "has no end": r"view\b",
    "needs other machines, or the network of this one": r".* --cluster |emulate|compare-real",
    "is a minute, and run by tests/cli": r"verify(?: reno)?$|verify (?:linux|kernel)",
    "is about files of its reader": r"export study STUDY|store (?:merge|salvage)|.*www\.csv",
    "is run in its quick part by tests/shipped": r"(?:study \w+|analyze|plot [a-z-]+) (?!ubr-plus)",
    "is of README's scenario, and run by tests/test_documents": r".*\blan\.toml",
}
"""Commands that are not run, by reason."""

OF_PARTS = {"table", "where", "replications", "sample", "knob", "splice"}
"""Options that choose a part, which here is the quick one."""


def run_here() -> dict[str, list[tuple[list[str], str]]]:
    """Commands that are run, each once, by page: words, and the file that takes the output."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    known = set()
    for page, text in blocks("|bash"):
        for line in text.replace("\\\n", " ").splitlines():
            for words in longfat_in(line):
                said = " ".join(words)
                is_left_out = any(re.match(pattern, said) for pattern in LEFT_OUT.values())
                if not is_left_out and (same := frozenset(of_quick_part(words, ""))) not in known:
                    known.add(same)
                    target = re.search(r"> ([\w.-]+)$", line)
                    found.setdefault(page, []).append((words, target[1] if target else ""))
    return found


def of_quick_part(words: list[str], run: str) -> list[str]:
    """Return a command for the quick part of a study; an audit is planned, a run of the store."""
    quick = [
        run if word == "3f2a91" else "lan.toml" if word == "theirs.toml" else word for word in words
    ]
    if "ubr-plus" not in words:
        return quick
    kept, rest = [], iter(quick)
    for word in rest:
        if word.removeprefix("--") in OF_PARTS - ({"table"} if words[0] == "analyze" else set()):
            next(rest)
        elif word not in ("--quick", "--pairs"):
            kept.append(word)
    return [*kept, "--quick", *(["--plan"] if words[:2] == ["study", "audit"] else [])]


@pytest.fixture(scope="session")
def quick_store(starter: Starter, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the quick part of `ubr-plus`."""
    folder = tmp_path_factory.mktemp("quick")
    process = in_folder(folder, starter)("study", "run", "ubr-plus", "--quick")
    assert process.returncode == 0, process.stderr
    return folder / "longfat.db"


@pytest.mark.parametrize("page", RUN := run_here())
def test_commands_of_lists_run(
    longfat: Longfat, quick_store: Path, scenario_file: Path, tmp_path: Path, page: str
) -> None:
    shutil.copy(quick_store, tmp_path)
    scenario_file.rename(tmp_path / "lan.toml")
    for folder in ("examples", "studies"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    with closing(sqlite3.connect(quick_store)) as database:
        ((run,),) = database.execute("SELECT run_id FROM runs LIMIT 1").fetchall()
    for words, target in RUN[page]:
        process = longfat(*of_quick_part(words, run))
        assert process.returncode == 0, (words, process.stderr)
        if target:
            (tmp_path / target).write_text(process.stdout)


def test_a_reason_to_leave_commands_out_concerns_some() -> None:
    said = [" ".join(words) for _, words in commands()]
    idle = {
        reason
        for reason, pattern in LEFT_OUT.items()
        if not any(re.match(pattern, each) for each in said)
    }
    assert idle == set()
    assert sum(map(len, RUN.values())) > 20


def misuse(words: list[str]) -> str:
    """Return why the command line does not take these words; empty if it does."""
    command: click.Command = main
    context = click.Context(main, info_name="longfat")
    try:
        rest = after(command, context, words)
        while isinstance(command, click.Group) and rest:
            name, found, words = command.resolve_command(context, rest)
            assert found is not None
            command, context = found, click.Context(found, info_name=name, parent=context)
            rest = after(command, context, words)
    except click.UsageError as error:
        return error.format_message()
    return ""


def after(command: click.Command, context: click.Context, words: list[str]) -> list[str]:
    """Return what follows a command's own options, with the verb that may be left out."""
    if isinstance(command, Verification) and {*words[:1]}.isdisjoint(
        command.list_commands(context)
    ):
        return [CHECKS, *words]
    return command.make_parser(context).parse_args(list(words))[1]


def test_commands_in_blocks_have_verbs_and_options_that_exist() -> None:
    found = list(commands())
    assert len(found) > 150
    assert [(page, words, wrong) for page, words in found if (wrong := misuse(words))] == []


@pytest.mark.parametrize("words", ["runs lan.toml", "run lan.toml --sets x=1", "study compares x"])
def test_a_command_that_does_not_exist_is_found(words: str) -> None:
    assert misuse(words.split())

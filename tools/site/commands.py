"""A page for each command, from what `--help` prints.

Help texts have code in backticks and examples after "Example:", as Markdown has. An extension that
reads them as reStructuredText would need a conversion, and this module is no longer than that.
"""

import re
from collections.abc import Iterator

import click
from tools.site.navigation import toctree
from tools.site.text import escaped

from longfat.cli.man import commands
from longfat.cli.program import main

FOLDER = "reference/commands"
_EXAMPLE = re.compile(r"^Examples?: ")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the page of each command."""
    for words, command, context in commands(main, "longfat"):
        yield _path(words), _page(words, command, context)


def _path(words: str) -> str:
    return f"{FOLDER}/{words.replace(' ', '-')}.md"


def _page(words: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"# {words}", f"```text\n{words} {usage}\n```", *_paragraphs(command.help or "")]
    records = [param.get_help_record(context) for param in command.get_params(context)]
    options = [record for record in records if record is not None and record[1]]
    if options:
        parts += ["## Options", *(_option(*record) for record in options)]
    below: list[str] = []
    if isinstance(command, click.Group):
        verbs = command.list_commands(context)
        below = [_path(f"{words} {verb}") for verb in verbs]
        parts += ["## Commands", *(_link(command, context, words, verb) for verb in verbs)]
    return "\n\n".join(parts) + "\n" + (toctree(below) if below else "")


def _option(names: str, told: str) -> str:
    return f"`{names}`\n: {escaped(' '.join(told.split()))}"


def _link(group: click.Group, context: click.Context, words: str, verb: str) -> str:
    command = group.get_command(context, verb)
    assert command is not None
    page = _path(f"{words} {verb}").rpartition("/")[2]
    return f"[longfat {verb}]({page})\n: {escaped(command.get_short_help_str(200))}".replace(
        "longfat ", f"{words} ", 1
    )


def _paragraphs(text: str) -> Iterator[str]:
    r"""Yield the paragraphs of a help text; those after a line with \b, and examples, as blocks."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if lines[0] == "\b":
            yield "```text\n" + "\n".join(lines[1:]) + "\n```"
        elif _EXAMPLE.match(lines[0]):
            yield "```console\n$ " + _EXAMPLE.sub("", " ".join(lines)) + "\n```"
        else:
            yield escaped(" ".join(lines))

"""`longfat man`: a manual page for each verb, from what --help prints."""

import re
from collections.abc import Iterator
from pathlib import Path

import click

from longfat.cli.talk import say

_ESCAPED = {"\\": "\\e", "-": "\\-"}


@click.command("man")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    default=Path("~/.local/share/man/man1"),
    show_default=True,
    help="Write them there; man finds those in a folder man1 of its path.",
)
def command(output: Path) -> None:
    """Write manual pages: `man longfat`, and one for each verb, such as `man longfat-study-run`.

    Example: longfat man && man longfat-run
    """
    from importlib.metadata import version

    from longfat.base.files import written_whole

    main = click.get_current_context().find_root().command
    folder = output.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    pages = dict(manual(main, "longfat", version("longfat")))
    for name, text in pages.items():
        with written_whole(folder / f"{name}.1") as temporary:
            temporary.write_text(text, encoding="utf-8")
    say(f"wrote {len(pages)} pages to {folder}; the first is longfat.1")


def manual(main: click.Command, words: str, version: str) -> Iterator[tuple[str, str]]:
    """Yield name and text of the page of a command, and of each command below it."""
    for name, each, context in commands(main, words):
        yield name.replace(" ", "-"), _page(each, name, version, context)


def commands(
    group: click.Command, words: str, parent: click.Context | None = None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield a command and each below it, with its words and its context."""
    context = click.Context(group, info_name=words.rpartition(" ")[2], parent=parent)
    yield words, group, context
    if isinstance(group, click.Group):
        for verb in group.list_commands(context):
            inner = group.get_command(context, verb)
            if inner is not None:
                yield from commands(inner, f"{words} {verb}", context)


def _page(command: click.Command, words: str, version: str, context: click.Context) -> str:
    name = words.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{_text(name.upper())}" 1 "" "longfat {version}" "longfat"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(command.get_short_help_str(200))}",
        ".SH SYNOPSIS",
        f"\\fB{_text(words)}\\fP {_text(usage)}",
        ".SH DESCRIPTION",
        *_paragraphs(command.help or ""),
    ]
    records = [param.get_help_record(context) for param in command.get_params(context)]
    options = [record for record in records if record is not None]
    if options:
        lines.append(".SH OPTIONS")
        lines += [line for record in options for line in _item(*record)]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for verb in command.list_commands(context):
            inner = command.get_command(context, verb)
            if inner is not None:
                lines += _item(f"{name}-{verb}(1)", inner.get_short_help_str(200))
    return "\n".join(lines) + "\n"


def _item(name: str, text: str) -> list[str]:
    told = " ".join(text.split())
    return [".TP", f"\\fB{_text(name)}\\fP", *([_text(told)] if told else [])]


def _paragraphs(text: str) -> Iterator[str]:
    r"""Yield the paragraphs of a docstring; those after a line with \b as they are."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        yield ".PP"
        if lines[0] == "\b":
            yield from (".nf", *map(_text, lines[1:]), ".fi")
        else:
            yield _text(" ".join(lines))


def _text(text: str) -> str:
    """Return text as roff prints it; a line may not begin like a request."""
    escaped = re.sub(r"[\\-]", lambda found: _ESCAPED[found[0]], text)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped

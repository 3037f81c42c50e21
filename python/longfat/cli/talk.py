"""What longfat says: data on stdout, talk on stderr."""

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from longfat.errors import Interrupted, LongfatError
from longfat.location import shown

PIPE_WIDTH = 200
"""Columns for tables that nobody's terminal limits."""


GAP = "   "
"""What rich puts between two cells of a line: a blank beside each, and one between columns."""

EDGES = 4
"""How many blanks rich puts beside a line of a table, in columns."""


def say(message: str) -> None:
    """Talk to the user."""
    click.echo(message, err=True)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], title: str | None = None
) -> None:
    """Print a table for people; columns that hold numbers in every row are set to the right."""
    cells = list(rows)
    numeric = [all(_is_number(row[index]) for row in cells) for index in range(len(header))]
    lines = _aligned([header, *cells], numeric)
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PIPE_WIDTH
    if cells and all("\n" not in line and _width(line) + EDGES <= width for line in lines):
        _print_lines(lines, title)
    else:
        print_wrapped(header, cells, numeric, width, title)


def _print_lines(lines: Sequence[str], title: str | None) -> None:
    """What rich makes of a table that needs no wrapping, without the time that it takes."""
    columns = _width(lines[0]) + EDGES
    if title is not None:
        click.secho(title.ljust(columns), bold=True)
    click.echo(" " * columns)
    click.secho(f"  {lines[0]}  ", bold=True)
    click.echo(f" {'─' * (columns - 2)} ")
    for line in lines[1:]:
        click.echo(f"  {line}  ")
    click.echo(" " * columns)


def print_wrapped(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numeric: Iterable[bool],
    width: int,
    title: str | None,
) -> None:
    """Print a table that may need more columns than there are; those of words give way."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for column, is_numeric in zip(header, numeric, strict=True):
        table.add_column(column, justify="right" if is_numeric else "left", no_wrap=is_numeric)
    for row in rows:
        table.add_row(*row)
    Console(width=width, markup=False).print(table)


def _aligned(rows: Sequence[Sequence[str]], numeric: Iterable[bool]) -> list[str]:
    """Each row as one line, its cells below each other; numbers to the right."""
    columns = []
    for column, is_numeric in zip(zip(*rows, strict=True), numeric, strict=True):
        widths = list(map(_width, column))
        blanks = [" " * (max(widths) - width) for width in widths]
        pairs = zip(blanks, column, strict=True) if is_numeric else zip(column, blanks, strict=True)
        columns.append(map("".join, pairs))
    return list(map(GAP.join, zip(*columns, strict=True)))


def _width(text: str) -> int:
    """How many columns of a terminal it takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def splice_into(page: Path, command: str, text: str) -> None:
    """Put `text` into a page, between the comments that name the `command` that printed it."""
    from longfat.files import read_text, written_whole
    from longfat.report.splice import spliced

    new = spliced(read_text(page), command, text, str(page))
    with written_whole(page) as temporary:
        temporary.write_text(new, encoding="utf-8")
    say(f"wrote {page}")


def command_line() -> str:
    """The command that is running, as one would type it."""
    return shlex.join(["longfat", *map(shown, sys.argv[1:])])


def report_failure(error: Exception) -> int | None:
    """Say what went wrong and return its exit code; None for what is a defect of longfat."""
    from longfat._engine import InvalidInput

    if isinstance(error, InvalidInput):
        say("\n".join(error.problems))
        return LongfatError.exit_code
    if isinstance(error, UnicodeEncodeError):  # an argument that was no text in this locale
        say(f"not UTF-8 text: {error.object!r}")
        return LongfatError.exit_code
    if isinstance(error, LongfatError):
        if not isinstance(error, Interrupted):  # the verb has said what is kept, and how to go on
            say(str(error))
        return error.exit_code
    return None


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text.startswith("-")

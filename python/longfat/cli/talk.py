"""What longfat says: data on stdout, talk on stderr."""

import json
import shlex
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
    from rich import box
    from rich.console import Console
    from rich.table import Table

    cells = list(rows)
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, markup=False)
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    numeric = [all(_is_number(row[index]) for row in cells) for index in range(len(header))]
    lines = _aligned([header, *cells], numeric)
    if cells and _fit(lines, console.width - EDGES):
        # One cell of many lines looks the same, and takes rich a tenth of the time.
        table.add_column(lines[0], no_wrap=True)
        table.add_row("\n".join(lines[1:]))
    else:
        for column, is_numeric in zip(header, numeric, strict=True):
            table.add_column(column, justify="right" if is_numeric else "left", no_wrap=is_numeric)
        for row in cells:
            table.add_row(*row)
    console.print(table)


def _aligned(rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> list[str]:
    """Each row as one line, its cells below each other; numbers to the right."""
    from rich.cells import cell_len

    columns = []
    for column, is_numeric in zip(zip(*rows, strict=True), numeric, strict=True):
        widths = list(map(cell_len, column))
        blanks = [" " * (max(widths) - width) for width in widths]
        pairs = zip(blanks, column, strict=True) if is_numeric else zip(column, blanks, strict=True)
        columns.append(map("".join, pairs))
    return list(map(GAP.join, zip(*columns, strict=True)))


def _fit(lines: Iterable[str], width: int) -> bool:
    """Whether each takes one line so wide: no cell has a line end or must be wrapped."""
    from rich.cells import cell_len

    return all("\n" not in line and cell_len(line) <= width for line in lines)


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

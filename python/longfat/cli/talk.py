"""Output of commands: data on stdout, messages on stderr."""

import json
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click

from longfat.base.errors import LongfatError, RunFailed
from longfat.base.extras import missing_extra
from longfat.base.location import shown
from longfat.cli.output import NOT_PRINTED, is_of_output, print_no_more
from longfat.report.table import (
    numeric_columns,
    parts_that_fit,
    shared_names,
    table_text,
    width_of_line,
    width_of_output,
)

_MOST_SHOWN = 200
"""Most characters of a file's name in a message."""

CITED = re.compile(r"\b[STDVPXM]-\d\d\b")
"""A row of `docs/models/sources.md`."""


def say(message: str) -> None:
    """Print a message for the user."""
    click.echo(message, err=True)


def say_where_codes_lead(texts: Iterable[str]) -> None:
    """Name the page that explains codes such as (M-02), if a text cites one."""
    if any(CITED.search(text) for text in texts):
        say("codes such as (M-02) name choices that papers leave open: docs/models/sources.md")


def say_if_debug_build() -> None:
    """Warn if the engine is a debug build, whose speed means nothing."""
    from longfat import _engine

    if _engine.BUILD_PROFILE != "release":
        say("warning: a debug build of the engine; its speed means nothing (make build fixes it)")


def print_json(document: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    title: str | None = None,
    names: int = 1,
    close: bool = False,
) -> None:
    """Print a text table; columns of numbers are right-aligned.

    The first `names` columns identify a row: they are repeated if the table is too wide and is
    split. A `close` table has narrow gaps and no edges.
    """
    cells, width = list(rows), width_of_output()
    # click omits the style if the output is no terminal.
    text = table_text(header, cells, title, width, styled=True, close=close)
    if text is None:
        print_wrapped(header, cells, width, title, names, close)
    else:
        click.echo(text, nl=False)


def print_wrapped(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    title: str | None,
    names: int = 1,
    close: bool = False,
) -> None:
    """Print a table that may be wider than the terminal.

    If it is, names shared by all rows are printed once above it, columns move closer together and,
    if necessary, it is split into parts.
    """
    numeric = numeric_columns(header, rows)
    parts = parts_that_fit(header, rows, numeric, width, names, close)
    if len(parts) == 1:
        _print_parts(header, rows, parts, width, title, close)
        return
    shared = shared_names(header, rows, names)
    kept = [index for index in range(len(header)) if index not in shared]
    title = "; ".join(filter(None, [title, ", ".join(shared.values())])) or None
    header = [header[index] for index in kept]
    rows = [[row[index] for index in kept] for row in rows]
    numeric = [numeric[index] for index in kept]
    names -= len(shared)
    parts = parts_that_fit(header, rows, numeric, width, names, close)
    if len(parts) > 1 and not close:
        close = True
        parts = parts_that_fit(header, rows, numeric, width, names, close)
    _print_parts(header, rows, parts, width, title, close)


def _print_parts(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    parts: Sequence[Mapping[int, int]],
    width: int,
    title: str | None,
    close: bool = False,
) -> None:
    """Print the parts of a table, each with its columns and their widths."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    numeric = numeric_columns(header, rows)
    for part in parts:
        table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
        if close:
            table.show_edge, table.pad_edge, table.padding = False, False, (0, 1, 0, 0)
        for index, columns in part.items():
            justify: Literal["left", "right"] = "right" if numeric[index] else "left"
            table.add_column(header[index], justify=justify, width=columns, overflow="fold")
        for row in rows:
            table.add_row(*(row[index] for index in part))
        # A part that is still too wide is printed anyway: the terminal wraps it.
        line = width_of_line(part.values(), close)
        Console(width=max(width, line), markup=False).print(table)
        if close:
            click.echo()
        title = None


def splice_into(page: Path, command: str, text: str) -> None:
    """Insert `text` into a page, between the comments that name the `command` that printed it."""
    from longfat.base.files import read_text, written_whole
    from longfat.report.splice import spliced

    new = spliced(read_text(page), command, text, str(page))
    with written_whole(page) as temporary:
        temporary.write_text(new, encoding="utf-8")
    say(f"wrote {page}")


def command_line() -> str:
    """Return the running command as typed."""
    return shlex.join(["longfat", *map(shown, sys.argv[1:])])


def report_failure(error: Exception) -> int | None:
    """Print the message of a failure and return its exit code; None for a defect of longfat."""
    if isinstance(error, OSError) and is_of_output(error):
        print_no_more(error)
        return NOT_PRINTED
    if isinstance(error, UnicodeEncodeError):  # an argument that is not valid in this locale
        say(f"not UTF-8 text: {error.object!r}")
        return LongfatError.exit_code
    error = missing_extra(error, command_line()) or error
    if isinstance(error, LongfatError):
        say(str(error))
        return error.exit_code
    if isinstance(error, OSError):
        name = _shortened(str(error.filename or "the working folder"))
        say(f"{name}: {(error.strerror or str(error)).lower()}")
        return LongfatError.exit_code
    if isinstance(error, RecursionError):
        say("the input is nested too deeply")
        return LongfatError.exit_code
    if isinstance(error, MemoryError):
        say("there is not enough memory for this")
        return RunFailed.exit_code
    return None


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}..."

"""Layout of tables as lines of text for a terminal.

Nothing here imports a third-party library: see `longfat.cli.start`.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # avoids importing typing, which is slow: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PIPE_WIDTH = 200
"""Width in columns if the output is not a terminal."""

GAP = "   "
"""Gap that rich puts between two cells: a blank beside each, and one between columns."""

EDGES = 4
"""Number of blanks that rich puts beside a line of a table, left and right together."""

CLOSE_GAP, CLOSE_EDGES = "  ", 0
"""Gap and edges of tables that are too wide for those of rich."""

SHORT_NAME = 24
"""Largest width of a row's name, such as "flow 12", that is not broken into two lines."""

LONGEST_WORD = 24
"""Width from which words are cut, in a table that does not fit."""

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_DRAWING = range(0x2500, 0x25A0)
"""Box drawing and block characters, each one column wide."""


def table_text(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    title: str | None,
    width: int,
    styled: bool,
    close: bool = False,
) -> str | None:
    """Render a table that needs no wrapping as rich does, without the time to load rich.

    Return None for a table without rows, and for one that does not fit into `width` columns. The
    header and the title are bold if `styled`. A `close` table has narrow gaps and no edges.
    """
    gap, edges = (CLOSE_GAP, CLOSE_EDGES) if close else (GAP, EDGES)
    lines = _aligned([header, *rows], numeric_columns(header, rows), gap)
    if not rows or any("\n" in line or shown_width(line) + edges > width for line in lines):
        return None
    bold, plain = (_BOLD, _PLAIN) if styled else ("", "")
    columns = shown_width(lines[0]) + edges
    top = [] if title is None else [f"{bold}{title.ljust(columns)}{plain}"]
    if close:
        rule = "─" * columns
        return "\n".join([*top, f"{bold}{lines[0]}{plain}", rule, *lines[1:], "", ""])
    blank = " " * columns
    rule = f" {'─' * (columns - 2)} "
    body = [f"  {line}  " for line in lines[1:]]
    return "\n".join([*top, blank, f"{bold}  {lines[0]}  {plain}", rule, *body, blank, ""])


def width_of_output() -> int:
    """Return the width of the terminal in columns, or `PIPE_WIDTH` if there is none."""
    if sys.stdout is None or not sys.stdout.isatty():  # None: closed by the parent process
        return PIPE_WIDTH
    from shutil import get_terminal_size

    return get_terminal_size().columns


def parts_that_fit(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    width: int,
    names: int,
    close: bool = False,
) -> list[dict[int, int]]:
    """Divide a table that is too wide into parts that fit; return the width of each column.

    Headers and texts wrap between words, numbers and short names never. If that is not enough,
    there are several parts, each with the first `names` columns, which identify the rows. With
    `close`, the gaps between columns are narrower.
    """
    columns = list(zip(header, *rows, strict=True))
    most = [max(map(shown_width, column)) for column in columns]
    least = [
        max(_longest_word(name), *map(shown_width if is_number else _longest_word, cells), 1)
        for (name, *cells), is_number in zip(columns, numeric, strict=True)
    ]
    whole = [max(least[index], _short_name(columns[index])) for index in range(names)]
    if width_of_line(whole, close) <= width / 2:
        least[:names] = whole
    parts = [list(range(names))]
    for index in range(names, len(columns)):
        wider = [*parts[-1], index]
        if len(parts[-1]) > names and width_of_line([least[each] for each in wider], close) > width:
            parts.append(list(range(names)))
        parts[-1].append(index)
    return [_widened(part, least, most, width, close) for part in parts]


def shared_names(
    header: Sequence[str], rows: Sequence[Sequence[str]], names: int
) -> dict[int, str]:
    """Return those of the first `names` columns that are constant, with header and value as text.

    At least one of these columns is never included, so that rows keep a name.
    """
    if len(rows) < 2:
        return {}
    first = rows[0]
    same = [index for index in range(names) if all(row[index] == first[index] for row in rows)]
    if len(same) == names:
        same.pop()
    return {index: f"{header[index]} {first[index]}".strip() for index in same}


def _short_name(column: Sequence[str]) -> int:
    """Return the width of the widest cell in a column that is a short name."""
    _header, *cells = map(shown_width, column)
    return max((cell for cell in cells if cell <= SHORT_NAME), default=0)


def numeric_columns(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[bool]:
    """Return for each column whether all of its cells are numbers, which are right-aligned."""
    cells = list(rows)
    return [all(_is_number(row[index]) for row in cells) for index in range(len(header))]


def width_of_line(widths: Iterable[int], close: bool = False) -> int:
    """Return the width of a line in terminal columns, given the widths of its cells."""
    gap, edges = (len(CLOSE_GAP), CLOSE_EDGES) if close else (len(GAP), EDGES)
    return sum(width + gap for width in widths) - gap + edges


def shown_width(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii() or all(_takes_one_column(character) for character in text):
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _takes_one_column(character: str) -> bool:
    return character.isascii() or ord(character) in _DRAWING


def _aligned(rows: Sequence[Sequence[str]], numeric: Iterable[bool], gap: str) -> list[str]:
    """Return each row as one line, with cells aligned in columns; numbers to the right."""
    columns = []
    for column, is_numeric in zip(zip(*rows, strict=True), numeric, strict=True):
        widths = list(map(shown_width, column))
        widest = max(widths)
        blanks = [" " * (widest - width) for width in widths]
        pairs = zip(blanks, column, strict=True) if is_numeric else zip(column, blanks, strict=True)
        columns.append(map("".join, pairs))
    return list(map(gap.join, zip(*columns, strict=True)))


def _longest_word(text: str) -> int:
    """Return the width that a column of such cells needs; an interval is one word."""
    words = [text] if text.startswith("(") else text.split()
    return min(max(map(shown_width, words), default=0), LONGEST_WORD)


def _widened(
    part: Sequence[int], least: Sequence[int], most: Sequence[int], width: int, close: bool
) -> dict[int, int]:
    """Return the widths of a part's columns: the widest are narrowed first until they fit."""
    for limit in range(max(most), -1, -1):
        widths = {index: max(least[index], min(most[index], limit)) for index in part}
        if width_of_line(widths.values(), close) <= width:
            break
    return widths


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text.startswith("-")

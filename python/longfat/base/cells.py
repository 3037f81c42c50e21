"""Cells of CSV text, and which of them are numbers."""

import csv
import io
import math
import re
from collections.abc import Sequence

from longfat.base.errors import BadInput

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)

_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def csv_lines(text: str, origin: str) -> list[tuple[int, list[str]]]:
    """Return (line number, cells) for each non-empty line of CSV text.

    Strips blanks around cells, and the byte order mark that spreadsheets write. Raises `BadInput`
    for malformed CSV; its message names `origin`, the source of the text.
    """
    file = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(file, skipinitialspace=True, strict=True)
    try:
        return [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if cells]
    except csv.Error as error:
        raise BadInput([f"{origin}:{reader.line_num}: {error}"]) from error


def names_in(text: str, origin: str) -> list[str]:
    """Return the names in a line of CSV; a quoted name may contain a comma.

    Raises `BadInput` for an empty name; its message names `origin`, the source of the text.
    """
    names = [name for _, cells in csv_lines(text, origin) for name in cells]
    if not names or not all(names):
        raise BadInput([f"{origin}: an empty name"])
    return names


def is_number(text: str) -> bool:
    """True if a cell is a finite decimal number.

    Stricter than `float`, which also accepts ``1_000`` and the digits of other scripts: in a table
    these are typing errors.
    """
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def shown_cells(cells: Sequence[str], most: int = 80) -> str:
    """Return cells for a message, in one line: control characters are escaped, the rest cut off."""
    text = ",".join(cells)[:most]
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def separator_problem(header: Sequence[str]) -> str | None:
    """Return the problem of a header with a separator other than commas; None if it has none."""
    if len(header) == 1:
        for separator, name in _OTHER_SEPARATORS.items():
            if separator in header[0]:
                return f"columns are separated by {name}; commas are expected"
    return None

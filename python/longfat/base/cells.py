"""The cells of a CSV: what stands between commas, and which of it are numbers."""

import csv
import io
import math
import re
from collections.abc import Sequence

from longfat.base.errors import BadInput

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)

_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


def csv_lines(text: str, origin: str) -> list[tuple[int, list[str]]]:
    """The cells of each line that is not empty, and the line's number.

    Blanks around a cell are no part of it, nor is the byte order mark with which spreadsheets begin
    a table. Raises `BadInput`, which says by `origin` where the text is from, for what is no CSV.
    """
    file = io.StringIO(text.removeprefix("\ufeff"), newline="")
    reader = csv.reader(file, skipinitialspace=True, strict=True)
    try:
        return [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if cells]
    except csv.Error as error:
        raise BadInput([f"{origin}:{reader.line_num}: {error}"]) from error


def names_in(text: str, origin: str) -> list[str]:
    """The names in a line of CSV, so that a name in quotes may have a comma.

    Raises `BadInput`, which says by `origin` where the text is from, for an empty name.
    """
    names = [name for _, cells in csv_lines(text, origin) for name in cells]
    if not names or not all(names):
        raise BadInput([f"{origin}: an empty name"])
    return names


def is_number(text: str) -> bool:
    """Whether a cell says a finite number.

    Python would also take ``1_000``, and the digits of other scripts: slips, in a table.
    """
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def separator_problem(header: Sequence[str]) -> str | None:
    """What to say to a header whose names stand between something else than commas."""
    if len(header) == 1:
        for separator, name in _OTHER_SEPARATORS.items():
            if separator in header[0]:
                return f"columns are separated by {name}; commas are expected"
    return None

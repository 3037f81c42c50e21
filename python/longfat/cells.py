"""What the cells of a CSV mean: plain numbers, between commas."""

import math
import re
from collections.abc import Sequence

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*", re.ASCII | re.IGNORECASE)

_OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


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

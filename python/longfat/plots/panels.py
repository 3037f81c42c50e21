"""Pictures with a panel for each pair of levels of two factors: what their plots share."""

from collections.abc import Sequence

from longfat.plots import Row


def level_of(row: Row, factor: str) -> str:
    """The level of a factor; empty if the rows do not have it."""
    level: str = row.get(factor, "")
    return level


def levels_of(rows: Sequence[Row], factor: str) -> list[str]:
    """The levels of a factor, in the order in which they come."""
    return list(dict.fromkeys(level_of(row, factor) for row in rows))


def named(factor: str, level: str) -> str:
    """A level that is a number is nothing without its factor; any other speaks for itself."""
    return f"{factor.replace('_', ' ')} {level}" if _is_number(level) else level


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

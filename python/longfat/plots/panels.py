"""Common parts of plots of studies: levels of factors, panel titles and captions."""

from collections.abc import Collection, Sequence

from longfat.analysis.words import listed
from longfat.base.numbers import counted
from longfat.plots.names import in_order
from longfat.plots.options import Row


def level_of(row: Row, factor: str) -> str:
    """Return the level of a factor; empty if the row does not have it."""
    level: str = row.get(factor, "")
    return level


def levels_of(rows: Sequence[Row], factor: str) -> list[str]:
    """Return the distinct levels of a factor: numbers in order, others as they appear."""
    return in_order(list(dict.fromkeys(level_of(row, factor) for row in rows)))


def named(factor: str, level: str) -> str:
    """Return the name of a level: a number with its factor, any other level alone."""
    return f"{factor.replace('_', ' ')} {level}" if _is_number(level) else level


def said_in_full(factor: str, level: str) -> str:
    """Return the name of a level with its factor, for a legend with levels of several factors."""
    return f"{factor.replace('_', ' ')} {level}"


def level_label(factor: str, level: str, levels: Collection[str]) -> str:
    """As `named`; an empty level among other `levels` is named as not varied."""
    if level or len(levels) == 1:
        return named(factor, level)
    return not_varied([factor])


def not_varied(factors: Sequence[str]) -> str:
    """Return the name for rows without a level of these factors."""
    return f"({listed([factor.replace('_', ' ') for factor in factors])} not varied)"


def as_many(counts: Collection[int], what: str) -> str:
    """Return counts in words: "2 runs", or the smallest and the largest, "1 to 3 runs"."""
    least, most = min(counts), max(counts)
    return counted(least, what) if least == most else f"{least} to {counted(most, what)}"


def means_and_ranges(rows: Sequence[Row], others: Sequence[str]) -> str:
    """Return a caption: replications per point, and the factors that lines of a colour vary."""
    counts = {row["replications"] for row in rows}
    words = (
        "deterministic runs, n = 1 each"
        if counts == {0}
        else f"means of n = {as_many(counts, 'replication')}, with their range"
    )
    if others:
        words += (
            f"; lines of a colour differ in {listed([name.replace('_', ' ') for name in others])}"
        )
    return words


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

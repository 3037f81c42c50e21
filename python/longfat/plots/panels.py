"""What plots of studies share: panels by the levels of factors, how many runs a value is of."""

from collections.abc import Collection, Sequence

from longfat.analysis.words import listed
from longfat.base.numbers import counted
from longfat.plots.options import Row


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


def told_level(factor: str, level: str, levels: Collection[str]) -> str:
    """As `named`; beside other `levels`, that a table does not have the factor is said as well."""
    if level or len(levels) == 1:
        return named(factor, level)
    return not_varied([factor])


def not_varied(factors: Sequence[str]) -> str:
    """What a name says that has no level of these factors."""
    return f"({listed([factor.replace('_', ' ') for factor in factors])} not varied)"


def as_many(counts: Collection[int], what: str) -> str:
    """How many there are of each: "2 runs", or the least and the most, "1 to 3 runs"."""
    least, most = min(counts), max(counts)
    return counted(least, what) if least == most else f"{least} to {counted(most, what)}"


def means_and_ranges(rows: Sequence[Row], others: Sequence[str]) -> str:
    """How many runs a point is of, and in which `others` lines of a colour differ."""
    counts = {row["replications"] for row in rows}
    told = (
        "deterministic runs, n = 1 each"
        if counts == {0}
        else f"means of n = {as_many(counts, 'replication')}, with their range"
    )
    if others:
        told += (
            f"; lines of a colour differ in {listed([name.replace('_', ' ') for name in others])}"
        )
    return told


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

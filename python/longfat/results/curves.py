"""Curves: the entries of a comparison along one factor, with the first sufficient level.

Pure functions of comparisons.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from longfat.results.comparison import Entry, TableComparison
from longfat.studies.reference import Combination


@dataclass(frozen=True)
class Curve:
    """Entries that differ in one factor only, by its levels.

    `enough` is the first level at which the value reaches the response's `enough` share of the
    value at the last level; None if the response sets no share or a run is missing.
    """

    combination: Combination
    entries: Mapping[str, Entry]
    enough: str | None


def curves(table: TableComparison) -> list[Curve]:
    """Return the curves of a table along the factor `across` of its response; [] without one."""
    across = table.response.across
    if across is None:
        return []
    found: dict[Combination, dict[str, Entry]] = {}
    for entry in table.entries:
        others = tuple(pair for pair in entry.combination if pair[0] != across)
        found.setdefault(others, {})[dict(entry.combination)[across]] = entry
    return [
        Curve(combination, entries, _first_enough(entries, table.response.enough))
        for combination, entries in found.items()
    ]


def curve_levels(table: TableComparison) -> list[str]:
    """Return the levels of the factor `across` in the table, in order."""
    return list(dict.fromkeys(level for curve in curves(table) for level in curve.entries))


def _first_enough(entries: Mapping[str, Entry], share: float | None) -> str | None:
    values = {level: value for level, entry in entries.items() if (value := entry.ours) is not None}
    if share is None or len(values) < len(entries):
        return None
    *_, last = values.values()
    return next(level for level, value in values.items() if value >= share * last)

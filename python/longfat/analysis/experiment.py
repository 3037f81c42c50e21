"""From observations to a crossed experiment, or to words about what keeps them from being one."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longfat.analysis.fit import ROUND_OFF, Array
from longfat.base.errors import BadInput, LongfatError

SMALLEST, LARGEST = 1e-100, 1e100
"""Between these no sum of squares underflows or overflows."""

SHOWN = 5
"""Offending combinations that a message lists before it only counts."""


@dataclass(frozen=True)
class Observation:
    """One value of the response, with the levels of the factors and where it was found.

    `replication` is None where nothing tells one replication from another.
    """

    levels: tuple[str, ...]
    replication: str | None
    value: float
    place: str


@dataclass(frozen=True)
class Experiment:
    """Every level of every factor with all others, each combination equally often.

    `values` has one axis for each factor, in order, and one for the replications.
    """

    response: str
    factors: Mapping[str, Sequence[str]]
    values: Array

    @property
    def replications(self) -> int:
        """How often each combination was observed."""
        return int(self.values.shape[-1])


def cross(
    response: str,
    factors: Mapping[str, Sequence[str]],
    observations: Sequence[Observation],
    matched: bool = False,
) -> Experiment:
    """Put observations into the grid of the factors, whose levels are given in order.

    With `matched` the replications of all combinations must bear the same names. Raises
    `LongfatError` for a factor with a single level, a response that never changes, and `BadInput`
    for combinations that are missing, repeated or not equally often observed.
    """
    for factor, levels in factors.items():
        if len(levels) < 2:
            only = f"one level ({levels[0]})" if levels else "no level"
            raise LongfatError(
                f"factor {factor!r} has {only}: there is nothing to compare; "
                "leave it out, or widen the selection"
            )
    groups = _grouped(observations)
    _check_balance(factors, groups)
    if matched:
        _check_matches(factors, groups)
    ordered = [_in_order(groups[cell]) for cell in itertools.product(*factors.values())]
    shape = [*(len(levels) for levels in factors.values()), -1]
    values = np.array([[row.value for row in rows] for rows in ordered]).reshape(shape)
    _check_values(response, values)
    return Experiment(response, factors, values)


_Groups = Mapping[tuple[str, ...], Sequence[Observation]]


def _grouped(observations: Sequence[Observation]) -> _Groups:
    """The observations of each combination. Raises `BadInput` for a replication given twice."""
    groups: dict[tuple[str, ...], list[Observation]] = {}
    seen: dict[tuple[tuple[str, ...], str], str] = {}
    problems = []
    for row in observations:
        groups.setdefault(row.levels, []).append(row)
        if row.replication is None:
            continue
        first = seen.setdefault((row.levels, row.replication), row.place)
        if first != row.place:
            problems.append(
                f"{row.place}: {_told(row.levels)}, replication {row.replication} stands "
                f"already in {first}; is a factor missing?"
            )
    if problems:
        raise BadInput(_shortened(problems))
    return groups


def _check_balance(factors: Mapping[str, Sequence[str]], groups: _Groups) -> None:
    cells = list(itertools.product(*factors.values()))
    missing = [_told(cell) for cell in cells if cell not in groups]
    if missing:
        raise BadInput(
            [
                f"not crossed: {len(missing)} of {len(cells)} combinations have no value:",
                *_shortened(missing),
                "leave out a factor, or choose a part where every level meets all others (--where)",
            ]
        )
    most = max(len(groups[cell]) for cell in cells)
    few = [
        f"{_told(cell)}: {len(groups[cell])} of {most}"
        for cell in cells
        if len(groups[cell]) < most
    ]
    if few:
        raise BadInput(
            [
                "not balanced: Jain's sums of squares need all combinations equally often; fewer:",
                *_shortened(few),
                "complete them, or choose a part that is balanced (--where)",
            ]
        )


def _check_matches(factors: Mapping[str, Sequence[str]], groups: _Groups) -> None:
    """Raise `BadInput` unless the n-th replication is there for every combination."""
    first, *others = list(itertools.product(*factors.values()))
    names = {row.replication for row in groups[first]}
    if None in names:
        raise LongfatError(
            "replications as blocks need names that say which ones belong together "
            "(--replication COLUMN)"
        )
    different = [
        _told(cell) for cell in others if {row.replication for row in groups[cell]} != names
    ]
    if different:
        raise BadInput(
            [
                f"the replications of {_told(first)} bear other names than those of:",
                *_shortened(different),
                "replications as blocks need the same names everywhere (or --no-blocks)",
            ]
        )


def _check_values(response: str, values: Array) -> None:
    """Raise `LongfatError` for values that do not differ, or whose squares no number can hold."""
    scale = float(np.abs(values).max())
    if scale >= LARGEST:
        raise LongfatError(f"{response} has values of size {scale:g}: choose another unit")
    spread = float(np.ptp(values))
    if spread <= ROUND_OFF * scale:
        but = " but for round-off" if spread else ""
        raise LongfatError(
            f"{response} is {values.flat[0]:g} in all {values.size} observations{but}: "
            "there is no variation to allocate"
        )
    if scale <= SMALLEST:
        raise LongfatError(f"{response} has values of size {scale:g}: choose another unit")


def _in_order(rows: Sequence[Observation]) -> Sequence[Observation]:
    """Rows by replication, numbers by value; as they came where nothing tells them apart."""
    if any(row.replication is None for row in rows):
        return rows
    return sorted(rows, key=lambda row: (len(row.replication or ""), row.replication))


def _told(levels: Sequence[str]) -> str:
    return "(" + ", ".join(levels) + ")"


def _shortened(lines: Sequence[str]) -> list[str]:
    rest = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {rest} more"] if rest > 0 else [])]

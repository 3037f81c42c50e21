"""Crossed experiments built from observations, with errors for unbalanced or unusable data."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longfat.analysis.fit import ROUND_OFF, Array
from longfat.base.errors import BadInput, LongfatError

SMALLEST, LARGEST = 1e-100, 1e100
"""Range of values without underflow or overflow in sums of squares."""

SHOWN = 5
"""Number of offending combinations that a message lists; it counts the others."""


@dataclass(frozen=True)
class Observation:
    """One value of the response, with its factor levels and its source (`place`, for messages).

    `replication` is None if replications are not identified.
    """

    levels: tuple[str, ...]
    replication: str | None
    value: float
    place: str


@dataclass(frozen=True)
class Experiment:
    """Full factorial experiment with equally many replications of each combination.

    `values` has the shape (levels of each factor in order, ..., replications).
    """

    response: str
    factors: Mapping[str, Sequence[str]]
    values: Array

    @property
    def replications(self) -> int:
        """Number of observations per combination."""
        return int(self.values.shape[-1])


class NotBalanced(BadInput):
    """Observations that are no full factorial experiment with equally many of each combination.

    `reason` is a part of a sentence.
    """

    def __init__(self, problems: Sequence[str], reason: str) -> None:
        super().__init__(problems)
        self.reason = reason


def cross(
    response: str,
    factors: Mapping[str, Sequence[str]],
    observations: Sequence[Observation],
    matched: bool = False,
) -> Experiment:
    """Arrange observations as a full factorial experiment; `factors` gives the order of levels.

    With `matched`, the replications of all combinations must have the same names. Raises
    `LongfatError` for a factor with a single level or a constant response, `NotBalanced` for
    combinations that are missing or not equally often there, `BadInput` for repeated replications.
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
    check_values(response, values)
    return Experiment(response, factors, values)


_Groups = Mapping[tuple[str, ...], Sequence[Observation]]


def _grouped(observations: Sequence[Observation]) -> _Groups:
    """Group observations by combination. Raises `BadInput` for a repeated replication."""
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
                f"{row.place}: {_in_brackets(row.levels)}, replication {row.replication} stands "
                f"already in {first}; is a factor missing?"
            )
    if problems:
        raise BadInput(_shortened(problems))
    return groups


def _check_balance(factors: Mapping[str, Sequence[str]], groups: _Groups) -> None:
    cells = list(itertools.product(*factors.values()))
    missing = [_in_brackets(cell) for cell in cells if cell not in groups]
    if missing:
        raise NotBalanced(
            [
                f"not crossed: {len(missing)} of {len(cells)} combinations have no value:",
                *_shortened(missing),
                "leave out a factor, or choose a part where every level meets all others (--where)",
            ],
            f"{len(missing)} of {len(cells)} combinations have no value",
        )
    most = max(len(groups[cell]) for cell in cells)
    few = [
        f"{_in_brackets(cell)}: {len(groups[cell])} of {most}"
        for cell in cells
        if len(groups[cell]) < most
    ]
    if few:
        raise NotBalanced(
            [
                "not balanced: Jain's sums of squares need all combinations equally often; fewer:",
                *_shortened(few),
                "complete them, or choose a part that is balanced (--where)",
            ],
            f"{len(few)} of {len(cells)} combinations have fewer than {most} values",
        )


def _check_matches(factors: Mapping[str, Sequence[str]], groups: _Groups) -> None:
    """Raise `BadInput` unless all combinations have the same replications, by name."""
    first, *others = list(itertools.product(*factors.values()))
    names = {row.replication for row in groups[first]}
    if None in names:
        raise unnamed()
    different = [
        _in_brackets(cell) for cell in others if {row.replication for row in groups[cell]} != names
    ]
    if different:
        raise BadInput(
            [
                f"the replications of {_in_brackets(first)} bear other names than those of:",
                *_shortened(different),
                "replications as blocks need the same names everywhere (or --no-blocks)",
            ]
        )


def unnamed() -> LongfatError:
    """Return the refusal of blocks whose replications have no names."""
    return LongfatError(
        "replications as blocks need names that say which ones belong together "
        "(--replication COLUMN)"
    )


def check_values(response: str, values: Array) -> None:
    """Raise `LongfatError` for a constant response, or values whose squares over- or underflow."""
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
    """Sort rows by replication, numbers by value; keep the order if replications are unnamed."""
    if any(row.replication is None for row in rows):
        return rows
    return sorted(rows, key=lambda row: (len(row.replication or ""), row.replication))


def _in_brackets(levels: Sequence[str]) -> str:
    return "(" + ", ".join(levels) + ")"


def _shortened(lines: Sequence[str]) -> list[str]:
    rest = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {rest} more"] if rest > 0 else [])]

"""Answer to a study's question: the best combination, its rivals, and what each factor is worth.

Its sentences are those of `longfat.analysis.answer_words`.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from longfat.analysis.analysis import Analysis, default_order
from longfat.analysis.best import Rival, screen
from longfat.analysis.fit import ROUND_OFF, Array, Fit, fit
from longfat.analysis.model import Model
from longfat.analysis.transformation import TRANSFORMATIONS
from longfat.analysis.worth import Dependence, Worth, dependences, worths
from longfat.base.errors import LongfatError
from longfat.records.directions import is_more_better
from longfat.results.comparison import TableComparison
from longfat.statistics.intervals import interval_of_mean

Levels = tuple[str, ...]
"""Levels of a combination, one for each factor."""


@dataclass(frozen=True)
class Cells:
    """Values of a response by combination: equally many replications of each, at least one.

    Combinations in `missing` have no value. `left_out` counts replications that only some of the
    combinations have. `is_drawn` is False for the runs of the scenario as it stands, replication 0.
    """

    factors: Sequence[str]
    values: Mapping[Levels, Sequence[float]]
    missing: int = 0
    left_out: int = 0
    is_drawn: bool = True


@dataclass(frozen=True)
class Placed:
    """A combination at the top, or at the bottom, with the interval of its mean, and its rivals.

    `is_most` is True for the highest value. `low` and `high` are None without replications.
    """

    levels: Levels
    is_most: bool
    mean: float
    low: float | None
    high: float | None
    rivals: Sequence[tuple[Levels, Rival]]


@dataclass(frozen=True)
class Answer:
    """Answer about one response.

    `more` says whether more of it is better, None if that is unknown; `placed` then has the highest
    and the lowest combination, otherwise the best one, and nothing if all values are equal.
    `worths` and `dependences` are empty if the combinations are no full factorial design.
    `deviation` is the standard deviation of the errors, None without an estimate.
    """

    response: str
    more: bool | None
    confidence: float
    cells: Cells
    replications: int
    placed: Sequence[Placed]
    worths: Sequence[Worth]
    dependences: Sequence[Dependence]
    is_crossed: bool
    deviation: float | None


def direction(response: str) -> bool | None:
    """Return whether more of a response is better; None if neither is, or it is unknown."""
    try:
        return is_more_better(response)
    except LongfatError:
        return None


def answer(
    response: str, cells: Cells, confidence: float, *, more: bool | None, common: bool
) -> Answer | None:
    """Answer for a response from its values; None without values.

    `common` says whether the n-th replications of all combinations share their random numbers.
    """
    if not cells.values:
        return None
    values = np.array(list(cells.values.values()), dtype=np.float64)
    paired = common and values.shape[1] > 1
    is_constant = float(np.ptp(values)) <= ROUND_OFF * float(np.abs(values).max())
    wanted = [more] if more is not None else [True, False]
    parts = None if is_constant or cells.missing else _fitted(cells, paired)
    levels = {} if parts is None else _varying(cells)
    certain = parts is not None and parts.model.error_degrees_of_freedom > 0
    return Answer(
        response=response,
        more=more,
        confidence=confidence,
        cells=cells,
        replications=values.shape[1],
        placed=[
            _placed(list(cells.values), values, is_most, confidence, paired)
            for is_most in ([] if is_constant else wanted)
        ],
        worths=[] if parts is None else list(worths(parts, levels, more is not False, confidence)),
        dependences=(
            [] if parts is None else dependences(parts, levels, more is not False, confidence)
        ),
        is_crossed=parts is not None,
        deviation=float(parts.standard_error) if parts is not None and certain else None,
    )


def answer_of_analysis(analysis: Analysis, more: bool | None = None) -> Answer:
    """Answer from the values of an analysis of variance.

    `more` says whether more of what was measured is better, if that is no metric.
    """
    cells = _cells_of(analysis)
    known = direction(analysis.measured) if more is None else more
    if known is not None and analysis.transform is not None:
        known = known is TRANSFORMATIONS[analysis.transform].keeps_order
    found = answer(
        analysis.response, cells, analysis.confidence, more=known, common=analysis.blocks
    )
    assert found is not None, "an analysis has values"
    return found


def _cells_of(analysis: Analysis) -> Cells:
    """Return the values by combination; as many of each as of the one that has the fewest."""
    names = list(analysis.factors)
    if analysis.observed is None:
        rows = np.asarray(analysis.values).reshape(-1, analysis.replications).tolist()
        combinations = itertools.product(*analysis.factors.values())
        return Cells(names, dict(zip(combinations, rows, strict=True)))
    found: dict[Levels, list[float]] = {}
    for levels, value in zip(analysis.observed, analysis.values, strict=True):
        found.setdefault(levels, []).append(value)
    fewest, most = min(map(len, found.values())), max(map(len, found.values()))
    return Cells(names, {levels: own[:fewest] for levels, own in found.items()}, 0, most - fewest)


def answer_of_table(table: TableComparison, confidence: float, *, common: bool) -> Answer | None:
    """Answer from the results of a table of a study; None if it has none.

    It uses the replications that all entries with results have in common, or the runs of the
    scenario as it stands if there are no others.
    """
    return answer(
        table.response.metric,
        _cells(table),
        confidence,
        more=direction(table.response.metric),
        common=common,
    )


def _cells(table: TableComparison) -> Cells:
    drawn = {
        tuple(level for _, level in entry.combination): entry.repeated for entry in table.entries
    }
    if not any(drawn.values()):
        values: dict[Levels, list[float]] = {
            tuple(level for _, level in entry.combination): [entry.deterministic]
            for entry in table.entries
            if entry.deterministic is not None
        }
        missing = len(drawn) - len(values)
        return Cells(table.factors, values, missing, is_drawn=False)
    have = {levels: repeated for levels, repeated in drawn.items() if repeated}
    numbers = [set(repeated) for repeated in have.values()]
    shared = sorted(set.intersection(*numbers))
    if not shared:  # such as replication 1 of one and replication 2 of another
        return Cells(table.factors, {}, len(drawn))
    return Cells(
        table.factors,
        {levels: [repeated[number] for number in shared] for levels, repeated in have.items()},
        len(drawn) - len(have),
        len(set.union(*numbers)) - len(shared),
    )


def _varying(cells: Cells) -> dict[str, list[str]]:
    """Return the levels of the factors that have several."""
    columns = zip(cells.factors, zip(*cells.values, strict=True), strict=True)
    levels = {factor: list(dict.fromkeys(column)) for factor, column in columns}
    return {factor: found for factor, found in levels.items() if len(found) > 1}


def _fitted(cells: Cells, blocks: bool) -> Fit | None:
    """Fit the effects of a full factorial design; None if the combinations are none."""
    levels = _varying(cells)
    if not levels or math.prod(map(len, levels.values())) != len(cells.values):
        return None
    places = [place for place, factor in enumerate(cells.factors) if factor in levels]
    by_levels = {
        tuple(combination[place] for place in places): values
        for combination, values in cells.values.items()
    }
    rows = [by_levels[combination] for combination in itertools.product(*levels.values())]
    counts = [len(found) for found in levels.values()]
    replications = len(rows[0])
    values: Array = np.array(rows, dtype=np.float64).reshape(*counts, replications)
    order = default_order(len(levels), replications)
    return fit(values, Model(tuple(counts), replications, order, blocks))


def _placed(
    combinations: Sequence[Levels], values: Array, is_most: bool, confidence: float, paired: bool
) -> Placed:
    screened = screen(values, is_most, confidence, paired)
    of_best = values[screened.best].tolist()
    low, high = interval_of_mean(of_best, confidence)
    rivals = [(combinations[rival.index], rival) for rival in screened.rivals]
    mean = math.fsum(of_best) / len(of_best)
    return Placed(combinations[screened.best], is_most, mean, low, high, rivals)

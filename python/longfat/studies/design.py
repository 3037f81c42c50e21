"""Experimental designs: their factor combinations, and the number of replications."""

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from longfat.base.errors import BadInput
from longfat.base.extras import need
from longfat.base.where import matching
from longfat.scenarios.scenario import Overrides
from longfat.statistics.intervals import DEFAULT_CONFIDENCE
from longfat.studies.factors import Factor
from longfat.studies.reference import Combination

_Factors = Sequence[Factor]

MOST_COMBINATIONS = 100_000
"""Most factor combinations of a plan: each takes 6 kB of memory."""

MOST_RUNS = 2_000_000
"""Most runs of a plan: each takes 0.2 kB of memory, and 0.4 kB while it is to be run."""


class Target(NamedTuple):
    """Largest half-width of a metric's interval: in its unit, or relative to the mean."""

    metric: str
    half_width: float
    is_relative: bool


class Condition(NamedTuple):
    """An SQL condition over the factors, with its place in the study file."""

    sql: str
    origin: str


class Precision(NamedTuple):
    """Stopping rule of replications: the first n, from `fewest` on, that reaches all targets.

    Without targets the number of replications is that of the design.
    """

    targets: Sequence[Target] = ()
    confidence: float = DEFAULT_CONFIDENCE
    fewest: int = 10


@dataclass(frozen=True)
class Design:
    """A design: factor combinations, number of replications, and random changes between them.

    `kind` is as in study files. Replication 0 is the unchanged scenario; replications 1 to
    `replications` apply `perturb`. With a `precision` there may be fewer. Only combinations that
    meet `where` exist, if it is not None. `generators` belongs to fractional designs,
    `combinations` to explicit ones, `points` and `sample_seed` to Latin hypercubes and Sobol's
    sequence.
    """

    kind: str
    replications: int
    seeds: Literal["common", "independent"]
    perturb: Overrides
    precision: Precision = Precision()  # noqa: RUF009
    where: Condition | None = None
    generators: Mapping[str, Sequence[str]] = field(default_factory=dict)
    combinations: Sequence[Combination] = ()
    points: int = 0
    sample_seed: int = 0


def size(design: Design, factors: _Factors) -> int:
    """Return the number of combinations of any design but `reference-rows`; builds none."""
    return _KINDS[design.kind].size(design, factors)


def check_number(count: int, place: str) -> None:
    """Raise `BadInput` for more factor combinations than can be planned."""
    if count > MOST_COMBINATIONS:
        problem = (
            f"{count} factor combinations are more than {MOST_COMBINATIONS}, the most that are "
            "planned: take fewer levels, or a design that does not cross all of them, such as sobol"
        )
        raise BadInput([f"{place}: {problem}"])


def too_many_runs(count: int, replications: int) -> str | None:
    """Return the problem if `count` combinations need more runs than can be planned, else None."""
    runs = count * (replications + 1)
    if runs <= MOST_RUNS:
        return None
    return (
        f"{runs} runs ({count} factor combinations, each with {replications} replications and one "
        f"deterministic) are more than {MOST_RUNS}, the most that are planned: "
        f"at most {MOST_RUNS // count - 1} replications can be asked for"
    )


def combinations(design: Design, factors: _Factors) -> list[Combination]:
    """Return the distinct combinations of any design but `reference-rows`, in order.

    Raises `LongfatError` for a condition that SQL refuses, `BadInput` for one that none meets.
    """
    found = list(dict.fromkeys(_KINDS[design.kind].combinations(design, factors)))
    if design.where is None:
        return found
    left_out = excluded(design.where, factors, found)
    if len(left_out) == len(found):
        problem = f"design.where: no factor combination meets {design.where.sql}"
        raise BadInput([f"{design.where.origin}: {problem}"])
    return [combination for combination in found if combination not in left_out]


def excluded(
    where: Condition, factors: _Factors, combinations: Sequence[Combination]
) -> set[Combination]:
    """Return the combinations that do not exist; those that lack a factor of `where` may."""
    columns = [factor.name for factor in factors]
    levels = map(dict, combinations)
    rows = [[chosen.get(name) for name in columns] for chosen in levels]
    # What is unknown, since a factor is left out, is not false.
    met = matching(
        columns, rows, f"coalesce((\n{where.sql}\n), 1)", f"{where.origin}: design.where"
    )
    return set(combinations).difference(combinations[index] for index in met)


def base_factors(design: Design, factors: _Factors) -> list[str]:
    """Return the factors of a fractional design that no generator sets."""
    return [factor.name for factor in factors if factor.name not in design.generators]


def _full_factorial(_design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield every level of every factor with every level of all others."""
    return itertools.product(
        *([(factor.name, level) for level in factor.levels] for factor in factors)
    )


def _two_level(_design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield a 2^k design: the first and the last level of every factor with those of all others."""
    return itertools.product(*([low, high] for low, high in map(_ends, factors)))


def _fractional(design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield a 2^(k-p) design: a generated factor's sign is the product of other factors' signs."""
    base = base_factors(design, factors)
    for signs in itertools.product([-1, 1], repeat=len(base)):
        sign = dict(zip(base, signs, strict=True))
        for generated, product in design.generators.items():
            sign[generated] = 1
            for factor in product:
                sign[generated] *= sign[factor]
        yield tuple(_ends(factor)[sign[factor.name] > 0] for factor in factors)


def _one_at_a_time(_design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield the first level of every factor, then each other level alone."""
    base = tuple(_ends(factor)[0] for factor in factors)
    yield base
    for position, factor in enumerate(factors):
        for level in list(factor.levels)[1:]:
            yield (*base[:position], (factor.name, level), *base[position + 1 :])


def _latin_hypercube(design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield a Latin hypercube: levels of a factor get equal shares if the number of points allows.

    M. D. McKay, R. J. Beckman, W. J. Conover: A comparison of three methods for selecting values of
    input variables in the analysis of output from a computer code. Technometrics 21 (1979).
    """
    sampler = _samplers(design).LatinHypercube(len(factors), rng=_generator(design))
    return _at_levels(sampler.random(design.points), factors)


def _sobol(design: Design, factors: _Factors) -> Iterator[Combination]:
    """Yield points of Sobol's low-discrepancy sequence, scrambled (A. B. Owen, 1998)."""
    sampler = _samplers(design).Sobol(len(factors), scramble=True, rng=_generator(design))
    return _at_levels(sampler.random(design.points), factors)


def _explicit(design: Design, _factors: _Factors) -> Iterator[Combination]:
    """Yield the combinations that the study lists."""
    return iter(design.combinations)


class _Kind(NamedTuple):
    """A kind of design: its combinations, and an upper bound of their number computed first."""

    combinations: Callable[[Design, _Factors], Iterator[Combination]]
    size: Callable[[Design, _Factors], int]


_KINDS: Mapping[str, _Kind] = {
    "full-factorial": _Kind(
        _full_factorial, lambda _, factors: math.prod(len(factor.levels) for factor in factors)
    ),
    "two-level": _Kind(_two_level, lambda _, factors: 2 ** len(factors)),
    "fractional": _Kind(
        _fractional, lambda design, factors: 2 ** len(base_factors(design, factors))
    ),
    "one-at-a-time": _Kind(
        _one_at_a_time, lambda _, factors: 1 + sum(len(factor.levels) - 1 for factor in factors)
    ),
    "latin-hypercube": _Kind(_latin_hypercube, lambda design, _: design.points),
    "sobol": _Kind(_sobol, lambda design, _: design.points),
    "explicit": _Kind(_explicit, lambda design, _: len(design.combinations)),
}


def _ends(factor: Factor) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the first and the last level: low and high in two-level designs."""
    levels = list(factor.levels)
    return (factor.name, levels[0]), (factor.name, levels[-1])


def _samplers(design: Design) -> Any:
    need("analysis", f'design.kind = "{design.kind}"', "scipy")
    from scipy.stats import qmc  # importing takes a second

    return qmc


def _generator(design: Design) -> object:
    import numpy as np

    return np.random.Generator(np.random.PCG64(design.sample_seed))


def _at_levels(points: "Sequence[Sequence[float]]", factors: _Factors) -> Iterator[Combination]:
    """Map points of the unit cube to levels, each with an equal part of its axis.

    Sorted by levels, like the combinations of factorial designs.
    """
    levels = [list(factor.levels) for factor in factors]
    places = sorted(
        tuple(int(at * len(known)) for at, known in zip(point, levels, strict=True))
        for point in points
    )
    for chosen in places:
        yield tuple(
            (factor.name, known[place])
            for place, factor, known in zip(chosen, factors, levels, strict=True)
        )

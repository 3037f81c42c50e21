"""Whether the residuals look like what the intervals assume: normal errors of one variance.

Jain (1991), section 14.7, looks at plots; here each look is a number. How unusual it is follows
from a Monte Carlo test: the same design is fitted to normal errors many times, so that the few
degrees of freedom that residuals of a factorial design have are taken into account exactly.
G. A. Barnard: Discussion of Bartlett's paper. J. R. Stat. Soc. B 25 (1963), p. 294.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from longfat.analysis.fit import Array, Fit, fit

SIGNIFICANCE = 0.05
"""A look that fewer than this share of designs with normal errors would give is doubtful."""

FEWEST_DEGREES_OF_FREEDOM = 3

DRAWS = 999
"""Simulated designs: p-values are multiples of 1/1000."""
FEWEST_DRAWS = 99
VALUES_AT_A_TIME = 1_000_000
VALUES_IN_ALL = 20_000_000
"""Experiments of more than 20,000 observations get fewer draws."""

SEED = 0
"""The same data get the same p-values."""

TIE = 1e-9
"""Statistics closer than this are equal: patterns of residuals repeat in small designs."""


@dataclass(frozen=True)
class Check:
    """One look at the residuals: a statistic and how unusual it is for normal errors."""

    name: str
    measure: str
    statistic: float
    p_value: float
    passed: bool
    detail: str

    @property
    def said(self) -> str:
        """The detail with the p-value beside the statement that it is of."""
        statement, _, more = self.detail.partition("; ")
        return "; ".join(filter(None, (f"{statement} (p = {self.p_value:.3f})", more)))


def check_residuals(parts: Fit, factors: Mapping[str, Sequence[str]]) -> list[Check]:
    """Check normality, constant variance and outliers.

    Nothing where there is no error, or where its few degrees of freedom leave residuals hardly more
    than one pattern.
    """
    too_few = parts.model.error_degrees_of_freedom < FEWEST_DEGREES_OF_FREEDOM
    if too_few or not parts.residuals.any():
        return []
    ranks = _average_ranks((parts.deviations - parts.residuals).ravel())
    looks: Mapping[str, Callable[[Array], Array]] = {
        "normality": quantile_correlation,
        "constant variance": lambda residuals: trend(residuals, ranks),
        "outliers": largest,
    }
    observed = {name: look(parts.residuals.reshape(1, -1))[0] for name, look in looks.items()}
    simulated = _simulated(parts, looks)
    return [_check(parts, factors, name, float(observed[name]), simulated[name]) for name in looks]


def quantile_correlation(residuals: Array) -> Array:
    """Of each row: the correlation of its ordered residuals with normal quantiles.

    A straight quantile-quantile plot gives 1. Positions (i - 3/8) / (n + 1/4): G. Blom, 1958.
    """
    count = residuals.shape[-1]
    quantiles = ndtri((np.arange(1, count + 1) - 0.375) / (count + 0.25))
    return _correlation(np.sort(residuals, axis=-1), quantiles)


def trend(residuals: Array, ranks: Array) -> Array:
    """Of each row: the correlation of |residual| with the rank of the predicted response."""
    return _correlation(np.abs(residuals), ranks)


def largest(residuals: Array) -> Array:
    """Of each row: the largest |residual| in standard deviations of a residual.

    All residuals of a balanced design have the same variance, which SSE / n estimates: that of an
    error times the share of the degrees of freedom that the error has.
    """
    deviation = np.sqrt((residuals**2).mean(axis=-1))
    return np.asarray(np.abs(residuals).max(axis=-1) / deviation)


def _simulated(parts: Fit, looks: Mapping[str, Callable[[Array], Array]]) -> Mapping[str, Array]:
    """The statistics of designs like this one whose errors are normal."""
    found: dict[str, list[Array]] = {name: [] for name in looks}
    for residuals in _normal_residuals(parts):
        for name, look in looks.items():
            found[name].append(look(residuals))
    return {name: np.concatenate(statistics) for name, statistics in found.items()}


def _normal_residuals(parts: Fit) -> Iterator[Array]:
    """Rows of residuals of simulated designs, a portion at a time."""
    observations = parts.model.observations
    random = np.random.Generator(np.random.PCG64(SEED))
    draws = max(FEWEST_DRAWS, min(DRAWS, VALUES_IN_ALL // observations))
    portion = max(1, VALUES_AT_A_TIME // observations)
    for start in range(0, draws, portion):
        errors = random.standard_normal((min(portion, draws - start), *parts.values.shape))
        yield fit(errors, parts.model).residuals.reshape(-1, observations)


def _check(
    parts: Fit,
    factors: Mapping[str, Sequence[str]],
    name: str,
    observed: float,
    simulated: Array,
) -> Check:
    if name == "normality":
        measure, extreme = "correlation with normal quantiles", simulated <= observed + TIE
        detail = ("look like normal errors", "do not look like normal errors")
    elif name == "constant variance":
        measure = "correlation of |residual| with the rank of the prediction"
        extreme = np.abs(simulated) >= abs(observed) - TIE
        direction = "grow" if observed > 0 else "shrink"
        share = _largest_share(parts)
        detail = (
            f"do not change in size with the response; the largest is {share}",
            f"{direction} with the response; the largest is {share}",
        )
    else:
        measure, extreme = "largest |residual| / its deviation", simulated >= observed - TIE
        place = _largest_place(parts, factors)
        detail = (f"are not unusually large; the largest is at {place}", f"stand out at {place}")
    p_value = float((1 + np.count_nonzero(extreme)) / (1 + len(simulated)))
    passed = p_value >= SIGNIFICANCE
    return Check(name, measure, observed, p_value, passed, detail[0 if passed else 1])


def _largest_share(parts: Fit) -> str:
    """The largest residual beside the smallest prediction; far below 10 %, a trend matters little.

    Jain, section 14.7: "if the residuals are an order of magnitude smaller".
    """
    smallest = float(np.abs(parts.predicted).min())
    largest_residual = float(np.abs(parts.residuals).max())
    if smallest == 0:
        return "beyond comparison with a prediction of 0"
    return f"{100 * largest_residual / smallest:.2f} % of the smallest prediction"


def _largest_place(parts: Fit, factors: Mapping[str, Sequence[str]]) -> str:
    position = int(np.abs(parts.residuals).argmax())
    *cell, replication = np.unravel_index(position, parts.residuals.shape)
    levels = [levels[int(index)] for levels, index in zip(factors.values(), cell, strict=True)]
    which = f", observation {replication + 1}" if parts.model.replications > 1 else ""
    return f"({', '.join(levels)}){which}"


def _correlation(rows: Array, reference: Array) -> Array:
    """The correlation of each row with `reference`; 0 where one side does not vary."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    direction = reference - reference.mean()
    spread = np.sqrt((centred**2).sum(axis=-1))
    size = np.sqrt((rows**2).sum(axis=-1))
    length = np.sqrt((direction**2).sum())
    varies = (spread > TIE * size) & (length > 0)
    scale = np.where(varies, spread * length, 1.0)
    return np.where(varies, centred @ direction / scale, 0.0)


def _average_ranks(values: Array) -> Array:
    """Ranks from 0, the same for equal values, which round-off may have set apart."""
    steps = np.round(values / (TIE * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)))
    _, inverse, counts = np.unique(steps, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse], dtype=np.float64)

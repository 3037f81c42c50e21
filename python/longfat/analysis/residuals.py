"""Residual checks: tests of the assumption of normal errors with constant variance.

Jain (1991), section 14.7, checks plots by eye; here each check has a test statistic. Its p-value
is from a Monte Carlo test: the design is fitted to simulated normal errors many times, which takes
exact account of the few degrees of freedom of residuals in a factorial design.
G. A. Barnard: Discussion of Bartlett's paper. J. R. Stat. Soc. B 25 (1963), p. 294.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from longfat.analysis.fit import Array
from longfat.statistics.normal import normal_quantile

SIGNIFICANCE = 0.05
"""Significance level: a check with a smaller p-value fails."""

FEWEST_DEGREES_OF_FREEDOM = 3

DRAWS = 999
"""Number of simulated designs: p-values are multiples of 1/1000."""
FEWEST_DRAWS = 99
VALUES_AT_A_TIME = 1_000_000
VALUES_IN_ALL = 20_000_000
"""Limit of simulated values: experiments of more than 20,000 observations get fewer draws."""

SEED = 0
"""Fixed seed, so that p-values are reproducible."""

TIE = 1e-9
"""Statistics closer than this count as equal: residual patterns repeat in small designs."""


@dataclass(frozen=True)
class Check:
    """Check of the residuals: a test statistic and its p-value under normal errors."""

    name: str
    measure: str
    statistic: float
    p_value: float
    passed: bool
    detail: str

    @property
    def said(self) -> str:
        """Detail, with the p-value after the statement that it belongs to."""
        statement, _, more = self.detail.partition("; ")
        return "; ".join(filter(None, (f"{statement} (p = {self.p_value:.3f})", more)))


@dataclass(frozen=True)
class Errors:
    """Residuals of a fit, one for each observation.

    `fitted` are the predictions minus their mean, `left` returns the residuals of other responses
    of the same design, one per row, and `place` names an observation in words.
    """

    residuals: Array
    predicted: Array
    fitted: Array
    degrees_of_freedom: int
    left: Callable[[Array], Array]
    place: Callable[[int], str]


def check_residuals(errors: Errors) -> list[Check]:
    """Check normality, constant variance and outliers.

    Return [] without residuals, or with fewer than `FEWEST_DEGREES_OF_FREEDOM` of the error, which
    leave hardly more than one pattern of residuals.
    """
    too_few = errors.degrees_of_freedom < FEWEST_DEGREES_OF_FREEDOM
    if too_few or not errors.residuals.any():
        return []
    ranks = _average_ranks(errors.fitted)
    looks: Mapping[str, Callable[[Array], Array]] = {
        "normality": quantile_correlation,
        "constant variance": lambda residuals: trend(residuals, ranks),
        "outliers": largest,
    }
    observed = {name: look(errors.residuals.reshape(1, -1))[0] for name, look in looks.items()}
    simulated = _simulated(errors, looks)
    return [_check(errors, name, float(observed[name]), simulated[name]) for name in looks]


def quantile_correlation(residuals: Array) -> Array:
    """Compute, for each row, the correlation of its sorted residuals with normal quantiles.

    It is 1 for a straight quantile-quantile plot. Plotting positions are (i - 3/8) / (n + 1/4)
    (G. Blom, 1958).
    """
    count = residuals.shape[-1]
    quantiles = np.array([normal_quantile(rank, count) for rank in range(1, count + 1)])
    return _correlation(np.sort(residuals, axis=-1), quantiles)


def trend(residuals: Array, ranks: Array) -> Array:
    """Compute, for each row, the correlation of |residual| with the rank of the prediction."""
    return _correlation(np.abs(residuals), ranks)


def largest(residuals: Array) -> Array:
    """Compute, for each row, the largest |residual| in standard deviations of a residual.

    All residuals of a balanced design have the same variance, estimated by SSE / n: the variance
    of errors times the error's share of the degrees of freedom. It is their mean in others.
    """
    deviation = np.sqrt((residuals**2).mean(axis=-1))
    return np.asarray(np.abs(residuals).max(axis=-1) / deviation)


def _simulated(
    errors: Errors, looks: Mapping[str, Callable[[Array], Array]]
) -> Mapping[str, Array]:
    """Simulate the statistics under normal errors, by name."""
    found: dict[str, list[Array]] = {name: [] for name in looks}
    for residuals in _normal_residuals(errors):
        for name, look in looks.items():
            found[name].append(look(residuals))
    return {name: np.concatenate(statistics) for name, statistics in found.items()}


def _normal_residuals(errors: Errors) -> Iterator[Array]:
    """Yield residuals of simulated designs, one per row, in portions of limited size."""
    observations = errors.residuals.size
    random = np.random.Generator(np.random.PCG64(SEED))
    draws = max(FEWEST_DRAWS, min(DRAWS, VALUES_IN_ALL // observations))
    portion = max(1, VALUES_AT_A_TIME // observations)
    for start in range(0, draws, portion):
        yield errors.left(random.standard_normal((min(portion, draws - start), observations)))


def _check(
    errors: Errors,
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
        share = _largest_share(errors)
        detail = (
            f"do not change in size with the response; the largest is {share}",
            f"{direction} with the response; the largest is {share}",
        )
    else:
        measure, extreme = "largest |residual| / its deviation", simulated >= observed - TIE
        place = errors.place(int(np.abs(errors.residuals).argmax()))
        detail = (f"are not unusually large; the largest is at {place}", f"stand out at {place}")
    p_value = float((1 + np.count_nonzero(extreme)) / (1 + len(simulated)))
    passed = p_value >= SIGNIFICANCE
    return Check(name, measure, observed, p_value, passed, detail[0 if passed else 1])


def _largest_share(errors: Errors) -> str:
    """Return the largest residual in percent of the smallest prediction, as text.

    Far below 10 %, a trend matters little; Jain, section 14.7: "if the residuals are an order of
    magnitude smaller".
    """
    smallest = float(np.abs(errors.predicted).min())
    largest_residual = float(np.abs(errors.residuals).max())
    if smallest == 0:
        return "beyond comparison with a prediction of 0"
    return f"{100 * largest_residual / smallest:.2f} % of the smallest prediction"


def _correlation(rows: Array, reference: Array) -> Array:
    """Compute the correlation of each row with `reference`; 0 if either is constant."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    direction = reference - reference.mean()
    spread = np.sqrt((centred**2).sum(axis=-1))
    size = np.sqrt((rows**2).sum(axis=-1))
    length = np.sqrt((direction**2).sum())
    varies = (spread > TIE * size) & (length > 0)
    scale = np.where(varies, spread * length, 1.0)
    return np.where(varies, centred @ direction / scale, 0.0)


def _average_ranks(values: Array) -> Array:
    """Return ranks from 0, averaged over values that are equal up to round-off."""
    steps = np.round(values / (TIE * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)))
    _, inverse, counts = np.unique(steps, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts + 1) / 2)[inverse], dtype=np.float64)

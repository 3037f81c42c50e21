"""Covariance ellipses of replications in the plane of two metrics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import covariance, fmean, stdev

_STEPS = 28


@dataclass(frozen=True)
class Spread:
    """Two metrics over replications: means, standard deviations and covariance.

    Deviations and covariance are None for a single replication.
    """

    x: float
    y: float
    x_deviation: float | None
    y_deviation: float | None
    covariance: float | None
    replications: int

    @classmethod
    def of(cls, x: Mapping[int, float], y: Mapping[int, float]) -> "Spread":
        """Compute the spread of the replications that have both metrics, one at least."""
        both = [(x[number], y[number]) for number in x if number in y]
        first, second = zip(*both, strict=True)
        known = len(both) > 1
        return cls(
            fmean(first),
            fmean(second),
            stdev(first) if known else None,
            stdev(second) if known else None,
            covariance(first, second) if known else None,
            len(both),
        )


def outline(
    x: float, y: float, x_deviation: float, y_deviation: float, both: float
) -> tuple[list[float], list[float]]:
    """Return the ellipse m + L (cos t, sin t), at one standard deviation from the means.

    L is the Cholesky factor of the covariance matrix, off whose diagonal is `both`.
    """
    slant = both / x_deviation if x_deviation else 0.0
    rest = math.sqrt(max(0.0, y_deviation**2 - slant**2))
    angles = [2 * math.pi * step / _STEPS for step in range(_STEPS + 1)]
    return (
        [x + x_deviation * math.cos(angle) for angle in angles],
        [y + slant * math.cos(angle) + rest * math.sin(angle) for angle in angles],
    )

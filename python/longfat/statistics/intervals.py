"""Confidence intervals of means by Student's t quantiles, exact or rounded as in tables."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from longfat._engine import student_quantile
from longfat.base.errors import InvalidInput

DEFAULT_CONFIDENCE = 0.90
"""Confidence used in ATM Forum 98-0876R1, section 8.1."""

TABLE_DECIMALS = 3
"""Decimals of the quantiles in Jain's Table A.4, which section 8.1 uses: t[0.95; 6] = 1.943.

The last digit of two limits in its Table 12 depends on this rounding.
"""


@dataclass(frozen=True)
class Intervals:
    """Two-sided confidence intervals; unless `exact`, quantiles are rounded as in Table A.4.

    Raises `InvalidInput` for a confidence that is not between 0 and 1.
    """

    confidence: float = DEFAULT_CONFIDENCE
    exact: bool = False

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    def quantile(self, degrees_of_freedom: int) -> float:
        """Return Student's quantile t[(1 + confidence) / 2; degrees of freedom]."""
        quantile = student_quantile(degrees_of_freedom, (1 + self.confidence) / 2)
        return quantile if self.exact else round(quantile, TABLE_DECIMALS)


def half_width(values: Sequence[float], confidence: float) -> float:
    """Return half the width of Student's interval of the mean of at least two values."""
    quantile = Intervals(confidence, exact=True).quantile(len(values) - 1)
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def interval_of_mean(
    values: Sequence[float], confidence: float
) -> tuple[float, float] | tuple[None, None]:
    """Return the limits of Student's interval of the mean; (None, None) for fewer than two values.

    `confidence` is a share between 0 and 1.
    """
    if len(values) < 2:
        return None, None
    mean, width = statistics.fmean(values), half_width(values, confidence)
    return mean - width, mean + width


def check_confidence(confidence: float, above: float = 0.0) -> None:
    """Raise `InvalidInput` for a confidence not between `above` and 1, such as 95 for 95 %."""
    if not above < confidence < 1:  # nor is NaN
        raise InvalidInput([f"confidence: {confidence!r} is not between {above:g} and 1"])

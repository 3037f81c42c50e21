"""How wide confidence intervals are: Student's quantiles, as tables print them or exact."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from longfat.base.errors import InvalidInput

DEFAULT_CONFIDENCE = 0.90
"""As in 98-0876R1, section 8.1."""

TABLE_DECIMALS = 3
"""Of the quantiles in Jain's Table A.4, which section 8.1 reads: t[0.95; 6] = 1.943.

Two limits of its Table 12 have their last digit from this rounding.
"""


@dataclass(frozen=True)
class Intervals:
    """Two-sided intervals of a confidence; `exact` does not round Student's quantiles.

    Raises `InvalidInput` as `check_confidence` does.
    """

    confidence: float = DEFAULT_CONFIDENCE
    exact: bool = False

    def __post_init__(self) -> None:
        check_confidence(self.confidence)

    def quantile(self, degrees_of_freedom: int) -> float:
        """t[(1 + confidence) / 2; degrees of freedom]."""
        from scipy.special import stdtrit  # which takes longer to load than most commands to end

        quantile = float(stdtrit(degrees_of_freedom, (1 + self.confidence) / 2))
        return quantile if self.exact else round(quantile, TABLE_DECIMALS)


def half_width(values: Sequence[float], confidence: float) -> float:
    """Half of the width of Student's interval of the mean of at least two values."""
    quantile = Intervals(confidence, exact=True).quantile(len(values) - 1)
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def interval_of_mean(
    values: Sequence[float], confidence: float
) -> tuple[float, float] | tuple[None, None]:
    """The limits of Student's interval of the mean; none for fewer than two values."""
    if len(values) < 2:
        return None, None
    mean, width = statistics.fmean(values), half_width(values, confidence)
    return mean - width, mean + width


def check_confidence(confidence: float, above: float = 0.0) -> None:
    """Raise `InvalidInput` for what is no share between `above` and 1, such as 95 for 95 %."""
    if not above < confidence < 1:  # nor is NaN
        raise InvalidInput([f"confidence: {confidence!r} is not between {above:g} and 1"])

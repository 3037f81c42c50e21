"""Bisection for the smallest setting that meets a target, with a confidence for the result.

For example, the smallest buffer with 98 % of the throughput. Settings are whole numbers, and a
larger one is never worse. A setting is *enough* if the lower confidence limit of the mean over
replications reaches the target, and *too little* if the upper limit does not (the reverse if less
is better); otherwise it is *open*. Two bisections on a logarithmic scale find the smallest setting
that is enough and the largest that is too little, which bracket the answer.

A search tests several settings, and one wrong test misleads it. So the allowed error is divided
among the limits (Bonferroni): all of them hold together with the requested confidence.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from longfat.base.errors import LongfatError
from longfat.statistics.intervals import half_width

Verdict = Literal["enough", "open", "too little"]

Values = Callable[[int], Sequence[float]]
"""Returns the metric per replication for a setting: two or more, equally many for each setting."""

Show = Callable[[float, float, Verdict], object]
"""Called after each test with the setting, its mean and its verdict."""


@dataclass(frozen=True)
class Found:
    """Result of a search: the bracket of the smallest setting, and all tested settings.

    `enough` is the smallest setting found to be enough, None if even the largest is not;
    `too_little` is the largest one below it that is too little, None if there is none. `tried`,
    `half_widths` and `verdicts` have the mean of each tested setting, the half-width of its
    interval (both in the unit of the metric), and its verdict. `cautions` are sentences about the
    validity of the measurement.
    """

    enough: float | None
    too_little: float | None
    tried: dict[float, float]
    half_widths: dict[float, float]
    verdicts: dict[float, Verdict]
    cautions: Sequence[str] = ()


@dataclass
class _Search:
    values: Values
    target: float
    confidence: float
    more_is_better: bool
    show: Show | None
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    means: dict[int, float] = field(default_factory=dict)
    half_widths: dict[int, float] = field(default_factory=dict)

    def verdict(self, setting: int) -> Verdict:
        """Return the verdict of a setting, which is tested once."""
        if setting not in self.verdicts:
            values = self.values(setting)
            _check_values(setting, values)
            self.means[setting] = mean = fmean(values)
            # One-sided limits: a two-sided interval has half of its error beyond either limit.
            self.half_widths[setting] = width = half_width(values, 2 * self.confidence - 1)
            self.verdicts[setting] = verdict = self._judged(mean, width)
            if self.show is not None:
                self.show(setting, mean, verdict)
        return self.verdicts[setting]

    def _judged(self, mean: float, width: float) -> Verdict:
        sign = 1 if self.more_is_better else -1
        mean, target = sign * mean, sign * self.target
        if mean - width >= target:
            return "enough"
        return "too little" if mean + width < target else "open"

    def found(self, enough: int | None) -> Found:
        """Return the result, with the tested settings in ascending order."""
        # By chance, a setting larger than `enough` may be too little.
        below = math.inf if enough is None else enough
        few = [n for n, verdict in self.verdicts.items() if verdict == "too little" and n < below]
        too_little = max(few, default=None)
        means: dict[float, float] = dict(sorted(self.means.items()))
        widths: dict[float, float] = dict(sorted(self.half_widths.items()))
        verdicts: dict[float, Verdict] = dict(sorted(self.verdicts.items()))
        return Found(enough, too_little, means, widths, verdicts)

    def boundary(
        self, low: int, high: int, resolution: float, is_above: Callable[[Verdict], bool]
    ) -> tuple[int | None, int | None]:
        """Bisect for the neighbouring settings between which `is_above` becomes true."""
        if not is_above(self.verdict(high)):
            return high, None
        if is_above(self.verdict(low)):
            return None, low
        while (middle := _middle(low, high, resolution)) is not None:
            if is_above(self.verdict(middle)):
                high = middle
            else:
                low = middle
        return low, high


def smallest_enough(
    values: Values,
    target: float,
    low: int,
    high: int,
    *,
    more_is_better: bool = True,
    confidence: float = 0.95,
    resolution: float = 0.1,
    show: Show | None = None,
) -> Found:
    """Search from `low` to `high`, until neighbours differ by less than the share `resolution`.

    `target` is in the unit of `values`: the least mean allowed, or the largest unless
    `more_is_better`. `confidence` is a share between 0 and 1, for the whole result. `show` is
    called after each test. Raises `LongfatError` unless 0 < low < high, for an invalid target,
    confidence or resolution, and for values without a mean and an interval.
    """
    if not 0 < low < high:
        raise LongfatError(f"a search needs two positive bounds in order, not {low} and {high}")
    if not math.isfinite(target):
        raise LongfatError(f"a search needs a target that is a finite number, not {target}")
    if not 0 < confidence < 1:
        raise LongfatError(f"a search needs a confidence between 0 and 1, not {confidence}")
    if not 0 < resolution < math.inf:
        raise LongfatError(f"a search needs a resolution above 0, not {resolution}")
    looks = looks_at_most(low, high, resolution)
    search = _Search(values, target, 1 - (1 - confidence) / looks, more_is_better, show)
    _, enough = search.boundary(low, high, resolution, lambda verdict: verdict == "enough")
    search.boundary(low, high, resolution, lambda verdict: verdict != "too little")
    return search.found(enough)


def _check_values(setting: int, values: Sequence[float]) -> None:
    """Raise `LongfatError` for fewer than two values, or values that are not finite."""
    if len(values) < 2:
        raise LongfatError(
            f"setting {setting}: {len(values)} replications say nothing of chance; two are needed"
        )
    for replication, value in enumerate(values, start=1):
        if not math.isfinite(value):
            raise LongfatError(f"setting {setting}: replication {replication} yields {value}")


def _middle(low: int, high: int, resolution: float) -> int | None:
    """Return the geometric mean of two settings, rounded; None if they are close enough."""
    if high - low <= 1 or high / low <= 1 + resolution:
        return None
    return min(max(round(math.sqrt(low * high)), low + 1), high - 1)


def looks_at_most(low: int, high: int, resolution: float) -> int:
    """Return the largest number of settings that a search tests: both bounds and two bisections.

    Found by recursion, since middles are rounded to whole numbers and halves are unequal.
    """
    _, of_two = _most_middles(low, high, resolution)
    return 2 + of_two


def _most_middles(low: int, high: int, resolution: float) -> tuple[int, int]:
    """Return how many settings between two one bisection tests at most, and two together."""
    middle = _middle(low, high, resolution)
    if middle is None:
        return 0, 0
    below, both_below = _most_middles(low, middle, resolution)
    above, both_above = _most_middles(middle, high, resolution)
    return 1 + max(below, above), 1 + max(both_below, both_above, below + above)

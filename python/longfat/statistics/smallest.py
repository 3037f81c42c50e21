"""The smallest setting with which something is enough, searched for with confidence.

The smallest buffer with 98 % of the throughput, say. Settings are whole numbers, of which more is
never worse. A setting is *enough* when the lower confidence limit of the mean over replications
reaches the target, and *too little* when the upper one does not (the other way round where less is
better); between these it is open at so many replications. Two bisections on a logarithmic scale
find the smallest setting that is enough and the largest that is too little: what is asked for lies
between them.

A search looks at several settings, and one wrong look misleads it. So each limit has a share of the
error that is allowed: all of them are right together with the confidence asked for (Bonferroni).
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
"""What each replication yields with a setting; at least two, the same number for every setting."""

Show = Callable[[float, float, Verdict], object]
"""Called after each look with the setting, its mean and its verdict."""


@dataclass(frozen=True)
class Found:
    """Between what the smallest setting lies, and what was tried: the mean of each setting.

    `enough` is the smallest setting found to be enough, `too_little` the largest found not to be.
    None where the largest setting of all is not enough, or none is too little. Each
    setting that was tried has its verdict, and the half-width of the interval that gave it.
    `cautions` say what else there is to know of what was measured.
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
        """Of each setting once."""
        if setting not in self.verdicts:
            values = self.values(setting)
            _check_values(setting, values)
            self.means[setting] = mean = fmean(values)
            # Half of the error is beyond either limit of a two-sided interval.
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
        """The answer, with all that was tried from the smallest setting on."""
        # By chance the smallest may be open, and one that is larger too little.
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
        """The settings on either side of where verdicts begin to be above, as near as asked for."""
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

    Where less of what settings yield is better, the target is what it may be at most. `show` is
    told of each look. Raises `LongfatError` for bounds that are no positive numbers in order, for
    other numbers that cannot be searched with, and for values of which there is no mean with an
    interval.
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
    """Raise `LongfatError` for values that have no mean, or nothing that says how sure it is."""
    if len(values) < 2:
        raise LongfatError(
            f"setting {setting}: {len(values)} replications say nothing of chance; two are needed"
        )
    for replication, value in enumerate(values, start=1):
        if not math.isfinite(value):
            raise LongfatError(f"setting {setting}: replication {replication} yields {value}")


def _middle(low: int, high: int, resolution: float) -> int | None:
    """The setting between two at which a bisection looks next; None for neighbours."""
    if high - low <= 1 or high / low <= 1 + resolution:
        return None
    return min(max(round(math.sqrt(low * high)), low + 1), high - 1)


def looks_at_most(low: int, high: int, resolution: float) -> int:
    """At how many settings a search looks: both bounds, and those of two bisections between them.

    They are counted, since middles are rounded to whole numbers: halves are not equal.
    """
    _, of_two = _most_middles(low, high, resolution)
    return 2 + of_two


def _most_middles(low: int, high: int, resolution: float) -> tuple[int, int]:
    """At how many settings between two one bisection looks at most, and two bisections together."""
    middle = _middle(low, high, resolution)
    if middle is None:
        return 0, 0
    below, both_below = _most_middles(low, middle, resolution)
    above, both_above = _most_middles(middle, high, resolution)
    return 1 + max(below, above), 1 + max(both_below, both_above, below + above)

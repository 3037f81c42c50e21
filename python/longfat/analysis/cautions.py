"""Cautions about the validity of means and their intervals, as sentences.

Student's intervals assume replications of one distribution without outliers, of runs long enough
that the initial transient does not matter.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from longfat import _engine
from longfat.analysis.undelivered import undelivered
from longfat.base.units import BITS_PER_BYTE, PICOSECONDS_PER_SECOND
from longfat.results.comparison import Results
from longfat.studies.plan import Plan
from longfat.studies.reference import Combination

SIGNIFICANCE = 0.01
"""Significance of the outlier test, over all series of a study together (Bonferroni)."""

FEWEST_FOR_OUTLIERS = 5

FEWEST_CYCLES = 10
"""Smallest number of window regrowths within a run that averages over losses."""

LONGEST_START = 0.05
"""Largest share of the measured time that slow start may take without a caution."""

CELL_PAYLOAD_BITS = 48 * BITS_PER_BYTE


@dataclass(frozen=True)
class Path:
    """Time constants of a scenario in seconds, to which the length of a run is compared."""

    duration_s: float
    measured_from_s: float
    round_trip_s: float
    slow_start_s: float
    regrowth_s: float

    @property
    def measured_s(self) -> float:
        """Measured time in seconds: from `measured_from_s` to the end of the run."""
        return self.duration_s - self.measured_from_s

    @property
    def cycles(self) -> float:
        """Number of window regrowths after a loss that fit into the measured time."""
        return self.measured_s / self.regrowth_s if self.regrowth_s else math.inf

    @property
    def start(self) -> float:
        """Share of the measured time that slow start takes."""
        return max(0.0, self.slow_start_s - self.measured_from_s) / self.measured_s


def cautions(plan: Plan, results: Results, metrics: Sequence[str]) -> list[str]:
    """Return the cautions about these metrics of a plan, given the results so far."""
    return [
        *without_chance(results),
        *(str(lack) for lack in undelivered(results, metrics)),
        *_outliers(results, metrics),
        *lengths(plan),
    ]


def without_chance(results: Results) -> list[str]:
    """Return the caution that all replications are equal, if that is so; otherwise []."""
    drawn = ([runs[number] for number in runs if number > 0] for runs in results.values())
    repeated = [runs for runs in drawn if len(runs) > 1]
    if not repeated or any(run != runs[0] for runs in repeated for run in runs):
        return []
    what = "all replications are the same: nothing in the scenario is left to chance"
    return [f"{what}, and an interval from them says nothing"]


def outlier(values: Sequence[float], significance: float) -> int | None:
    """Return the index of the outlier by Grubbs' two-sided test; None if there is none.

    F. E. Grubbs: Procedures for detecting outlying observations in samples. Technometrics 11
    (1969), p. 1.
    """
    count = len(values)
    if count < FEWEST_FOR_OUTLIERS:
        return None
    mean = math.fsum(values) / count
    spread = math.dist(values, [mean] * count) / math.sqrt(count - 1)
    if spread <= 1e-9 * abs(mean):
        return None
    farthest = max(min(values), max(values), key=lambda value: abs(value - mean))
    deviation = abs(farthest - mean) / spread
    is_far = deviation > _least_limit(count, significance) and deviation > outlier_limit(
        count, significance
    )
    return values.index(farthest) if is_far else None


def outlier_limit(count: int, significance: float) -> float:
    """Return the critical value of Grubbs' two-sided test, in standard deviations."""
    from scipy.special import stdtrit  # imported here, since loading it is slow

    return _limit(count, float(stdtrit(count - 2, 1 - significance / (2 * count))))


def _least_limit(count: int, significance: float) -> float:
    """Return a lower bound of `outlier_limit`, from the normal quantile.

    Most values are within it, so that scipy need not be loaded for them.
    """
    return _limit(count, -NormalDist().inv_cdf(significance / (2 * count)))


def _limit(count: int, quantile: float) -> float:
    return (count - 1) / math.sqrt(count) * math.sqrt(quantile**2 / (count - 2 + quantile**2))


def path_of(settings: Mapping[str, Any]) -> Path | None:
    """Return the time constants of a resolved scenario; None unless its topology is n-source.

    Slow start doubles the window per round trip, up to the receiver window if the buffer is
    unlimited. Otherwise, and after a loss, a window reaches its share of bandwidth-delay product
    and buffer, or the receiver window if that is less. The congestion controls declare their
    regrowth time: for Reno one round trip per segment of half the window (Mathis, Semke, Mahdavi,
    Ott, Computer Communication Review 27, 1997, figure 1), times the segments per acknowledgment.
    """
    topology, tcp = settings["topology"], settings["tcp"]
    if topology.get("kind") != "n-source":
        return None
    round_trip_s = (
        2
        * (2 * topology["access"]["delay_ps"] + topology["bottleneck"]["delay_ps"])
        / PICOSECONDS_PER_SECOND
    )
    buffer_bits = _buffer_bits(settings)
    rate_bps = topology["bottleneck"]["rate_bps"]
    share_bytes = (
        (rate_bps * round_trip_s + (buffer_bits or 0)) / BITS_PER_BYTE / topology["sources"]
    )
    window_bytes = min(share_bytes, tcp["receiver_window_bytes"])
    slow_start_bytes = tcp["receiver_window_bytes"] if buffer_bits is None else window_bytes
    full_round_trip_s = round_trip_s + (buffer_bits or 0) / rate_bps
    return Path(
        duration_s=settings["duration_ps"] / PICOSECONDS_PER_SECOND,
        measured_from_s=settings["measure"].get("from_ps", 0) / PICOSECONDS_PER_SECOND,
        round_trip_s=round_trip_s,
        slow_start_s=math.log2(max(slow_start_bytes / tcp["mss_bytes"], 1)) * round_trip_s,
        regrowth_s=_engine.scenario_regrowth_s(
            json.dumps(settings), window_bytes / tcp["mss_bytes"], full_round_trip_s
        ),
    )


def _buffer_bits(settings: Mapping[str, Any]) -> float | None:
    """Return the size of the bottleneck's buffer in bits; None if it is unlimited."""
    buffer = settings["port"]["buffer_cells"]
    if not isinstance(buffer, str):
        return float(buffer * CELL_PAYLOAD_BITS)
    number, _, unit = buffer.partition(" ")
    if not unit:  # "unlimited"
        return None
    return float(number) * BITS_PER_BYTE * (1 if unit == "B" else settings["tcp"]["mss_bytes"])


def _outliers(results: Results, metrics: Sequence[str]) -> Iterator[str]:
    series = {
        (combination, metric): {
            number: found[number][metric]
            for number in sorted(found)
            if number > 0 and metric in found[number]
        }
        for combination, found in results.items()
        for metric in metrics
    }
    tested = {key: values for key, values in series.items() if len(values) >= FEWEST_FOR_OUTLIERS}
    for (combination, metric), values in tested.items():
        index = outlier(list(values.values()), SIGNIFICANCE / len(tested))
        if index is not None:
            number = list(values)[index]
            yield (
                f"heavy tail: {metric} of {_named(combination)} is {values[number]:.4g} in "
                f"replication {number}, far from all others: there are rare runs of another "
                "kind, and an interval from few replications does not know how rare"
            )


def lengths(plan: Plan) -> Iterator[str]:
    """Yield cautions about the lengths of runs, each with the number of combinations affected.

    Each begins with the name of the problem and a colon.
    """
    paths = [path_of(scenario.settings) for scenario in plan.scenarios.values()]
    short = [path for path in paths if path and path.cycles < FEWEST_CYCLES]
    if short:
        worst = min(short, key=lambda path: path.cycles)
        yield (
            f"short runs: in {len(short)} of {len(paths)} factor combinations a window that a loss "
            f"has reduced can grow back less than {FEWEST_CYCLES} times within a run (at worst "
            f"{worst.cycles:.2g} times: it takes {worst.regrowth_s:.3g} s of "
            f"{worst.measured_s:g} s): single losses decide the results"
        )
    slow = [path for path in paths if path and path.start > LONGEST_START]
    if slow:
        worst = max(slow, key=lambda path: path.start)
        yield (
            f"warm-up: in {len(slow)} of {len(paths)} factor combinations slow start alone takes "
            f"more than {LONGEST_START:.0%} of what is measured of a run (at worst "
            f"{worst.slow_start_s:.3g} s of {worst.duration_s:g} s, measured from "
            f"{worst.measured_from_s:g} s on): the results are those of transfers of this length, "
            "not of a steady state; measure.from leaves out the beginning"
        )


def _named(combination: Combination) -> str:
    return ", ".join(f"{factor} {level}" for factor, level in combination)

"""How far a measure of longfat may be from Linux's, and the verdict on it.

A band is a share of Linux's value or an absolute amount, whichever is more, and is widened by
what moves without a reason in the model: the spread of Linux's own recordings with shifted starts,
and twice the standard deviation of longfat's replications where random numbers matter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from longfat.records.differences import Explanation
from longfat.verification import measures as of
from longfat.verification.measures import Key, Measure
from longfat.verification.network import packet_s
from longfat.verification.recordings import Experiment

CLOSE = {"cubic", "reno", "bbr", "dctcp"}
"""Controls that are held to narrower bands: most of the Internet's traffic."""

CLEAR_MARGIN = 10.0
"""Percentage points by which a flow must be ahead in Linux to be its winner."""


@dataclass(frozen=True)
class Band:
    """The larger of a share of Linux's value and an amount, and a widening."""

    share: float
    amount: float
    widened: float = 0.0

    def half_width(self, linux: float) -> float:
        """Return the largest allowed difference."""
        return max(self.share * abs(linux), self.amount) + self.widened


def band_of(experiment: Experiment, measure: Measure, segment_bytes: int) -> Band:
    """Return the band of a measure, not yet widened."""
    round_trip = experiment.declared["round_trip_ms"] / 1e3
    packet = packet_s(experiment, segment_bytes)
    controls = {flow["control"] for flow in experiment.declared["flows"]}
    alone = len(experiment.declared["flows"]) == 1
    form = 0.10 if controls <= CLOSE and alone and experiment.discipline == "FIFO" else 0.15
    bands = {
        of.GOODPUT: Band(0.02, 0),
        of.TOTAL: Band(0.02, 0),
        of.SHARE: Band(0, 5),
        of.QUEUE: Band(form, 1),
        # Whether the same window was the first to overflow the buffer.
        of.FIRST: Band(0, round_trip / 2),
        of.BURST: Band(0.25, 5),
        of.RESENT: Band(0.25, 5),
        of.PERIOD: Band(form, 0),
        of.PEAK: Band(form, 1),
        of.TROUGH: Band(form, 1),
        of.COMPLETION: Band(0.10, 0),
        of.LONGEST: Band(0.10, 0),
        of.OPENED: Band(0.05, 0),
        of.WAIT: Band(0.15, 1e3 * packet / 2),
        of.WAIT_P95: Band(0.15, 1e3 * packet / 2),
        of.DROPS: Band(0.20, 2),
        of.MARKS: Band(0.20, 2),
    }
    return bands[measure]


@dataclass(frozen=True)
class Finding:
    """A measure of one recording, with what longfat has for it."""

    measure: str
    flow: str
    unit: str
    linux: float | None
    longfat: float | None
    half_width: float | None
    widened: float
    verdict: str
    """"within", "outside", "reversed" (another winner), "explained" or "not judged"."""
    reason: str = ""
    """Of a difference that is explained, or of no verdict."""

    @property
    def is_outside(self) -> bool:
        """Whether the finding is a difference without an explanation."""
        return self.verdict in {"outside", "reversed"}

    @property
    def difference(self) -> float | None:
        """By how much longfat has more."""
        if self.linux is None or self.longfat is None:
            return None
        return self.longfat - self.linux

    def document(self) -> dict[str, Any]:
        """Return the finding for JSON."""
        return asdict(self)


def judge(
    experiment: Experiment,
    segment_bytes: int,
    linux: Mapping[Key, float],
    longfat: Sequence[Mapping[Key, float]],
    spreads: Mapping[Key, float],
    known: Sequence[Explanation],
) -> list[Finding]:
    """Judge every measure that either side has.

    `longfat` has the measures of each replication; `spreads` are those of Linux's recordings.
    """
    keys = dict.fromkeys(key for side in (linux, *longfat) for key in side)
    findings = []
    for key in keys:
        measure, flow = key
        values = [side[key] for side in longfat if key in side]
        theirs = linux.get(key)
        # The median of runs most of which have no value is none either.
        ours = sum(values) / len(values) if 2 * len(values) > len(longfat) else None
        if theirs is None and ours is None:
            continue
        half_width = None
        widened = spreads.get(key, 0.0) + 2 * _deviation(values)
        verdict, reason = "outside", ""
        if theirs is not None and ours is not None:
            band = band_of(experiment, measure, segment_bytes)
            half_width = Band(band.share, band.amount, widened).half_width(theirs)
            verdict = "within" if abs(ours - theirs) <= half_width else "outside"
            if measure == of.SHARE and _is_reversed(key, linux, longfat):
                verdict = "reversed"
        elif measure in {of.PERIOD, of.PEAK, of.TROUGH}:
            side = "Linux" if theirs is None else "longfat"
            verdict, reason = "not judged", f"fewer than {of.FEWEST_PERIODS} periods in {side}"
        if verdict in {"outside", "reversed"}:
            name = f"{measure.name} of {flow}" if flow else measure.name
            entry = next(
                (e for e in known if e.experiment == experiment.name and e.measure == name), None
            )
            if entry is not None:
                verdict, reason = "explained", f"{entry.reason} ({entry.source})"
        findings.append(
            Finding(
                measure.name, flow, measure.unit, theirs, ours, half_width, widened, verdict, reason
            )
        )
    return findings


def _is_reversed(
    key: Key, linux: Mapping[Key, float], longfat: Sequence[Mapping[Key, float]]
) -> bool:
    """Return whether Linux's clear winner of two is the loser in longfat."""
    shares = {other: value for other, value in linux.items() if other[0] == of.SHARE}
    if len(shares) != 2:
        return False
    other = next(each for each in shares if each != key)
    margin = shares[key] - shares[other]
    mean = sum(side[key] - side[other] for side in longfat) / len(longfat)
    return abs(margin) > CLEAR_MARGIN and margin * mean < 0


def _deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of one run among replications; 0 for a single one."""
    if len(values) < 2:
        return 0.0
    mean = sum(values) / len(values)
    return float((sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5)

"""Where times are told of what has arrived, and too little has.

What is still under way when a run ends has taken longer than most, and how long is not known: it
is in no time. Where much of it is missing, the times are those of the quick ones.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from longfat.analysis.measures import Row
from longfat.records.completions import DELIVERED_SHARE, TIMES, is_time, least_share, share_behind
from longfat.results.comparison import Results


class Lack(NamedTuple):
    """In how many of some settings too little of what a time is of had arrived."""

    time: str
    few: int
    settings: int
    least: float

    def __str__(self) -> str:
        return (
            f"{self.time}: with {self.few} of {self.settings} settings less than "
            f"{100 * least_share(self.time):g} % had arrived when the runs ended (at worst "
            f"{100 * self.least:.3g} %), and what had not is in no time"
        )


def undelivered(results: Results, metrics: Iterable[str]) -> list[Lack]:
    """What lacks for each of these metrics that is a time; `results` have the shares beside it."""
    return [
        lack
        for time in filter(is_time, metrics)
        if (lack := lack_of(time, [_known(runs, share_behind(time)) for runs in results.values()]))
    ]


def undelivered_of(measure: str, rows: Iterable[Row]) -> list[Lack]:
    """What lacks for each time that the SQL of a claim names, in the rows that it reads."""
    shares: dict[str, dict[tuple[str | None, ...], list[float]]] = {}
    for row in rows:
        for kind, told in json.loads(row.completions or "{}").items():
            if DELIVERED_SHARE in told:
                of_kind = shares.setdefault(kind, {})
                of_kind.setdefault(tuple(row.levels), []).append(told[DELIVERED_SHARE])
    return [
        lack
        for kind, of_kind in shares.items()
        for statistic in TIMES
        if re.search(rf'[".]{re.escape(kind)}"?\.{statistic}\b', measure)
        and (lack := lack_of(f"{kind} {statistic}", of_kind.values()))
    ]


def _known(runs: Mapping[int, Mapping[str, float]], name: str) -> list[float]:
    return [run[name] for run in runs.values() if name in run]


def lack_of(time: str, shares: Iterable[Sequence[float]]) -> Lack | None:
    """What lacks, from the shares delivered in the replications of each setting; None if nothing.

    Too little has arrived if it is too little on the mean of the replications.
    """
    means = [fmean(of_combination) for of_combination in shares if of_combination]
    few = [mean for mean in means if mean < least_share(time)]
    return Lack(time, len(few), len(means), min(few)) if few else None

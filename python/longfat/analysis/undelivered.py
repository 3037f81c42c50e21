"""Censoring of completion times: cautions where too small a share was delivered.

Requests still unfinished when a run ends have taken longer than most, and have no completion time.
If many are unfinished, the statistics of completion times are biased towards the fast ones.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from longfat.analysis.measures import Row
from longfat.records.completions import DELIVERED_SHARE, TIMES, is_time, least_share, share_behind
from longfat.results.comparison import Results


class Undelivered(NamedTuple):
    """Caution about a completion time: `few` of `settings` have too small a delivered share.

    `which` are the keys of the `few`; `least` is the smallest delivered share, from 0 to 1.
    """

    time: str
    few: int
    settings: int
    least: float
    which: Sequence[Any] = ()

    def __str__(self) -> str:
        return (
            f"{self.time}: with {self.few} of {self.settings} settings less than "
            f"{100 * least_share(self.time):g} % had arrived when the runs ended (at worst "
            f"{100 * self.least:.3g} %), and what had not is in no time"
        )


def undelivered(results: Results, metrics: Iterable[str]) -> list[Undelivered]:
    """Return the cautions about those of `metrics` that are completion times.

    `results` must have the delivered share of each.
    """
    return [
        found
        for time in filter(is_time, metrics)
        if (
            found := undelivered_time(
                time,
                {name: _known(runs, share_behind(time)) for name, runs in results.items()},
            )
        )
    ]


def undelivered_of(measure: str, rows: Iterable[Row]) -> list[Undelivered]:
    """Return the cautions about the completion times in the SQL of a claim, for its rows."""
    shares: dict[str, dict[tuple[str | None, ...], list[float]]] = {}
    for row in rows:
        for kind, told in json.loads(row.completions or "{}").items():
            if DELIVERED_SHARE in told:
                of_kind = shares.setdefault(kind, {})
                of_kind.setdefault(tuple(row.levels), []).append(told[DELIVERED_SHARE])
    return [
        found
        for kind, of_kind in shares.items()
        for statistic in TIMES
        if re.search(rf'[".]{re.escape(kind)}"?\.{statistic}\b', measure)
        and (found := undelivered_time(f"{kind} {statistic}", of_kind))
    ]


def _known(runs: Mapping[int, Mapping[str, float]], name: str) -> list[float]:
    return [run[name] for run in runs.values() if name in run]


def undelivered_time(time: str, shares: Mapping[Any, Sequence[float]]) -> Undelivered | None:
    """Return the caution about a time, given the delivered shares by setting and replication.

    A setting counts if the mean of its replications is below `least_share`. None if there is none.
    """
    means = {setting: fmean(found) for setting, found in shares.items() if found}
    few = {setting: mean for setting, mean in means.items() if mean < least_share(time)}
    if not few:
        return None
    return Undelivered(time, len(few), len(means), min(few.values()), list(few))

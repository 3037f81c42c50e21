"""Completion times of flows, pages and other requests, summarised for each kind.

A store has whole histograms (`longfat.statistics.histogram`). Claims read the summary: JSON with,
for each kind (`"flow up to 100 kB"`, `"page"`), the numbers `asked` for and `delivered`, and of the
completion times the mean (`mean_s`) and the 50, 90, 95 and 99 % quantiles, in seconds. Requests
not delivered when the run ends have no completion time: `delivered_share` is the share delivered.
`power` is the number delivered over the median time (RFC 2415: goodput divided by median delay).
"""

import json
from collections.abc import Mapping
from typing import Any

from longfat.statistics.histogram import Histogram

QUANTILES = {"p50_s": 0.5, "p90_s": 0.9, "p95_s": 0.95, "p99_s": 0.99}

TIMES = ("mean_s", *QUANTILES)
"""Statistics of the completion times of a kind, in seconds."""

DELIVERED_SHARE = "delivered_share"

POWER = "power"

_STATISTICS = (*TIMES, DELIVERED_SHARE, POWER)

LEAST_SHARE = 0.95
"""Smallest delivered share at which completion times are unbiased: below it, fast ones prevail."""


def in_short(kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """Summarise the completions of a run, as `Store.completions` returns them, in JSON.

    Kinds of which nothing was delivered have no times.
    """
    return json.dumps({name: _kind(measures) for name, measures in kinds.items()})


def is_of_completions(response: str) -> bool:
    """Whether a response is a statistic of completions and no metric: "page delivered_share"."""
    kind, statistic = _parts(response)
    return bool(kind.strip()) and statistic in _STATISTICS


def is_time(response: str) -> bool:
    """Whether a response is a completion time: "flow up to 100 kB p95_s"."""
    return is_of_completions(response) and _parts(response)[1] in TIMES


def kind_of(response: str) -> str:
    """Return the kind in the name of a statistic of completions, such as "page"."""
    return _parts(response)[0]


def share_behind(time: str) -> str:
    """Return the delivered share that belongs to a completion time: "page delivered_share"."""
    return f"{kind_of(time)} {DELIVERED_SHARE}"


def least_share(time: str) -> float:
    """Return the delivered share below which a completion time is biased.

    It is `LEAST_SHARE`, or the order of the quantile if that is higher.
    """
    return max(QUANTILES.get(_parts(time)[1], 0.0), LEAST_SHARE)


def statistics_of(kinds: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the statistics of a run's completions by name: "flow up to 100 kB p95_s"."""
    return {
        f"{name} {statistic}": number
        for name, measures in kinds.items()
        for statistic, number in _kind(measures).items()
        if statistic in _STATISTICS
    }


def _parts(response: str) -> tuple[str, str]:
    kind, _, statistic = response.rpartition(" ")
    return kind, statistic


def _kind(measures: Mapping[str, Any]) -> dict[str, float]:
    counts: dict[str, float] = {name: measures[name] for name in ("asked", "delivered")}
    if counts["asked"]:
        counts[DELIVERED_SHARE] = counts["delivered"] / counts["asked"]
    times = Histogram.of(measures["times"])
    if not times.count:
        return counts
    quantiles = {name: times.quantile_seconds(share) for name, share in QUANTILES.items()}
    power = {POWER: counts["delivered"] / quantiles["p50_s"]} if quantiles["p50_s"] else {}
    return {**counts, "mean_s": times.mean_seconds, **quantiles, **power}

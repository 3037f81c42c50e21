"""How long what was asked for took, in a few numbers for each kind of thing.

A store has whole histograms (`longfat.statistics.histogram`). Claims read this: JSON with, for each
kind (`"flow up to 100 kB"`, `"page"`), how many were `asked` for and `delivered`, and of those the
`mean_s`, and what half, 90, 95 and 99 % of the times do not exceed, in seconds. What has not
arrived when the run ends is in no time: `delivered_share` tells how much has, of what was asked.
"""

import json
from collections.abc import Mapping
from typing import Any

from longfat.statistics.histogram import Histogram

QUANTILES = {"p50_s": 0.5, "p90_s": 0.9, "p95_s": 0.95, "p99_s": 0.99}

TIMES = ("mean_s", *QUANTILES)
"""What is told of the times of a kind of thing."""

DELIVERED_SHARE = "delivered_share"

LEAST_SHARE = 0.95
"""Where less has arrived, what is told of times is told of the quick ones."""


def in_short(kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """The JSON of a run's completions, as `Store.completions` has them.

    Kinds of which nothing was delivered have no times.
    """
    return json.dumps({name: _kind(measures) for name, measures in kinds.items()})


def is_of_completions(response: str) -> bool:
    """Whether a response is told of what was asked for, and no metric: "page delivered_share"."""
    kind, statistic = _parts(response)
    return bool(kind.strip()) and statistic in (*TIMES, DELIVERED_SHARE)


def is_time(response: str) -> bool:
    """Whether a response is such a time: "flow up to 100 kB p95_s"."""
    return is_of_completions(response) and not response.endswith(DELIVERED_SHARE)


def kind_of(response: str) -> str:
    """The kind of thing that such a response is told of: "page"."""
    return _parts(response)[0]


def share_behind(time: str) -> str:
    """What tells how much of what was asked for a time is of: "page delivered_share"."""
    return f"{kind_of(time)} {DELIVERED_SHARE}"


def least_share(time: str) -> float:
    """How much has to have arrived for a time to tell of what was asked for."""
    return max(QUANTILES.get(_parts(time)[1], 0.0), LEAST_SHARE)


def statistics_of(kinds: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The completions of a run as an analysis names them: "flow up to 100 kB p95_s"."""
    return {
        f"{name} {statistic}": number
        for name, measures in kinds.items()
        for statistic, number in _kind(measures).items()
        if statistic in (*TIMES, DELIVERED_SHARE)
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
    return {**counts, "mean_s": times.mean_seconds, **quantiles}

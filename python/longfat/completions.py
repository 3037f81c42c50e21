"""How long what was asked for took, in a few numbers for each kind of thing.

A store has whole histograms (`longfat.histogram`). Claims read this: JSON with, for each kind
(`"flow up to 100 kB"`, `"page"`), how many were `asked` for and `delivered`, and of those the
`mean_s`, and what half, 90, 95 and 99 % of the times do not exceed, in seconds.
"""

import json
from collections.abc import Mapping
from typing import Any

from longfat.histogram import Histogram

QUANTILES = {"p50_s": 0.5, "p90_s": 0.9, "p95_s": 0.95, "p99_s": 0.99}

TIMES = ("mean_s", *QUANTILES)
"""What is told of the times of a kind of thing."""


def in_short(kinds: Mapping[str, Mapping[str, Any]]) -> str:
    """The JSON of a run's completions, as `Store.completions` has them.

    Kinds of which nothing was delivered have no times.
    """
    return json.dumps({name: _kind(measures) for name, measures in kinds.items()})


def is_time(response: str) -> bool:
    """Whether a response is such a time, and no metric: "flow up to 100 kB p95_s"."""
    kind, _, statistic = response.rpartition(" ")
    return bool(kind.strip()) and statistic in TIMES


def times_of(kinds: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """The times of a run's completions as an analysis names them: "flow up to 100 kB p95_s"."""
    return {
        f"{name} {statistic}": number
        for name, measures in kinds.items()
        for statistic, number in _kind(measures).items()
        if statistic.endswith("_s")
    }


def _kind(measures: Mapping[str, Any]) -> dict[str, float]:
    counts = {name: measures[name] for name in ("asked", "delivered")}
    times = Histogram.of(measures["times"])
    if not times.count:
        return counts
    quantiles = {name: times.quantile_seconds(share) for name, share in QUANTILES.items()}
    return {**counts, "mean_s": times.mean_seconds, **quantiles}

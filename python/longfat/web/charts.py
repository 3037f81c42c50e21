"""Charts of one run as data: series over common instants that a page draws unchanged.

Traces are step functions of thousands of steps. A chart has `BINS` intervals; in each interval a
series has its two extremes, in order of time, so that no peak is lost at any width.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longfat.base.units import BITS_PER_BYTE
from longfat.plots.over_time import (
    MEGA,
    capacity_bytes,
    flow_name,
    foremost,
    joined,
    sharing,
    unit,
)
from longfat.plots.palette import BLUE, DARK, DASHES, DROP, ORANGE, TIMEOUT, flow_look
from longfat.scenarios.resolved import buffer_of
from longfat.traces import Traces

TRACES = ("cwnd", "queue", "throughput", "drops", "timeouts")
"""Traces that the charts need."""
ERROR = 0.004
"""Tolerance of traces, as `--trace-error`: less than a pixel of a chart."""

BINS = 500
MOST_FLOWS = 30
"""Most flows in a chart, those with the largest windows or most goodput."""
KILO = 1e3
_DIGITS = 5
"""Digits of values, relative to the largest of a series: no screen resolves more."""

Chart = dict[str, Any]
"""`name`, `title`, the `unit` of values, instants `x` in seconds, `series` (each with `label`,
`color`, `dash` of flows, and a value or None for each instant), `guides` (each with `label` and
`at`) and `events` (each with `label`, `color`, their number, and the `times` of those in different
intervals). Each `color` has an alternative for `dark` screens."""

Series = dict[str, Any]
Numbers = NDArray[np.float64]


def charts(run: Traces) -> list[Chart]:
    """Return charts of congestion windows, queue and goodput of a run with `TRACES`."""
    return [_cwnd(run), _queue(run), _goodput(run)]


def extremes(times: Numbers, values: Numbers, end: float, bins: int) -> Numbers:
    """Return the two extremes of a step function in each of `bins` intervals up to `end`.

    Shape (2 bins,). The function is `values[i]` from `times[i]` on and NaN before the first; times
    ascend.
    """
    starts = np.linspace(0.0, end, bins, endpoint=False)
    first = np.searchsorted(times, starts, side="left")
    carried = np.where(first > 0, values[np.maximum(first - 1, 0)], np.nan)
    held = np.insert(values, first, carried)  # each interval begins with the value carried into it
    begins = first + np.arange(bins)
    lengths = np.diff(begins, append=len(held))

    def place_of(extreme: Numbers) -> NDArray[np.intp]:
        is_there = held == np.repeat(extreme, lengths)
        places = np.where(is_there, np.arange(len(held)), len(held))
        return np.minimum.reduceat(places, begins)

    lowest, highest = np.fmin.reduceat(held, begins), np.fmax.reduceat(held, begins)
    rises = place_of(lowest) <= place_of(highest)
    pairs = np.where(rises, (lowest, highest), (highest, lowest))
    return pairs.T.reshape(-1)


def _cwnd(run: Traces) -> Chart:
    guides = [
        *_fair_share("what a round trip carries", capacity_bytes(run), run, KILO),
        {"label": "receiver window", "at": run.description["receiver_window_bytes"] / KILO},
    ]
    return {
        "name": "cwnd",
        "title": "Congestion windows" + _of_how_many(run, "largest"),
        "unit": "kB",
        "x": _instants(run),
        "series": list(_cwnd_series(run)),
        "guides": guides,
        "events": [_events(run, "drops", DROP), _events(run, "timeouts", TIMEOUT)],
    }


def _cwnd_series(run: Traces) -> Iterator[Series]:
    import polars

    frame = run.thinned("cwnd")
    flows, times = frame["flow"].to_numpy(), frame["time_s"].to_numpy()
    windows = frame["cwnd_bytes"].to_numpy() / KILO
    for flow in foremost(frame, polars.col("cwnd_bytes").max(), MOST_FLOWS):
        own = flows == flow
        values = _rounded(extremes(times[own], windows[own], run.seconds, BINS))
        yield {"label": flow_name(run, flow), **_of_flow(flow), "values": values}


def _queue(run: Traces) -> Chart:
    buffer = buffer_of(run.bottleneck)
    return {
        "name": "queue",
        "title": "Queue at the bottleneck",
        "unit": unit(run),
        "x": _instants(run),
        "series": list(_queue_series(run)),
        "guides": [] if buffer is None else [{"label": "buffer", "at": buffer}],
        "events": [_events(run, "drops", DROP)],
    }


def _queue_series(run: Traces) -> Iterator[Series]:
    frame = run.at_bottleneck(run.thinned("queue"))
    colors = {"ubr": BLUE, "vbr": ORANGE}
    for name in frame["class"].unique(maintain_order=True):
        own = frame.filter(frame["class"] == name)
        cells = own["cells"].cast(float).to_numpy()
        values = _rounded(extremes(own["time_s"].to_numpy(), cells, run.seconds, BINS))
        yield {"label": name, **_colors(colors[name]), "values": values}


def _goodput(run: Traces) -> Chart:
    import polars

    frame = joined(run.table("throughput"), ["flow"], "bytes", run)
    times = frame["time_s"].unique().sort().to_numpy()
    flows, places = frame["flow"].to_numpy(), np.searchsorted(times, frame["time_s"].to_numpy())
    rates = frame["rate"].to_numpy() * BITS_PER_BYTE / MEGA
    series = []
    for flow in foremost(frame, polars.col("bytes").sum(), MOST_FLOWS):
        own = flows == flow
        values = np.zeros(len(times))
        values[places[own]] = rates[own]
        label = flow_name(run, flow)
        series.append({"label": label, **_of_flow(flow), "values": _rounded(values)})
    most = run.record["metrics"]["max_goodput_bps"] / MEGA
    return {
        "name": "goodput",
        "title": "Goodput of each flow" + _of_how_many(run, "with most"),
        "unit": "Mbit/s",
        "x": times.tolist(),
        "series": series,
        "guides": _fair_share("the most", most, run),
        "events": [],
    }


def _fair_share(
    name: str, whole: float | None, run: Traces, scale: float = 1
) -> list[dict[str, Any]]:
    """Return a guide at the equal share of `whole`; none unless all flows share the bottleneck."""
    flows = sharing(run)
    if flows is None or whole is None:
        return []
    return [{"label": f"fair share of {name}", "at": whole / scale / flows}]


def _of_how_many(run: Traces, which: str) -> str:
    """Return the suffix of a title if not all flows are drawn."""
    flows = run.description.get("flows", run.senders)
    return f": the {MOST_FLOWS} {which} of {flows:,}" if flows > MOST_FLOWS else ""


def _instants(run: Traces) -> list[float]:
    """Return the beginning and the middle of each interval."""
    instants: list[float] = np.linspace(0.0, run.seconds, 2 * BINS, endpoint=False).tolist()
    return instants


def _events(run: Traces, trace: str, color: str) -> dict[str, Any]:
    """Return the events of a trace, at most one in each interval."""
    times = run.thinned(trace)["time_s"].to_numpy()
    places = np.unique(np.floor(times * 2 * BINS / run.seconds))
    return {
        "label": trace,
        **_colors(color),
        "count": run.rows(trace),
        "times": (places * run.seconds / (2 * BINS)).tolist(),
    }


def _colors(color: str) -> dict[str, str]:
    return {"color": color, "dark": DARK.get(color, color)}


def _of_flow(flow: int) -> dict[str, Any]:
    """Return the colours of a flow and its dash, in pixels drawn and left out."""
    look = flow_look(flow)
    return {**_colors(look.color), "dash": list(DASHES[look.style])}


def _rounded(values: Numbers) -> list[float | None]:
    """Round values to `_DIGITS` digits of the largest; None for NaN, which JSON does not have."""
    known = values[~np.isnan(values)]
    largest = float(known.max(initial=0.0))
    decimals = _DIGITS - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    rounded = np.round(values, max(0, decimals)).tolist()
    return [None if math.isnan(value) else value for value in rounded]

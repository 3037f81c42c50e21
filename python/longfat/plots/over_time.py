"""Common parts of plots of traces: series of a run as rows and marks, guides and captions."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.base.numbers import significant
from longfat.base.units import BITS_PER_BYTE, PICOSECONDS_PER_SECOND
from longfat.plots.palette import DROP, FLOW_COLORS, NEUTRAL, TIMEOUT, flow_look
from longfat.plots.picture import Axis, Guide, Mark
from longfat.plots.thinning import thinned
from longfat.scenarios.resolved import travels_whole
from longfat.traces import MOST_ROWS_DRAWN, Traces

if TYPE_CHECKING:
    import polars

    from longfat.plots.options import Options

Row = Mapping[str, Any]

MOST_LABELLED_FLOWS = 15
CROWD_STRENGTH = 0.4
"""Opacity of lines for more flows, which shows their density."""
MOST_DRAWN_FLOWS = 100
"""Largest number of flows plotted, by rank: more are indistinguishable and slow in a browser."""
MEGA = 1e6
EVENTS = {"drop", "timeout", "rtt"}
"""Series of instantaneous events or samples; values of other series hold until the next."""
BINS_DRAWN = 200
"""Largest number of intervals of counts in a plot; neighbours are merged."""


def only(runs: Sequence[Traces], kind: str) -> Traces:
    """Return the single run of a plot. Raises `LongfatError` for more than one."""
    if len(runs) != 1:
        raise LongfatError(f"{kind} shows one run; {len(runs)} folders are given")
    return runs[0]


def span(run: Traces, options: "Options") -> tuple[float, float]:
    """Return start and end of the part to show, in seconds. Raises `LongfatError` if empty."""
    start = 0.0 if options.start_s is None else options.start_s
    end = run.seconds if options.end_s is None else min(options.end_s, run.seconds)
    if not 0 <= start < end:
        asked = f"from {start:g} s to {run.seconds if options.end_s is None else options.end_s:g} s"
        raise LongfatError(f"there is nothing {asked}: the run has {run.seconds:g} s")
    return start, end


def time_axis(run: Traces, options: "Options") -> Axis:
    """Return the axis of simulated time in seconds."""
    return Axis("time in s", *span(run, options))


def shown(rows: Iterable[Row], run: Traces, options: "Options") -> list[Row]:
    """Select the rows of the part to show; add the values that hold at its start and end."""
    start, end = span(run, options)
    before: dict[Any, Row] = {}
    latest: dict[Any, Row] = {}
    within: list[Row] = []
    for row in rows:
        if row["time_s"] <= end and row["series"] not in EVENTS:
            latest[row["series"], row["flow"]] = row
        if row["time_s"] < start:
            before[row["series"], row["flow"]] = row
        elif row["time_s"] <= end:
            within.append(row)
    first = [{**row, "time_s": start} for row in before.values() if row["series"] not in EVENTS]
    # At the end of the run, the trace has the final values itself.
    cut = latest.values() if end < run.seconds else ()
    return [*first, *within, *({**row, "time_s": end} for row in cut if row["time_s"] < end)]


def flow_to_show(run: Traces, options: "Options") -> int | None:
    """Return the requested flow, or the only one, or None. Raises `LongfatError` if unknown."""
    if options.flow is None:
        return 1 if run.flows == 1 else None
    if not 1 <= options.flow <= run.flows:
        raise LongfatError(f"--flow {options.flow}: the run has flows 1 to {run.flows}")
    return options.flow


def foremost(
    frame: "polars.DataFrame", of_flow: "polars.Expr", most: int = MOST_DRAWN_FLOWS
) -> list[int]:
    """Return the flows to plot, ascending: the `most` flows with the largest `of_flow`."""
    numbers = frame.group_by("flow", maintain_order=True).agg(of_flow.alias("of_flow"))
    ranked = numbers.sort("of_flow", "flow", descending=[True, False]).head(most)
    return sorted(ranked["flow"].to_list())


def of_how_many(run: Traces, which: str) -> str:
    """Return the remark of a caption that not all flows are plotted; empty if they are."""
    flows = run.description.get("flows", run.senders)
    drawn = f";\nof {flows:,} flows the {MOST_DRAWN_FLOWS} {which}"
    return drawn if flows > MOST_DRAWN_FLOWS else ""


def rows_of(
    frame: "polars.DataFrame", series: str, value: str, unit: str, scale: float
) -> list[Row]:
    """Convert a trace to rows: series, flow, time in seconds, and value times `scale` in `unit`."""
    flows = frame["flow"].to_list() if "flow" in frame.columns else [None] * len(frame)
    values = (frame[value].cast(float) * scale).to_list()
    return [
        {"series": series, "flow": flow, "time_s": time, "value": number, "unit": unit}
        for flow, time, number in zip(flows, frame["time_s"].to_list(), values, strict=True)
    ]


def joined(
    frame: "polars.DataFrame", keys: Sequence[str], value: str, run: Traces, least_ps: int = 0
) -> Any:
    """Merge neighbouring intervals of counts, so that at most `BINS_DRAWN` are left.

    Each is at least `least_ps` picoseconds long. The column `rate` is the count per second.
    """
    import polars

    interval: int = run.description["interval_ps"]
    bins = max(1, run.settings["duration_ps"] // interval)
    together = interval * max(1, -(-bins // BINS_DRAWN), -(-least_ps // interval))
    start = (polars.col("time_ps") // together * together).alias("time_ps")
    added = frame.with_columns(start).group_by([*keys, "time_ps"], maintain_order=True)
    return added.agg(polars.col(value).sum(), polars.col("interval_ps").sum()).with_columns(
        (polars.col("time_ps") / PICOSECONDS_PER_SECOND).alias("time_s"),
        (polars.col(value) / polars.col("interval_ps") * PICOSECONDS_PER_SECOND).alias("rate"),
    )


def by_flow(rows: Sequence[Row], series: str) -> dict[int, tuple[list[float], list[float]]]:
    """Return times and values of a series by flow."""
    found: dict[int, tuple[list[float], list[float]]] = {}
    for row in rows:
        if row["series"] == series:
            times, values = found.setdefault(row["flow"], ([], []))
            times.append(row["time_s"])
            values.append(row["value"])
    return found


def flow_steps(run: Traces, rows: Sequence[Row], series: str, **style: Any) -> Iterator[Mark]:
    """Yield a step line for each flow, in the flow's look, until its last acknowledgment."""
    flows = by_flow(rows, series)
    ends = _ends(run) if flows else {}
    width = 1.0 if len(flows) <= 5 else 0.7
    is_told_apart = len(flows) <= MOST_LABELLED_FLOWS
    crowd = f"{len(flows)} flows, {FLOW_COLORS} colours"
    for flow, (times, values) in sorted(flows.items()):
        label = flow_name(run, flow) if is_told_apart else crowd
        x, y = thinned(*_until(ends.get(flow), times, values))
        look = flow_look(flow)
        settings: dict[str, Any] = {"color": look.color, "label": label, "width": width}
        if not is_told_apart:
            settings["strength"], crowd = CROWD_STRENGTH, ""
        else:
            settings["style"] = look.style
        yield Mark("steps", x, y, **(settings | style))


def _ends(run: Traces) -> dict[int, float]:
    """Return the time of the last acknowledgment of each flow, for flows of limited lifetime."""
    if run.flows == run.senders or "acknowledgments" not in run.names:
        return {}
    import polars

    last = polars.col("time_s").max()
    return dict(run.thinned("acknowledgments").group_by("flow").agg(last).rows())


def _until(
    end: float | None, times: Sequence[float], values: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Truncate a step line at `end`, if given."""
    if end is None:
        return list(times), list(values)
    kept = max(1, bisect_right(times, end))
    return [*times[:kept], max(end, times[kept - 1])], [*values[:kept], values[kept - 1]]


def rugs(rows: Sequence[Row]) -> Iterator[Mark]:
    """Yield rugs with the times of drops and of timeouts."""
    for series, color in (("drop", DROP), ("timeout", TIMEOUT)):
        times = [row["time_s"] for row in rows if row["series"] == series]
        if times:
            number = f"{len(times)}" if len(times) < MOST_ROWS_DRAWN // 2 else "some of them"
            yield Mark("rug", times, color=color, label=f"{series}s ({number})", strength=0.8)


def events(run: Traces, trace: str, series: str, *, at_bottleneck: bool = False) -> list[Row]:
    """Return the events of a trace, or those `at_bottleneck`; [] if it was not recorded."""
    if trace not in run.names:
        return []
    frame = run.thinned(trace)
    if at_bottleneck:
        frame = run.at_bottleneck(frame)
    return [
        {"series": series, "flow": flow, "time_s": time, "value": None, "unit": None}
        for flow, time in zip(frame["flow"].to_list(), frame["time_s"].to_list(), strict=True)
    ]


def capacity_bytes(run: Traces) -> float | None:
    """Return the bandwidth-delay product in bytes of data, for the longest unqueued round trip.

    None if the path varies over time.
    """
    if changes(run):
        return None
    goodput: float = run.record["metrics"]["max_goodput_bps"]
    bits = goodput * run.bottleneck["longest_round_trip_ps"] / PICOSECONDS_PER_SECOND
    return float(bits / BITS_PER_BYTE)


def changes(run: Traces) -> bool:
    """Whether the path varies over time."""
    return bool(run.settings.get("path", {"kind": "fixed"})["kind"] != "fixed")


def path_rates(run: Traces) -> list[Row]:
    """Return the series `link`: the rate of a time-varying path in Mbit/s, from each change on.

    Empty for a constant path, or without the trace `path`.
    """
    if not changes(run) or "path" not in run.names:
        return []
    path = run.table("path")
    times, rates = path["time_s"].to_list(), path["rate_bps"].to_list()
    return [
        {"series": "link", "flow": None, "time_s": time, "value": rate / MEGA, "unit": "Mbit/s"}
        for time, rate in zip([*times, run.seconds], [*rates, rates[-1]], strict=True)
    ]


def link_bps(run: Traces) -> float:
    """Return the rate of the bottleneck in bits per second."""
    rate: float = run.bottleneck["rate_bps"]
    return rate


def all_cross(run: Traces) -> bool:
    """Whether all flows are known to cross the bottleneck: routes of a graph may avoid it."""
    return run.settings["topology"]["kind"] != "graph" or run.senders == 1


def sharing(run: Traces) -> int | None:
    """Return the number of flows that share the bottleneck; None if it varies or is unknown.

    It varies with flows of limited lifetime, and is unknown if routes may avoid the bottleneck.
    """
    return run.senders if all_cross(run) and run.flows == run.senders else None


def window_guides(run: Traces, scale: float) -> list[Guide]:
    """Return a guide at the receiver window; none with proxies, whose free buffer varies."""
    if "proxies" in run.settings:
        return []
    window = run.description["receiver_window_bytes"] * scale
    return [Guide(window, "receiver window", color=NEUTRAL)]


def unit(run: Traces) -> str:
    """Return the unit of queue lengths."""
    return "packets" if travels_whole(run.record["scenario"]) else "cells"


def flow_name(run: Traces, flow: int) -> str:
    """Return the name of a flow: its number, with its flavor if flavors differ."""
    if flow > run.flows:
        what, number = run.beside_data(flow)
        return f"{what} of flow {number}"
    differ = len(set(run.flavors)) > 1
    return f"flow {flow} ({run.flavor_of(flow)})" if differ else f"flow {flow}"


def common(runs: Sequence[Traces]) -> str:
    """Return the caption of a plot with one panel per run: the facts that the runs share."""
    if len(runs) == 1:
        return caption_of(runs[0])
    others = [_facts(run) for run in runs[1:]]
    shared = [fact for fact in _facts(runs[0]) if all(fact in facts for facts in others)]
    return "; ".join(filter(None, ("n = 1 run a panel", ", ".join(shared))))


def caption_of(run: Traces, *traces: str) -> str:
    """Return the caption of a run: its identity, and the largest errors of these traces."""
    name = f"run {run.record['run_id'][:12]}"
    parts = [f"n = 1 run: {', '.join([*_facts(run), name])}"]
    for trace in run.description["traces"]:
        if trace["name"] in traces and trace.get("largest_error"):
            what = unit(run) if trace["name"].startswith("queue") else "bytes"
            parts.append(
                f"{trace['name']} exact to {significant(trace['largest_error'], 4)} {what}"
            )
    return "; ".join(parts)


def _facts(run: Traces) -> list[str]:
    """Return short facts that identify a run: end systems, bottleneck and seed."""
    counts = Counter(run.flavors)
    flavors = [name if len(counts) == 1 else f"{count} {name}" for name, count in counts.items()]
    (port,) = (port for port in run.record["ports"] if port["name"] == run.bottleneck["name"])
    # A queue discipline takes the place of the drop policy.
    queue = port["queue"]["discipline"] if "queue" in port else port["policy"]
    come_and_go = [f"{run.flows:,} flows"] if run.flows != run.senders else []
    return [
        "1 source" if run.senders == 1 else f"{run.senders} sources",
        *come_and_go,
        ", ".join(flavors),
        *([f"line {port['name']}"] if len(run.record["ports"]) > 1 else []),
        queue,
        f"seed {run.record['seed']}",
        f"replication {run.record['replication']}",
    ]

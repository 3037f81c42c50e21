"""Plot of the one-way delays of datagrams over time, and of their distribution."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.plots.capacity import names_of
from longfat.plots.over_time import Row, common, flow_to_show, foremost, of_how_many, rows_of
from longfat.plots.palette import flow_look
from longfat.plots.picture import Axis, Kind, Mark, Panel, Picture
from longfat.plots.thinning import thinned
from longfat.statistics.histogram import Histogram
from longfat.traces import Traces

if TYPE_CHECKING:
    from longfat.plots.options import Options

SUMMARY = "one-way delay of each flow's datagrams over time, and its distribution, a row for a run"
SOURCE = "traces"
OPTIONS = ("flow",)

_PERCENT = 100
_PANEL_HEIGHT_INCHES = 2.3


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return the series `delay` of each flow over UDP in s, and `share`, its distribution in %.

    Rows of `share` have the delay as `time_s` and are from the run's record, so none is left out.
    Raises `LongfatError` for a run in which no datagram has arrived.
    """
    rows: list[Row] = []
    for name, run in zip(names_of(runs), runs, strict=True):
        flow = flow_to_show(run, options)
        wanted = [
            number
            for number, record in _datagrams(run).items()
            if flow in (None, number) and record["received"]
        ]
        rows += [{"run": name, **row} for row in [*_over_time(run, wanted), *_shares(run, wanted)]]
    if not rows:
        raise LongfatError(
            f"{runs[0].folder}: no datagram has arrived in this run; delays need traffic over UDP, "
            'such as "probe" or "voip"'
        )
    return rows


def _datagrams(run: Traces) -> dict[int, Mapping[str, Any]]:
    """Return the datagrams of each flow over UDP, by its number."""
    flows = enumerate(run.record["flows"], start=1)
    return {number: flow["datagrams"] for number, flow in flows if "datagrams" in flow}


def _over_time(run: Traces, wanted: Sequence[int]) -> list[Row]:
    import polars

    frame = run.thinned("delay")
    frame = frame.filter(frame["flow"].is_in(wanted))
    drawn = foremost(frame, polars.col("delay_s").max())
    return rows_of(frame.filter(frame["flow"].is_in(drawn)), "delay", "delay_s", "s", 1.0)


def _shares(run: Traces, wanted: Sequence[int]) -> list[Row]:
    records = _datagrams(run)
    return [
        {"series": "share", "flow": flow, "time_s": time, "value": _PERCENT * share, "unit": "%"}
        for flow in wanted
        for time, share in Histogram.of(records[flow]["delays"]).cumulative()
    ]


def picture(rows: Sequence[Row], _options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return a row of two panels for each run: the distribution, and the delays over time."""
    panels: list[list[Panel | None]] = []
    for name, run in zip(names_of(runs), runs, strict=True):
        own = [row for row in rows if row["run"] == name]
        title = name if len(runs) > 1 else ""
        share = Axis("share of datagrams in %", 0, 102)
        time = Axis("time in s", 0, run.seconds)
        panels.append(
            [
                Panel(Axis("one-way delay in s"), share, _marks(own, "share"), title=title),
                Panel(time, Axis("one-way delay in s", 0), _marks(own, "delay")),
            ]
        )
    caption = common(runs) + of_how_many(runs[0], "with the largest delays")
    return Picture(panels, caption, 0.7 + _PANEL_HEIGHT_INCHES * len(panels))


def _marks(rows: Sequence[Row], series: str) -> list[Mark]:
    """Return a line for each distribution, and points over time: a silent flow has no delay."""
    marks: list[Mark] = []
    for flow in sorted({row["flow"] for row in rows if row["series"] == series}):
        own = [row for row in rows if (row["series"], row["flow"]) == (series, flow)]
        times, values = thinned([row["time_s"] for row in own], [row["value"] for row in own])
        look = flow_look(flow)
        label = f"flow {flow}" if series == "share" else ""
        settings: dict[str, Any] = {"width": 0.7, "style": look.style, "size": 1.0}
        kind: Kind = "steps" if series == "share" else "points"
        marks.append(Mark(kind, times, values, look.color, label, **settings))
    return marks

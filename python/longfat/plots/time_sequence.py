"""Time-sequence graph of one flow, with the symbols of tcptrace."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.plots.over_time import Row, caption_of, flow_name, flow_to_show, foremost, only, span
from longfat.plots.palette import BLACK, GREEN, NEUTRAL, PURPLE, VERMILION
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.traces import Traces

if TYPE_CHECKING:
    import polars

    from longfat.plots.options import Options

SUMMARY = "time-sequence graph of a flow: segments, retransmissions, acknowledgments, SACK, window"
SOURCE = "traces"
OPTIONS = ("flow", "start_s", "end_s")

_UNITS = {"MB": 1e-6, "kB": 1e-3}
"""Units of sequence numbers: the first one in which they reach 1 is used."""
_MOST_LETTERS = 40
"""Largest number of retransmissions that are marked with an R."""
_ROUND_TRIPS_BEFORE, _ROUND_TRIPS_AFTER = 2.0, 8.0
"""Default part to show around the first retransmission, in round trips,"""
_SEGMENTS_BEFORE, _SEGMENTS_AFTER = 30, 60
"""and at least so many segments."""


def collect(runs: Sequence[Traces], options: "Options") -> list[Row]:
    """Return the series `segment`, `again`, `acknowledged`, `window` and `selective`.

    Rows have sequence numbers from `low` to `high`, which are equal for acknowledgments and
    windows. Raises `LongfatError` if the flow sends nothing in the part to show.
    """
    run = only(runs, "time-sequence")
    flow = flow_to_show(run, options) or _first(run)
    segments = _of(run.table("segments"), flow)
    first, last = _span(run, segments, options)
    rows: list[Row] = []
    for row in _within(segments, first, last):
        low = row["sequence"]
        series = "again" if row["is_again"] else "segment"
        rows.append(_row(series, flow, row, low, low + row["length_bytes"]))
    for row in _within(_of(run.table("acknowledgments"), flow), first, last):
        rows.append(_row("acknowledged", flow, row, row["next"], row["next"]))
        rows.append(_row("window", flow, row, row["window_end"], row["window_end"]))
    if "selective-acknowledgments" in run.names:
        blocks = _of(run.table("selective-acknowledgments"), flow)
        rows += [
            _row("selective", flow, row, row["from"], row["to"])
            for row in _within(blocks, first, last)
        ]
    if not rows:
        raise LongfatError(f"flow {flow} sends nothing from {first:g} s to {last:g} s")
    return rows


def picture(rows: Sequence[Row], options: "Options", runs: Sequence[Traces]) -> Picture:
    """Return one panel; the line of the window is omitted if it is far above the data."""
    run = only(runs, "time-sequence")
    sent = [row for row in rows if row["series"] in {"segment", "again", "acknowledged"}]
    most = max(row["high"] for row in sent)
    unit, scale = next(each for each in _UNITS.items() if each[1] * most >= 1 or each[0] == "kB")
    low, high = min(row["low"] for row in sent) * scale, most * scale
    margin = 0.04 * (high - low or 1)
    times = [row["time_s"] for row in rows]
    ends = min(times), max(times)
    if ends[0] == ends[1]:  # a single instant: show it apart from the axis
        start, end = span(run, options)
        ends = start - 0.04 * (end - start), end
    # Retransmissions are drawn last, above all else.
    marks = [
        mark
        for mark in _staircase(rows, "window", NEUTRAL, "end of window", scale)
        if min(mark.y) < high + margin
    ]
    marks += [
        *_staircase(rows, "acknowledged", GREEN, "acknowledged", scale),
        *_strokes(rows, "segment", BLACK, "segment", scale),
        *_strokes(rows, "selective", PURPLE, "SACK block", scale),
        *_strokes(rows, "again", VERMILION, "retransmission", scale),
    ]
    panel = Panel(
        Axis("time in s", *ends),
        Axis(f"sequence in {unit}", low - margin, high + margin),
        marks,
        title=flow_name(run, rows[0]["flow"]),
    )
    return Picture([[panel]], caption_of(run), 4.2)


def _first(run: Traces) -> int:
    """Return the default flow: 1, or the one with most segments if lifetimes are limited."""
    if run.flows == run.senders:
        return 1
    import polars

    return next(iter(foremost(run.table("segments"), polars.len(), 1)), 1)


def _span(run: Traces, segments: "polars.DataFrame", options: "Options") -> tuple[float, float]:
    """Return the part to show: as requested, or around the first retransmission.

    If only one end is requested, the part has the default length.
    """
    start, end = span(run, options)
    if options.start_s is not None and options.end_s is not None:
        return start, end
    first, last = _of_first_retransmission(run, segments)
    if options.start_s is not None:
        return start, min(run.seconds, start + last - first)
    if options.end_s is not None:
        return max(0.0, end - (last - first)), end
    return first, last


def _of_first_retransmission(run: Traces, segments: "polars.DataFrame") -> tuple[float, float]:
    again = segments.filter(segments["is_again"])["time_s"].to_list()
    delays = run.bottleneck["longest_round_trip_ps"]
    # In a LAN, round trips are mostly queueing: the ten shown are at least 1 % of the run.
    round_trip = max(delays / PICOSECONDS_PER_SECOND, run.seconds / 1000)
    middle = again[0] if again else 0.0
    before, after = _neighbours(segments["time_s"].to_list(), middle)
    first = max(0.0, min(middle - _ROUND_TRIPS_BEFORE * round_trip, before))
    last = min(run.seconds, max(middle + _ROUND_TRIPS_AFTER * round_trip, after))
    return first, last


def _neighbours(times: Sequence[float], middle: float) -> tuple[float, float]:
    """Return the times of segments before and after an instant, to span pauses by timeouts."""
    if not times:
        return middle, middle
    place = bisect_left(times, middle)
    last = len(times) - 1
    return times[max(0, place - _SEGMENTS_BEFORE)], times[min(last, place + _SEGMENTS_AFTER)]


def _of(frame: "polars.DataFrame", flow: int) -> "polars.DataFrame":
    return frame.filter(frame["flow"] == flow)


def _within(frame: "polars.DataFrame", first: float, last: float) -> list[dict[str, Any]]:
    times = frame["time_s"]
    return frame.filter((times >= first) & (times <= last)).to_dicts()


def _row(series: str, flow: int, row: Mapping[str, Any], low: int, high: int) -> Row:
    times = {"series": series, "flow": flow, "time_s": row["time_s"]}
    return {**times, "low": low, "high": high, "unit": "B"}


def _strokes(rows: Sequence[Row], series: str, color: str, label: str, scale: float) -> list[Mark]:
    """Return a vertical stroke for each row, as tcptrace draws segments."""
    chosen = [row for row in rows if row["series"] == series]
    if not chosen:
        return []
    wide = 2.4 if series == "again" else 1.2
    times, tops = [row["time_s"] for row in chosen], [row["high"] * scale for row in chosen]
    bottoms = [row["low"] * scale for row in chosen]
    marks = [Mark("strokes", times, low=bottoms, high=tops, color=color, label=label, width=wide)]
    if series == "again" and len(chosen) <= _MOST_LETTERS:
        marks.append(Mark("letters", times, tops, color=color, marker="R", size=4.5))
    return marks


def _staircase(
    rows: Sequence[Row], series: str, color: str, label: str, scale: float
) -> list[Mark]:
    chosen = [row for row in rows if row["series"] == series]
    if not chosen:
        return []
    times = [row["time_s"] for row in chosen]
    return [Mark("steps", times, [row["low"] * scale for row in chosen], color=color, label=label)]

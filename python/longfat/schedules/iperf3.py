"""Rates of iperf3: the JSON of `iperf3 --json`, or of `--json-stream`.

Each interval has the sum of all streams, with `--bidir` one for each direction. The client sends up
unless the test is reversed.
"""

import json
from typing import Any

from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput
from longfat.schedules.measured import Direction, Measured, joined
from longfat.schedules.options import Options
from longfat.schedules.rates import Interval, path_of_rates
from longfat.schedules.sample import Sample, document_of, list_in, number_in, object_in

KIND = "the JSON of iperf3"
HELP = """Print the rates in FILE, the JSON of iperf3, as CSV for `path.steps`.

Rates are those of the side that wrote FILE: take that of the receiver, with --reverse the client's.

Example: iperf3 -c example.net -R -i 0.5 --json > down.json; longfat schedule from-iperf3 down.json
"""
FILES = ("file",)
OPTIONS = ()

_OPPOSITE: dict[Direction, Direction] = {"up": "down", "down": "up"}


def recognizes(sample: Sample) -> bool:
    """True if it is JSON with what iperf3 was told to do."""
    return sample.is_json and b'"test_start"' in sample.content


def measured(files: dict[str, Sample], options: Options) -> Measured:  # noqa: ARG001
    """Return the path. Raises `BadInput` for anything else, with the place."""
    sample = files["file"]
    start, intervals = _document(sample)
    way: Direction = "down" if _is_reverse(start, sample.source) else "up"
    parts: dict[Direction, list[Interval]] = {"up": [], "down": []}
    for number, interval in enumerate(intervals):
        where = f"{sample.source}: intervals[{number}]"
        sums = {way: object_in(interval, "sum", where)}
        if "sum_bidir_reverse" in interval:
            sums[_OPPOSITE[way]] = object_in(interval, "sum_bidir_reverse", where)
        for direction, figures in sums.items():
            if figures.get("omitted") is not True:
                parts[direction].append(_interval(figures, where))
    found = [path_of_rates(parts[d], d, sample.source) for d in (way, _OPPOSITE[way]) if parts[d]]
    if not found:
        raise BadInput([f"{sample.source}: no intervals with rates{_error(sample)}"])
    return joined(found)


def _interval(figures: dict[str, Any], where: str) -> Interval:
    begin_s, end_s = number_in(figures, "start", where), number_in(figures, "end", where)
    return Interval(begin_s, end_s - begin_s, number_in(figures, "bits_per_second", where))


def _is_reverse(start: dict[str, Any], source: str) -> bool:
    test = object_in(start, "test_start", f"{source}: start")
    return bool(test.get("reverse"))


def _document(sample: Sample) -> tuple[dict[str, Any], list[Any]]:
    """Return how the test was started, and its intervals."""
    what = "the JSON of `iperf3 --json`, with its start and intervals"
    if sample.head and '"event"' in sample.head[0]:
        return _stream(sample, what)
    document = document_of(sample, what)
    start = object_in(document, "start", sample.source)
    return start, list_in(document, "intervals", sample.source)


def _stream(sample: Sample, what: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the same of `--json-stream`, which writes an object for each event."""
    start: dict[str, Any] = {}
    intervals = []
    for number, line in enumerate(sample.text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadInput([f"{sample.source}:{number}: expected {what}: {error}"]) from None
        kind = event.get("event") if isinstance(event, dict) else None
        if kind == "start":
            start = object_in(event, "data", f"{sample.source}:{number}")
        elif kind == "interval":
            intervals.append(object_in(event, "data", f"{sample.source}:{number}"))
    return start, intervals


def _error(sample: Sample) -> str:
    """Return what iperf3 says of a failure."""
    said = json.loads(sample.text).get("error") if b'"error"' in sample.content else None
    return f"; iperf3 says: {shown_cells([str(said)])}" if said else ""

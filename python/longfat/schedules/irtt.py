"""Results of irtt: the JSON of `irtt client -o FILE`, and the CSV that LENS makes of it.

Each round trip has the time at which it was sent, its delay there and back (if the server gave its
times), and where it was lost, as far as the server's record of the last 64 packets tells
(irtt-client(1), round_trips).
"""

from typing import Any

from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput
from longfat.schedules import lens
from longfat.schedules.measured import Direction, Measured
from longfat.schedules.options import Options
from longfat.schedules.probes import Probe, path_of
from longfat.schedules.sample import Sample, document_of, list_in, number_in, object_in

KIND = "results of irtt"
HELP = """Print the delays and losses that irtt has measured in FILE as CSV for `path.steps`.

FILE is that of `irtt client -o FILE`, compressed or not, or a CSV with timestamp, rtt, uplink and
downlink.

Example: longfat schedule from-irtt starlink.json.gz --window-ms 100 > path.csv
"""
FILES = ("file",)
OPTIONS = ("window_ms", "elsewhere_ms", "jitter")

_NANOSECONDS = 10**9

_LOST: dict[object, Direction | None] = {
    "true": None,
    True: None,
    "true_up": "up",
    "true_down": "down",
}
"""Values of `lost` of a lost packet, with the way on which it was lost, if known."""


def recognizes(sample: Sample) -> bool:
    """True if it is JSON with irtt's round trips, or CSV of its results."""
    if lens.is_of_irtt(sample):
        return True
    return sample.is_json and b'"round_trips"' in sample.content


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` for anything else, with the place."""
    sample = files["file"]
    probes = lens.read_irtt(sample) if lens.is_of_irtt(sample) else read(sample)
    return path_of(probes, options, sample.source)


def read(sample: Sample) -> list[Probe]:
    """Return the requests of irtt's JSON. Raises `BadInput`."""
    what = "the JSON of `irtt client -o`, with its round_trips"
    trips = list_in(document_of(sample, what), "round_trips", sample.source)
    return [_probe(trip, f"{sample.source}: round_trips[{n}]") for n, trip in enumerate(trips)]


def _probe(trip: Any, where: str) -> Probe:
    client = object_in(object_in(trip, "timestamps", where), "client", where)
    sent = object_in(client, "send", where)
    clock = "monotonic" if "monotonic" in sent else "wall"
    sent_s = number_in(sent, clock, f"{where}: send") / _NANOSECONDS
    lost = trip.get("lost")
    if isinstance(lost, bool | str) and lost in _LOST:
        return Probe(sent_s, lost_on=_LOST[lost])
    if lost not in (False, "false"):
        known = "false, true, true_up or true_down"
        raise BadInput([f"{where}: expected lost, {known}, found {shown_cells([str(lost)])}"])
    delay = object_in(trip, "delay", where)
    up_s, down_s = (
        number_in(delay, name, where) / _NANOSECONDS if name in delay else None
        for name in ("send", "receive")
    )
    return Probe(sent_s, number_in(delay, "rtt", where) / _NANOSECONDS, up_s, down_s)

"""Delays that Hypatia computes of satellites' orbits (Kassing et al., IMC 2020).

`networkx_rtt_A_to_B.txt` has lines of a time and the round trip from then on, both in ns; a round
trip of 0 while there is no path. `pingmesh.csv`, of its packets, has a line for each request: the
two nodes, the number, when it was sent, answered and received, the delays there and back, and the
round trip, all in ns, and YES or LOST.
"""

import re

from longfat.base.cells import csv_lines, is_number, shown_cells
from longfat.base.errors import BadInput
from longfat.schedules.measured import Measured, Way
from longfat.schedules.options import Options
from longfat.schedules.probes import Probe, path_of
from longfat.schedules.sample import Sample

KIND = "a file of Hypatia"
HELP = """Print the delays in FILE, of Hypatia, as CSV for `path.steps`.

FILE is networkx_rtt_A_to_B.txt, of orbits, or pingmesh.csv with the lines of one pair of nodes.

Example: longfat schedule from-hypatia networkx_rtt_1173_to_1241.txt > path.csv
"""
FILES = ("file",)
OPTIONS = ("window_ms", "elsewhere_ms", "jitter")

_ORBITS = re.compile(r"\d{1,16},\d{1,13}\.\d{1,12}", re.ASCII)
_PINGS = re.compile(r"(?:\d{1,9},){3}(?:-?\d{1,18},){6}(?:YES|LOST)", re.ASCII)

_NANOSECONDS = 10**9
_MILLISECONDS = 1000


def recognizes(sample: Sample) -> bool:
    """True if the first line is one of Hypatia's."""
    first = sample.head[0] if sample.head else ""
    return bool(_ORBITS.fullmatch(first) or _PINGS.fullmatch(first))


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` with the line of an error."""
    sample = files["file"]
    if sample.head and len(sample.head[0].split(",")) > 2:
        return path_of(_pings(sample), options, sample.source)
    return _of_orbits(sample, options.elsewhere_ms / _MILLISECONDS)


def _of_orbits(sample: Sample, elsewhere_s: float) -> Measured:
    """Return a step for each line; while there is no path all packets are lost."""
    times: list[float] = []
    trips: list[float] = []
    for number, cells in csv_lines(sample.text, sample.source):
        if len(cells) != 2 or not all(map(is_number, cells)):
            expected = "expected a time and a round trip in ns"
            raise BadInput([f"{sample.source}:{number}: {expected}, found {shown_cells(cells)}"])
        time_s, trip_s = (float(cell) / _NANOSECONDS for cell in cells)
        if times and time_s <= times[-1]:
            raise BadInput([f"{sample.source}:{number}: times must ascend"])
        if trip_s != 0 and trip_s <= elsewhere_s:
            problem = f"a round trip of {trip_s * _MILLISECONDS:g} ms does not exceed what"
            raise BadInput([f"{sample.source}:{number}: {problem} --elsewhere-ms subtracts"])
        times.append(time_s)
        trips.append(trip_s)
    known = next((trip_s for trip_s in trips if trip_s), None)
    if known is None:
        raise BadInput([f"{sample.source}: no round trips"])
    delays = []
    for trip_s in trips:
        known = trip_s or known
        delays.append(round((known - elsewhere_s) / 2, 7))
    way = Way(delay_s=tuple(delays), loss=tuple(0.0 if trip else 1.0 for trip in trips))
    return Measured(tuple(round(time_s - times[0], 9) for time_s in times), way, way)


def _pings(sample: Sample) -> list[Probe]:
    """Return the requests of one pair of nodes."""
    probes: list[Probe] = []
    pairs: set[tuple[str, str]] = set()
    for number, cells in csv_lines(sample.text, sample.source):
        if not _PINGS.fullmatch(",".join(cells)):
            expected = "expected from,to,number,three times and three delays in ns,YES or LOST"
            raise BadInput([f"{sample.source}:{number}: {expected}, found {shown_cells(cells)}"])
        pairs.add((cells[0], cells[1]))
        sent_s, up_s, down_s, trip_s = (
            float(cells[column]) / _NANOSECONDS for column in (3, 6, 7, 8)
        )
        is_answered = cells[9] == "YES"
        probes.append(Probe(sent_s, trip_s, up_s, down_s) if is_answered else Probe(sent_s))
    if len(pairs) > 1:
        one, other = min(pairs)
        problem = (
            f"{len(pairs)} pairs of nodes; take the lines of one, as grep '^{one},{other},' does"
        )
        raise BadInput([f"{sample.source}: {problem}"])
    return probes

"""Delays and outages of a path over satellites, computed of their orbits.

The file is a description in TOML, which `longfat schema orbit` has key by key. A step of the
schedule has the delay at its beginning; a change of satellite begins at a step.
"""

from math import isnan
from pathlib import Path

from longfat.base.cells import names_in
from longfat.base.errors import BadInput
from longfat.base.numbers import counted
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.orbits.description import Description, described
from longfat.orbits.links.path import OrbitPath, Pair
from longfat.orbits.paths import Orbits, orbits_of
from longfat.schedules.measured import Column, Direction, Measured, Way, with_notes
from longfat.schedules.options import Options
from longfat.schedules.sample import Sample, sample_of

KIND = "a description of orbits"
HELP = """Print the delays of a path over satellites, computed of their orbits.

FILE is TOML with shells of satellites and ground stations; docs/guide/orbits.md explains it. The
path is that between the first two stations, or those that --between names.

Example: longfat schedule from-orbit examples/leo-orbit/orbit.toml > path.csv
"""
FILES = ("file",)
OPTIONS = ("between",)

_DECIMALS = 9
"""Decimals of a delay in s: nanoseconds, a foot of distance."""


def recognizes(sample: Sample) -> bool:
    """True if a line begins the shells of satellites."""
    return any(line.replace(" ", "").startswith(("[[shells]]", "shells=")) for line in sample.head)


def measured(files: dict[str, Sample], options: Options) -> Measured:
    """Return the path. Raises `BadInput` with the line of an error."""
    sample = files["file"]
    description = description_in(sample)
    orbits = orbits_of(description, [_pair(description, options.between)])
    (path,) = orbits.paths
    return with_notes(schedule_of(description, path, sample.source), *orbits.notes)


def description_in(sample: Sample) -> Description:
    """Return the description in a file. Raises `BadInput` for another file, and for mistakes."""
    if not recognizes(sample):
        expected = "expected a description of orbits, TOML with [[shells]] and [[stations]]"
        raise BadInput([f"{sample.source}: {expected}"])
    return described(sample.content, sample.source)


def orbits_at(path: Path) -> Orbits:
    """Return the path between the first two stations of a description.

    Raises `LongfatError` for a file that cannot be read, and `BadInput` as `description_in`.
    """
    return orbits_of(description_in(sample_of(path)), [(0, 1)])


def _pair(description: Description, between: str | None) -> Pair:
    """Return the stations at the ends. Raises `LongfatError` for others than two known ones."""
    if between is None:
        return 0, 1
    names = names_in(between, "--between")
    if len(names) != 2 or names[0] == names[1]:
        raise BadInput([f"--between: expected two stations, such as A,B, found {between!r}"])
    return description.station(names[0]), description.station(names[1])


def schedule_of(description: Description, path: OrbitPath, source: str) -> Measured:
    """Return the schedule of a path. Raises `BadInput` if there is never one."""
    delays = path.delay_s.tolist()
    known = next((delay for delay in delays if not isnan(delay)), None)
    if known is None:
        problem = "no satellites join the stations at any step"
        raise BadInput([f"{source}: {problem}; lower the mask, or add satellites"])
    times_s, rows = _rows(description, delays, path.handovers)
    # Without a path, the schedule keeps the last delay.
    kept: list[float] = []
    is_up: list[bool] = []
    for step, is_gap in rows:
        known = known if isnan(delays[step]) else delays[step]
        kept.append(known)
        is_up.append(not (is_gap or isnan(delays[step])))
    return with_notes(
        Measured(
            times_s,
            _way(description, kept, is_up, "up"),
            _way(description, kept, is_up, "down"),
        ),
        _note(description, delays),
    )


def _rows(
    description: Description, delays: list[float], handovers: list[int]
) -> tuple[Column, list[tuple[int, bool]]]:
    """Return the times of rows, and for each its step and whether it is the gap of a handover."""
    gap_ps = description.settings["handover"]["gap_ps"]
    with_gap = set(handovers) if gap_ps else set()
    times_s: list[float] = []
    rows: list[tuple[int, bool]] = []
    for step in range(len(delays)):
        begin_ps = step * description.step_ps
        times_s.append(begin_ps / PICOSECONDS_PER_SECOND)
        rows.append((step, step in with_gap))
        if step in with_gap:
            times_s.append((begin_ps + gap_ps) / PICOSECONDS_PER_SECOND)
            rows.append((step, False))
    return tuple(times_s), rows


def _way(description: Description, delays: list[float], is_up: list[bool], way: Direction) -> Way:
    settings = description.settings
    added_s = settings[f"added_{way}_ps"] / PICOSECONDS_PER_SECOND
    delay_s = tuple(round(delay + added_s, _DECIMALS) for delay in delays)
    outage = settings["outage"]
    if outage["kind"] == "held":
        rate_bps = outage[f"rate_{way}_bps"]
        return Way(rate_bps=tuple(rate_bps if up else 0 for up in is_up), delay_s=delay_s)
    return Way(delay_s=delay_s, loss=tuple(0.0 if up else 1.0 for up in is_up))


def _note(description: Description, delays: list[float]) -> str | None:
    """Return a note on steps without a path."""
    without = sum(map(isnan, delays))
    if not without:
        return None
    share = f"{counted(without, 'step')} of {description.steps:,}"
    return f"warning: {description.source}: no satellites join the stations at {share}"

"""Which satellites a station sees at each step, and how far they are."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longfat.base.errors import BadInput
from longfat.orbits.description import Description, Station
from longfat.orbits.earth import earth_angles, fixed, turned
from longfat.orbits.shells import Constellation
from longfat.orbits.types import Array, Flags, Whole

_PART = 200_000
"""Places of satellites that are computed at once."""

_MOST_PLACES = 10**9
"""Most places of satellites in a schedule: a quarter of an hour of computing."""

_MOST_VIEWS = 10**10
"""Most places of satellites as stations see them: some minutes of computing."""

_MOST_SIGHTINGS = 20_000_000
"""Most sightings of all stations: 1 GB of memory."""


@dataclass(frozen=True)
class Sightings:
    """Satellites in sight, step after step, in the order of their numbers.

    Those of step k are rows `begins[k]` to `begins[k + 1]`. `until` is the step at which the
    satellite is out of sight, or the number of steps. `range_km` is the slant range of the station
    that chooses, `length_km` that of the whole path, as far as it is known.
    """

    begins: Whole
    satellite: Whole
    range_km: Array
    length_km: Array
    until: Whole

    def rows(self, step: int) -> slice:
        """Return the rows of a step."""
        return slice(int(self.begins[step]), int(self.begins[step + 1]))

    def row(self, step: int, satellite: int) -> int:
        """Return the row of a satellite at a step, at which it is in sight."""
        rows = self.rows(step)
        return int(rows.start + np.searchsorted(self.satellite[rows], satellite))


def parts(description: Description, count: int) -> Iterator[tuple[int, Array]]:
    """Yield parts of the schedule: the first step of each, and times in s.

    Raises `BadInput` for more places than are computed.
    """
    if count * description.steps > _MOST_PLACES:
        what = f"{count:,} satellites at {description.steps:,} steps"
        problem = f"{what}; at most {_MOST_PLACES:,} places are computed: raise the step"
        raise BadInput([f"{description.source}: {problem}"])
    times_s = description.times_s
    length = max(1, _PART // max(1, count))
    for first in range(0, len(times_s), length):
        yield first, times_s[first : first + length]


def sightings_of(
    description: Description, satellites: Constellation, stations: list[Station]
) -> list[Sightings]:
    """Return what each station sees. Raises `BadInput` for more than is computed."""
    if satellites.count * description.steps * len(stations) > _MOST_VIEWS:
        what = f"{satellites.count:,} satellites at {description.steps:,} steps"
        problem = (
            f"{what}, seen by {len(stations):,} stations; at most {_MOST_VIEWS:,} are computed"
        )
        raise BadInput([f"{description.source}: {problem}: raise the step"])
    places = [fixed(station) for station in stations]
    found: list[list[tuple[Whole, Whole, Array]]] = [[] for _ in stations]
    total = 0
    for first, times_s in parts(description, satellites.count):
        positions = satellites.positions(times_s)
        angles = earth_angles(description, times_s)
        squares = np.einsum("stk,stk->st", positions, positions)
        for number, (place, up) in enumerate(places):
            ranges, is_seen = _seen(
                positions,
                squares,
                turned(place, angles),
                turned(up, angles),
                stations[number].mask_deg,
                description.settings["longest_km"],
            )
            step, satellite = np.nonzero(is_seen.T)
            found[number].append((first + step, satellite, ranges[satellite, step]))
            total += len(step)
        if total > _MOST_SIGHTINGS:
            problem = f"more than {_MOST_SIGHTINGS:,} sightings of satellites by stations"
            raise BadInput([f"{description.source}: {problem}: raise the step, or the mask"])
    return [_joined(parts_of, description.steps) for parts_of in found]


def _seen(
    positions: Array, squares: Array, place: Array, up: Array, mask_deg: float, longest_km: float
) -> tuple[Array, Flags]:
    """Return slant ranges in km, and which satellites a station uses: both (satellites, times)."""
    along = np.einsum("stk,tk->st", positions, place)
    ranges = np.sqrt(squares - 2 * along + np.einsum("tk,tk->t", place, place))
    height = np.einsum("stk,tk->st", positions, up) - np.einsum("tk,tk->t", place, up)
    # Comparisons with NaN are false: a satellite that has come down is not seen.
    is_high = height >= np.sin(np.radians(mask_deg)) * ranges
    return ranges, np.asarray(is_high & (ranges <= longest_km))


def _joined(found: list[tuple[Whole, Whole, Array]], steps: int) -> Sightings:
    step, satellite, range_km = (np.concatenate(column) for column in zip(*found, strict=True))
    return table(step, satellite, range_km, range_km, steps)


def table(
    step: Whole, satellite: Whole, range_km: Array, length_km: Array, steps: int
) -> Sightings:
    """Return sightings in the order of steps and satellites, with when each ends."""
    begins = np.searchsorted(step, np.arange(steps + 1))
    by_satellite = np.lexsort((step, satellite))
    own, times = satellite[by_satellite], step[by_satellite]
    is_last = np.ones(len(own), bool)
    is_last[:-1] = (own[1:] != own[:-1]) | (times[1:] != times[:-1] + 1)
    ends = np.flatnonzero(is_last)
    # Each sighting lasts until the end of its run.
    until = np.empty(len(own), np.int64)
    until[by_satellite] = times[ends[np.searchsorted(ends, np.arange(len(own)))]] + 1
    return Sightings(begins, satellite, range_km, length_km, until)


def of_both(one: Sightings, other: Sightings) -> Sightings:
    """Return the satellites that two stations see, as the first chooses among them."""
    count = 1 + max(each.satellite.max(initial=0) for each in (one, other))
    own, others = (_steps(each) * count + each.satellite for each in (one, other))
    _, at, there = np.intersect1d(own, others, assume_unique=True, return_indices=True)
    length_km = one.range_km[at] + other.range_km[there]
    steps = len(one.begins) - 1
    return table(_steps(one)[at], one.satellite[at], one.range_km[at], length_km, steps)


def _steps(sightings: Sightings) -> Whole:
    """Return the step of each row."""
    return np.repeat(np.arange(len(sightings.begins) - 1), np.diff(sightings.begins))

"""Paths up to one satellite that both stations see, and down."""

from collections.abc import Mapping, Sequence

import numpy as np

from longfat.orbits.choosing import NONE, chosen_rows
from longfat.orbits.description import Description
from longfat.orbits.links.path import OrbitPath, Pair, changes
from longfat.orbits.shells import Constellation
from longfat.orbits.sightings import Sightings, of_both


def paths(
    description: Description,
    _satellites: Constellation,
    sightings: Mapping[int, Sightings],
    pairs: Sequence[Pair],
) -> list[OrbitPath]:
    """Return the path of each pair."""
    return [_path(description, sightings, pair) for pair in pairs]


def _path(description: Description, sightings: Mapping[int, Sightings], pair: Pair) -> OrbitPath:
    both = of_both(*(sightings[station] for station in pair))
    names = [description.stations[station].name for station in pair]
    rows = chosen_rows(description, both, " to ".join(names))
    is_there = rows != NONE
    length_km = np.full(len(rows), np.nan)
    length_km[is_there] = both.length_km[rows[is_there]]
    routes = [() if row == NONE else (int(both.satellite[row]),) for row in rows]
    return OrbitPath(length_km, changes(routes))

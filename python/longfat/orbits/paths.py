"""Paths between stations, of a description."""

from collections.abc import Sequence
from dataclasses import dataclass

from longfat.base.errors import BadInput
from longfat.orbits.description import Description
from longfat.orbits.links import links_called
from longfat.orbits.links.path import OrbitPath, Pair
from longfat.orbits.shells import Constellation, constellation
from longfat.orbits.sightings import sightings_of

_MOST_ROWS = 20_000_000
"""Most steps of all paths together: some minutes of computing."""


@dataclass(frozen=True)
class Orbits:
    """The paths of some pairs of stations, with the satellites that they lead over."""

    description: Description
    satellites: Constellation
    pairs: Sequence[Pair]
    paths: Sequence[OrbitPath]

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about the satellites."""
        return tuple(note for shell in self.satellites.shells for note in shell.notes)


def orbits_of(description: Description, pairs: Sequence[Pair]) -> Orbits:
    """Compute the path of each pair of stations.

    Raises `BadInput` for a file with a mistake, and for more than is computed.
    """
    if len(pairs) * description.steps > _MOST_ROWS:
        what = f"{len(pairs):,} paths with {description.steps:,} steps"
        problem = f"{what}; at most {_MOST_ROWS:,} rows are computed: raise the step"
        raise BadInput([f"{description.source}: {problem}"])
    satellites = constellation(description)
    numbers = sorted({number for pair in pairs for number in pair})
    stations = [description.stations[number] for number in numbers]
    seen = sightings_of(description, satellites, stations)
    links = links_called(description.settings["links"]["kind"])
    sightings = dict(zip(numbers, seen, strict=True))
    return Orbits(
        description, satellites, pairs, links.paths(description, satellites, sightings, pairs)
    )

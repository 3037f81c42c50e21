"""Registry of links: a module finds the paths between stations at each step.

A new kind is a model in `crates/orbit/src/links.rs`, and a module with `paths` and a line in
`LINKS`.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from longfat.orbits.description import Description
from longfat.orbits.links.path import OrbitPath, Pair
from longfat.orbits.shells import Constellation
from longfat.orbits.sightings import Sightings

LINKS = {
    "bent-pipe": "longfat.orbits.links.bent_pipe",
    "isl": "longfat.orbits.links.inter_satellite",
}


class Links(Protocol):
    """Interface of a module with a kind of links."""

    def paths(
        self,
        description: Description,
        satellites: Constellation,
        sightings: Mapping[int, Sightings],
        pairs: Sequence[Pair],
        /,
    ) -> list[OrbitPath]:
        """Return the path of each pair; `sightings` are by station.

        Raises `BadInput` for satellites that have no such links.
        """


def links_called(name: str) -> Links:
    """Return the links of this name."""
    return cast("Links", import_module(LINKS[name]))

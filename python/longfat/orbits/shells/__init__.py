"""Registry of shells: a module turns the settings of a shell into satellites that move.

A new kind is a model in `crates/orbit/src/shells.rs`, and a module with `satellites` and a line in
`SHELLS`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

from longfat.orbits.description import Description
from longfat.orbits.shells.satellites import Satellites
from longfat.orbits.types import Array, Whole

SHELLS = {
    "walker": "longfat.orbits.shells.walker",
    "tle": "longfat.orbits.shells.element_sets",
}


class Shell(Protocol):
    """Interface of a module with a kind of shell."""

    def satellites(self, settings: Mapping[str, Any], description: Description, /) -> Satellites:
        """Return the satellites. Raises `BadInput` for a file with a mistake."""


@dataclass(frozen=True)
class Constellation:
    """All satellites of a description, shell after shell."""

    shells: Sequence[Satellites]

    @property
    def count(self) -> int:
        """Number of satellites."""
        return sum(len(shell.names) for shell in self.shells)

    @property
    def names(self) -> list[str]:
        """Names of satellites."""
        return [name for shell in self.shells for name in shell.names]

    @property
    def neighbors(self) -> Whole | None:
        """Pairs of satellites with a link, (links, 2); None if a shell has no neighbors."""
        found, first = [np.empty((0, 2), np.int64)], 0
        for shell in self.shells:
            if shell.neighbors is None:
                return None
            found.append(shell.neighbors + first)
            first += len(shell.names)
        return np.concatenate(found)

    def positions(self, times_s: Array) -> Array:
        """Return places in km, in the frame of the satellites: (satellites, times, 3)."""
        return np.concatenate([shell.moving.positions(times_s) for shell in self.shells])


def constellation(description: Description) -> Constellation:
    """Return all satellites. Raises `BadInput` for a file with a mistake."""
    shells = []
    for settings in description.settings["shells"]:
        shell = cast("Shell", import_module(SHELLS[settings["kind"]]))
        shells.append(shell.satellites(settings, description))
    return Constellation(shells)

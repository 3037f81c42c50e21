"""Satellites of a shell: how they move, and which are neighbors in space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longfat.orbits.types import Array, Whole


class Moving(Protocol):
    """Satellites whose places can be computed."""

    def positions(self, times_s: Array, /) -> Array:
        """Return places in km: (satellites, times, 3); NaN for a satellite that has come down."""


@dataclass(frozen=True)
class Satellites:
    """The satellites of a shell, with pairs of neighbors in space; `notes` are what to tell.

    `neighbors` is None for a shell whose satellites have no order, such as that of a file.
    """

    names: Sequence[str]
    moving: Moving
    neighbors: Whole | None = None
    notes: tuple[str, ...] = ()

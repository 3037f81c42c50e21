"""Paths between two stations."""

from collections.abc import Sequence
from dataclasses import dataclass

from longfat.orbits.earth import LIGHT_KM_PER_S
from longfat.orbits.types import Array

Pair = tuple[int, int]
"""Numbers of two stations; the first one chooses the satellite of a bent pipe."""

Route = tuple[int, ...]
"""Numbers of satellites from the first station to the second; none without a path."""


@dataclass(frozen=True)
class OrbitPath:
    """A path between two stations: its length in km at each step, NaN without one.

    `routes` are the satellites that it leads over, from a step on.
    """

    length_km: Array
    routes: Sequence[tuple[int, Route]]

    @property
    def delay_s(self) -> Array:
        """One-way delay at each step in s, NaN without a path."""
        return self.length_km / LIGHT_KM_PER_S

    @property
    def handovers(self) -> list[int]:
        """Steps at which a station begins to use another satellite than just before."""
        before: Route = ()
        found = []
        for step, route in self.routes:
            if before and route and (before[0], before[-1]) != (route[0], route[-1]):
                found.append(step)
            before = route
        return found


def changes(routes: Sequence[Route]) -> list[tuple[int, Route]]:
    """Return routes, of one step each, without repetitions: each with its first step."""
    return [
        (step, route) for step, route in enumerate(routes) if step == 0 or route != routes[step - 1]
    ]

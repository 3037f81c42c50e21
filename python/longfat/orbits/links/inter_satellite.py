"""Paths over links between satellites: the shortest way between those that the stations use.

Routes are chosen when satellites are, and when a station changes its satellite. In between a route
stays, and its length changes as the satellites move.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import numpy as np

from longfat.base.errors import BadInput
from longfat.base.extras import need
from longfat.orbits.choosing import NONE, choice_steps, chosen_rows
from longfat.orbits.description import Description
from longfat.orbits.earth import EQUATOR_KM
from longfat.orbits.links.path import OrbitPath, Pair, Route, changes
from longfat.orbits.rules import rule_called
from longfat.orbits.shells import Constellation
from longfat.orbits.sightings import Sightings, parts
from longfat.orbits.types import Array, Whole


def paths(
    description: Description,
    satellites: Constellation,
    sightings: Mapping[int, Sightings],
    pairs: Sequence[Pair],
) -> list[OrbitPath]:
    """Return the path of each pair. Raises `BadInput` for satellites without neighbors."""
    neighbors = satellites.neighbors
    if neighbors is None:
        problem = (
            'links = "isl" is for shells in Walker\'s notation: element sets name no neighbors'
        )
        raise BadInput([f"{description.source}: {problem}"])
    ends = {number: _end(description, number, seen) for number, seen in sightings.items()}
    space = _Space(neighbors, satellites.count, description.settings["links"]["lowest_km"])
    searches = [_Search(ends[first], ends[second]) for first, second in pairs]
    grid = choice_steps(description)
    choices = set(range(description.steps) if grid is None else grid.tolist())
    for first, times_s in parts(description, satellites.count):
        positions = satellites.positions(times_s).swapaxes(0, 1)
        for step, places in enumerate(positions, start=first):
            _advance(space, searches, places, step, step in choices)
    return [search.path() for search in searches]


@dataclass(frozen=True, eq=False)
class _End:
    """A station: what it sees, and the row that it has chosen at each step.

    `chosen` is None if any satellite in sight may be used.
    """

    seen: Sightings
    chosen: Whole | None

    def rows(self, step: int) -> slice:
        """Return the rows of satellites that may be used at a step."""
        if self.chosen is None:
            return self.seen.rows(step)
        row = int(self.chosen[step])
        return slice(0, 0) if row == NONE else slice(row, row + 1)

    def range_km(self, step: int, satellite: int) -> float:
        """Return the slant range of a satellite, or NaN if it may not be used."""
        rows = self.rows(step)
        row = rows.start + int(np.searchsorted(self.seen.satellite[rows], satellite))
        is_used = row < rows.stop and self.seen.satellite[row] == satellite
        return float(self.seen.range_km[row]) if is_used else np.nan


def _end(description: Description, number: int, seen: Sightings) -> _End:
    if rule_called(description.settings["handover"]["rule"]).BY_PATH:
        return _End(seen, None)
    return _End(seen, chosen_rows(description, seen, description.stations[number].name))


class _Space:
    """The graph of satellites: links in both directions, and the lowest altitude that they pass."""

    def __init__(self, neighbors: Whole, count: int, lowest_km: float) -> None:
        self.count = count
        self._lowest_km = EQUATOR_KM + lowest_km
        self._one, self._other = neighbors.T
        both = np.concatenate([neighbors, neighbors[:, ::-1]])
        order = np.lexsort((both[:, 1], both[:, 0]))
        self._link = order % max(1, len(neighbors))
        self._begins = np.searchsorted(both[order, 0], np.arange(count + 1))
        self._columns = both[order, 1]

    def distances(self, positions: Array, ends: Sequence[_End], step: int) -> tuple[Array, Whole]:
        """Return each satellite's distance in km from stations, and the satellite before it.

        Behind the satellites, the graph has a node for each station, from which lines lead up.
        """
        rows = [end.rows(step) for end in ends]
        up = [
            (end.seen.satellite[used], end.seen.range_km[used])
            for end, used in zip(ends, rows, strict=True)
        ]
        lengths = np.concatenate(
            [self._lengths(positions)[self._link], *(ranges for _, ranges in up)]
        )
        columns = np.concatenate([self._columns, *(satellites for satellites, _ in up)])
        sizes = np.cumsum([len(satellites) for satellites, _ in up])
        begins = np.concatenate([self._begins, self._begins[-1] + sizes])
        size = self.count + len(ends)
        need("analysis", 'links.kind = "isl"', "scipy")
        from scipy.sparse import csr_matrix
        from scipy.sparse.csgraph import dijkstra

        graph = csr_matrix((lengths, columns, begins), shape=(size, size))
        found, before = dijkstra(
            graph, indices=np.arange(self.count, size), return_predecessors=True
        )
        return found, before

    def _lengths(self, positions: Array) -> Array:
        """Return the length of each link in km, infinite if the Earth is in its way."""
        start = positions[self._one]
        along = positions[self._other] - start
        square = np.einsum("lk,lk->l", along, along)
        # The point of the line that is nearest to the Earth's center.
        share = np.clip(-np.einsum("lk,lk->l", start, along) / np.maximum(square, 1.0), 0, 1)
        nearest = start + share[:, None] * along
        is_free = np.einsum("lk,lk->l", nearest, nearest) >= self._lowest_km**2
        return np.where(is_free, np.sqrt(square), np.inf)


@dataclass
class _Search:
    """The path of a pair as it is found, step after step."""

    start: _End
    end: _End
    route: Route = ()
    routes: list[Route] = field(default_factory=list)
    lengths_km: list[float] = field(default_factory=list)

    def ground_km(self, step: int) -> float:
        """Return the way up and down, NaN without a route or if it may not be used any more."""
        if not self.route:
            return np.nan
        return self.start.range_km(step, self.route[0]) + self.end.range_km(step, self.route[-1])

    def choose(self, step: int, distances: Array, before: Whole) -> None:
        """Take the shortest route; distances are those of satellites from the first station."""
        rows = self.end.rows(step)
        satellites = self.end.seen.satellite[rows]
        total = distances[satellites] + self.end.seen.range_km[rows]
        nearest = int(np.argmin(total)) if len(total) else 0
        if not len(total) or np.isinf(total[nearest]):
            self._take((), np.nan)
            return
        found = [int(satellites[nearest])]
        # Before the first satellite is the station, whose number is behind all satellites.
        while (node := int(before[found[-1]])) < len(before):
            found.append(node)
        self._take(tuple(reversed(found)), float(total[nearest]))

    def keep(self, ground_km: float, positions: Array) -> None:
        """Keep the route, whose length changes: of it, the ways up and down are known."""
        length_km = ground_km
        if len(self.route) > 1:
            hops = np.diff(positions[list(self.route)], axis=0)
            length_km += float(np.sqrt(np.einsum("hk,hk->h", hops, hops)).sum())
        self._take(self.route, length_km)

    def _take(self, route: Route, length_km: float) -> None:
        self.route = route
        self.routes.append(route)
        self.lengths_km.append(length_km)

    def path(self) -> OrbitPath:
        """Return the path."""
        return OrbitPath(np.array(self.lengths_km), changes(self.routes))


def _advance(
    space: _Space, searches: list[_Search], positions: Array, step: int, is_choice: bool
) -> None:
    """Choose routes anew where they are due at a step, and keep the others."""
    due: list[_Search] = []
    for search in searches:
        ground_km = np.nan if is_choice else search.ground_km(step)
        if isnan(ground_km):
            due.append(search)
        else:
            search.keep(ground_km, positions)
    starts = list(dict.fromkeys(search.start for search in due))
    if starts:
        distances, before = space.distances(positions, starts, step)
        for search in due:
            number = starts.index(search.start)
            search.choose(step, distances[number, : space.count], before[number, : space.count])

"""Plot of a path over satellites: its delay over time, and a map of the satellites in use."""

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from longfat.base.numbers import counted
from longfat.orbits.earth import earth_angles, fixed, ground_track
from longfat.orbits.links.path import Route
from longfat.orbits.paths import Orbits
from longfat.plots.palette import FAINT, INK, flow_look
from longfat.plots.picture import Axis, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "delay of a path over satellites over time, and a map of the satellites in use"
SOURCE = "orbit"
OPTIONS: Sequence[str] = ()

_MILLI = 1000
_TURN_DEG = 360.0
_MARGIN_DEG = 4.0


def collect(orbits: Orbits, _options: "Options") -> list["Row"]:
    """Return the series `delay` (ms), `satellite` (tracks in degrees), `route` and `station`.

    A row has the route in use, counted from 1; 0 without one. `route` is the first one, over the
    satellites as they are at its first step. Longitudes are those nearest to the first station's.
    """
    (path,) = orbits.paths
    steps = orbits.description.steps
    number = _numbers(steps, [step for step, _ in path.routes])
    delays = [
        _row("delay", time_s, int(route), value=_MILLI * delay)
        for time_s, route, delay in zip(
            orbits.description.times_s.tolist(), number, path.delay_s.tolist(), strict=True
        )
        if not isnan(delay)
    ]
    return [*delays, *_tracks(orbits), *_stations(orbits)]


def _row(series: str, time_s: float, route: int, name: str = "", **values: float) -> "Row":
    empty = {"value": None, "longitude_deg": None, "latitude_deg": None}
    return {"series": series, "name": name, "time_s": time_s, "route": route, **empty, **values}


def _numbers(steps: int, begins: Sequence[int]) -> list[int]:
    """Return the number of the route at each step, from 1."""
    return [int(number) for number in np.searchsorted(begins, np.arange(steps), side="right")]


def _tracks(orbits: Orbits) -> list["Row"]:
    """Return where satellites are while a route leads over them."""
    (path,) = orbits.paths
    ends = [step for step, _ in path.routes[1:]] + [orbits.description.steps]
    names = orbits.satellites.names
    center = _longitude_of_first(orbits)
    rows = []
    first_route = next((place for place, (_, route) in enumerate(path.routes) if route), None)
    for place, ((begin, route), end) in enumerate(zip(path.routes, ends, strict=True)):
        if not route:
            continue
        times_s = orbits.description.times_s[begin:end]
        latitudes, longitudes = _places(orbits, route, times_s)
        series = ["satellite", "route"] if place == first_route else ["satellite"]
        for own, satellite in enumerate(route):
            for kind in series:
                moments = range(len(times_s)) if kind == "satellite" else range(1)
                rows += [
                    _row(
                        kind,
                        float(times_s[moment]),
                        place + 1,
                        names[satellite],
                        longitude_deg=_near(float(longitudes[own, moment]), center),
                        latitude_deg=float(latitudes[own, moment]),
                    )
                    for moment in moments
                ]
    return rows


def _places(orbits: Orbits, route: Route, times_s: Any) -> tuple[Any, Any]:
    positions = orbits.satellites.positions(times_s)[list(route)]
    return ground_track(positions, earth_angles(orbits.description, times_s))


def _stations(orbits: Orbits) -> list["Row"]:
    center = _longitude_of_first(orbits)
    rows = []
    for number in orbits.pairs[0]:
        station = orbits.description.stations[number]
        place, _ = fixed(station)
        latitude, _ = ground_track(place[None, None], np.zeros(1))
        rows.append(
            _row(
                "station",
                0.0,
                0,
                station.name,
                longitude_deg=_near(station.longitude_deg, center),
                latitude_deg=float(latitude[0, 0]),
            )
        )
    return rows


def _longitude_of_first(orbits: Orbits) -> float:
    return orbits.description.stations[orbits.pairs[0][0]].longitude_deg


def _near(longitude: float, center: float) -> float:
    """Return a longitude within half a turn of another, so that a path is not cut at 180."""
    return center + (longitude - center + _TURN_DEG / 2) % _TURN_DEG - _TURN_DEG / 2


def picture(rows: Sequence["Row"], _options: "Options", orbits: Orbits) -> Picture:
    """Return two panels: the delay, and the map, with a color for each satellite in turn."""
    (path,) = orbits.paths
    duration_s = orbits.description.steps * float(orbits.description.step_ps) / 1e12
    delays = _marks(rows, "delay", "time_s", "value", "points", 1.6)
    over_time = Panel(
        Axis("time in s", 0, duration_s), Axis("one-way delay in ms"), delays, legend=False
    )
    placed = [row for row in rows if row["series"] != "delay"]
    station_rows = [row for row in placed if row["series"] == "station"]
    route = [row for row in placed if row["series"] == "route"]
    x, y = "longitude_deg", "latitude_deg"
    marks = _marks(rows, "satellite", x, y, "points", 1.0)
    if route and len(station_rows) == 2:
        line = [station_rows[0], *route, station_rows[1]]
        marks.insert(
            0, Mark("line", [row[x] for row in line], [row[y] for row in line], FAINT, style="--")
        )
    marks.append(
        Mark(
            "points",
            [row[x] for row in station_rows],
            [row[y] for row in station_rows],
            INK,
            marker="^",
            size=6.0,
            names=[row["name"] for row in station_rows],
        )
    )
    axes = [_axis(placed, key, f"{key.removesuffix('_deg')} in degrees") for key in (x, y)]
    stations = [station["name"] for station in station_rows]
    caption = (
        f"{' to '.join(stations)}; {counted(len(orbits.satellites.names), 'satellite')}; "
        f"{counted(len(path.handovers), 'handover')}; one color for each route in turn; "
        "triangles: stations; dashed: the first route"
    )
    return Picture([[over_time], [Panel(axes[0], axes[1], marks, legend=False)]], caption, 5.6)


def _marks(
    rows: Sequence["Row"], series: str, x: str, y: str, kind: Any, size: float
) -> list[Mark]:
    """Return the points of a series, a mark for each route in use."""
    own = [row for row in rows if row["series"] == series]
    marks = []
    for number in dict.fromkeys(row["route"] for row in own):
        of_route = [row for row in own if row["route"] == number]
        look = flow_look(number)
        xs, ys = [row[x] for row in of_route], [row[y] for row in of_route]
        marks.append(Mark(kind, xs, ys, look.color, size=size))
    return marks


def _axis(rows: Sequence["Row"], key: str, label: str) -> Axis:
    values = [row[key] for row in rows]
    return Axis(label, min(values) - _MARGIN_DEG, max(values) + _MARGIN_DEG)

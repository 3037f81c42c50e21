"""Shells in Walker's notation i: t/p/f (Walker 1984): t satellites in p planes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sgp4.api import WGS72, Satrec

from longfat.orbits.description import Description
from longfat.orbits.shells.propagation import EQUATOR_KM, Circling, Perturbed, mean_motion
from longfat.orbits.shells.satellites import Moving, Satellites
from longfat.orbits.types import Array, Whole

_SECONDS_OF_MINUTE = 60.0
_SGP4_DAY_0 = 2433281.5
"""Julian date of 1949-12-31, from which SGP4 counts days."""


def satellites(settings: Mapping[str, Any], description: Description) -> Satellites:
    """Return the satellites, plane after plane."""
    pattern = settings["walker"]
    planes, in_plane = pattern["planes"], pattern["satellites"] // pattern["planes"]
    nodes, arguments = _angles(settings)
    names = [f"{plane}-{number}" for plane in range(planes) for number in range(in_plane)]
    moving = _moving(settings, nodes, arguments, description)
    return Satellites(names, moving, _neighbors(settings, planes, in_plane))


def _angles(settings: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return each satellite's right ascension of the node, and distance from it, in radians."""
    pattern = settings["walker"]
    total, planes = pattern["satellites"], pattern["planes"]
    in_plane = total // planes
    plane, number = np.divmod(np.arange(total), in_plane)
    spread_deg = 180.0 if settings["pattern"] == "star" else 360.0
    nodes = settings["first_node_deg"] + plane * spread_deg / planes
    if settings["phasing"] == "alternating":
        shift_deg = plane % 2 * 180.0 / in_plane
    else:
        shift_deg = plane * pattern["phasing"] * 360.0 / total
    arguments = settings["first_satellite_deg"] + number * 360.0 / in_plane + shift_deg
    return np.radians(nodes % 360.0), np.radians(arguments % 360.0)


def _moving(
    settings: Mapping[str, Any], nodes: Array, arguments: Array, description: Description
) -> Moving:
    radius_km = EQUATOR_KM + settings["altitude_km"]
    inclination = float(np.radians(settings["walker"]["inclination_deg"]))
    if settings["motion"] == "kepler":
        return Circling(radius_km, inclination, nodes, arguments)
    day, share = description.epoch_days
    records = []
    for node, argument in zip(nodes.tolist(), arguments.tolist(), strict=True):
        record = Satrec()
        record.sgp4init(
            WGS72,
            "i",
            0,  # catalog number
            day - _SGP4_DAY_0 + share,
            0.0,  # drag
            0.0,
            0.0,
            0.0,  # eccentricity
            0.0,  # argument of perigee, from which the mean anomaly counts
            inclination,
            argument,
            mean_motion(radius_km) * _SECONDS_OF_MINUTE,
            node,
        )
        records.append(record)
    return Perturbed(records, day, share)


def _neighbors(settings: Mapping[str, Any], planes: int, in_plane: int) -> Whole:
    """Return the links of the +Grid: to the next in the plane, and to the next plane.

    From the last plane of a delta pattern to the first, phasing has shifted numbers by f: so the
    neighbor there has a number that is larger by f. A star pattern has a seam there.
    """
    links: set[tuple[int, int]] = set()
    is_star = settings["pattern"] == "star"
    around = settings["walker"]["phasing"] if settings["phasing"] == "walker" else 0
    for plane in range(planes):
        is_last = plane == planes - 1
        for number in range(in_plane):
            own = plane * in_plane + number
            links.add((own, plane * in_plane + (number + 1) % in_plane))
            if not (is_last and is_star):
                there = (number + (around if is_last else 0)) % in_plane
                links.add((own, (plane + 1) % planes * in_plane + there))
    pairs = sorted({(min(pair), max(pair)) for pair in links if pair[0] != pair[1]})
    return np.array(pairs, np.int64).reshape(-1, 2)

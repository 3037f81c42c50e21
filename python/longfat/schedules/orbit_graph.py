"""A graph of ground stations for a scenario, with a link for each path over satellites.

Each station is a host with a switch of its own. Between switches, a link has the delay of its path
at the first step that has one; the lines of both directions change as the schedules say.
"""

import json
from collections.abc import Sequence
from itertools import combinations

from longfat.base.errors import LongfatError
from longfat.orbits.description import Description
from longfat.orbits.links.path import Pair
from longfat.orbits.paths import orbits_of
from longfat.schedules.measured import Measured
from longfat.schedules.orbit import description_in, schedule_of
from longfat.schedules.sample import Sample
from longfat.schedules.written import lines_text

_NANOSECONDS = 10**9


def graph_of(
    sample: Sample, rate: str | None, access_rate: str, hub: str | None = None
) -> tuple[str, list[str]]:
    """Return `topology` and `lines` of a scenario, in TOML, and what to say.

    There is a link for each pair of stations, or from the station `hub` to each other one. Links
    have the rates of the description if it has them, otherwise `rate`. Raises `LongfatError` for an
    unknown station and without a rate.
    """
    description = description_in(sample)
    orbits = orbits_of(description, _pairs(description, hub))
    notes = list(orbits.notes)
    links: list[str] = []
    schedules: list[str] = []
    for pair, path in zip(orbits.pairs, orbits.paths, strict=True):
        first, second = (description.stations[number].name for number in pair)
        name = f"{first} to {second}"
        if not (path.length_km > 0).any():
            notes.append(f"warning: {sample.source}: no satellites join {first} and {second}")
            continue
        schedule = schedule_of(description, path, f"{sample.source}: {name}")
        notes += schedule.notes
        links.append(_link(description, name, (first, second), schedule, rate))
        schedules.append(lines_text(schedule, "up", name))
    if not links:
        raise LongfatError(f"{sample.source}: no satellites join any stations")
    return "\n\n".join([_topology(description, links, access_rate), *schedules]), notes


def _pairs(description: Description, hub: str | None) -> list[Pair]:
    numbers = range(len(description.stations))
    if hub is None:
        return list(combinations(numbers, 2))
    center = description.station(hub)
    return [(number, center) for number in numbers if number != center]


def _link(
    description: Description, name: str, ends: Sequence[str], schedule: Measured, rate: str | None
) -> str:
    outage = description.settings["outage"]
    if "rate_up_bps" in outage:
        rates = [f"{outage[f'rate_{way}_bps']} bit/s" for way in ("up", "down")]
    elif rate is not None:
        rates = [rate, rate]
    else:
        raise LongfatError(f"{description.source}: no rates; --rate says that of each link")
    delays = [f"{_first_ns(schedule, way)} ns" for way in ("up", "down")]
    fields = {
        "name": name,
        "from": _ground(ends[0]),
        "to": _ground(ends[1]),
        "rate": rates[0],
        "rate_back": rates[1],
        "delay": delays[0],
        "delay_back": delays[1],
        "managed": "both",
    }
    return _inline(fields)


def _first_ns(schedule: Measured, way: str) -> int:
    delay_s = (schedule.up if way == "up" else schedule.down).delay_s
    assert delay_s is not None, "a path has delays"
    return round(delay_s[0] * _NANOSECONDS)


def _topology(description: Description, links: Sequence[str], access_rate: str) -> str:
    names = [station.name for station in description.stations]
    access = [
        _inline({"from": name, "to": _ground(name), "rate": access_rate, "delay": "0 s"})
        for name in names
    ]
    listed = "\n".join(f"    {link}," for link in [*links, *access])
    return (
        f'[topology]\nkind = "graph"\nhosts = {json.dumps(names)}\n'
        f"switches = {json.dumps([_ground(name) for name in names])}\nlinks = [\n{listed}\n]"
    )


def _ground(name: str) -> str:
    """Return the name of the switch of a station."""
    return f"{name} ground"


def _inline(fields: dict[str, str]) -> str:
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in fields.items())} }}"

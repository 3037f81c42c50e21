"""Delays of orbits beside those of others, and how long they take to compute.

    .venv/bin/python -m benchmarks.orbits [--record FILE] [--splice PAGE] [--repetitions N]

Each step is computed N times, and the shortest processor time kept. Skyfield computes the delays of
one satellite and one station in its own way; Hypatia's round trips are those of its repository, as
in `tests/orbits/test_published_delays.py`.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from benchmarks.profile import table
from benchmarks.recorded import Recorded
from tests.orbits import test_skyfield as skyfield
from tests.orbits.descriptions import description
from tests.orbits.test_published_delays import EXAMPLES, written

from longfat.orbits.description import Description
from longfat.orbits.links.path import OrbitPath, Pair
from longfat.orbits.paths import orbits_of

MICROSECONDS = 1e6
MILLISECONDS = 1e3

CITIES = (
    ("London", 51.5072, -0.1276), ("New York", 40.7128, -74.0060), ("Tokyo", 35.6762, 139.6503),
    ("Sydney", -33.8688, 151.2093), ("Nairobi", -1.2921, 36.8219), ("Lima", -12.0464, -77.0428),
    ("Mumbai", 19.0760, 72.8777), ("Cape Town", -33.9249, 18.4241), ("Seattle", 47.6062, -122.3321),
    ("Cairo", 30.0444, 31.2357),
)  # fmt: skip

HOUR = "duration = '1 h'\nstep = '1 s'\n"
GRID = "handover = { rule = 'RULE', every = '15 s', offset = '12 s' }\n"
EVERY_STEP = "handover = { rule = 'RULE' }\n"

TIMED = {
    "bent pipe, nearest, each second": HOUR + EVERY_STEP.replace("RULE", "nearest"),
    "bent pipe, longest visible": HOUR + EVERY_STEP.replace("RULE", "longest-visible"),
    "inter-satellite links, shortest, each 15 s": HOUR
    + GRID.replace("RULE", "shortest")
    + "links = 'isl'\n",
    "inter-satellite links, shortest, each second": HOUR
    + EVERY_STEP.replace("RULE", "shortest")
    + "links = 'isl'\n",
    "inter-satellite links, nearest, each 15 s": HOUR
    + GRID.replace("RULE", "nearest")
    + "links = 'isl'\n",
}
"""Settings of schedules that are timed: of all pairs of ten cities."""

REPORTED = {
    "Improving Starlink's latency, March 2024": (33.0, 65.0),
    "Network update, July 2025": (25.7, 55.0),
}
"""Reports of SpaceX: median and 99 % of round trips in ms from router to Internet, in the United
States at peak hours."""

MEASURED = {
    "Osnabrück": ((52.27, 8.05), (17.8, 24.8, 30.5, 35.8, 52.2)),
    "Enschede": ((52.22, 6.89), (18.0, 28.3, 33.6, 39.0, 54.9)),
}
"""Places of WetLinks (Laniewski et al., TMA 2024), and round trips in ms from the terminal to the
first address behind the satellite, September 2023 to March 2024: lower whisker, quartiles with the
median, and upper whisker of figure 7b, by the coordinates of its drawing in sys-uos/WetLinks at
c238191. A value is the mean of the probes of a traceroute."""

GATEWAY = (52.05, 9.27)
POINT_OF_PRESENCE = (50.11, 8.68)
"""Aerzen, the gateway next to both places, and Frankfurt, where their addresses are."""

FRAME_S = 1 / 750
"""A frame of Starlink's downlink (Humphreys et al., *Signal Structure of the Starlink Ku-Band
Downlink*, IEEE TAES 2023). That of the uplink is not published, and taken to be as long."""

FIBER_M_PER_S = 299_792_458 / 1.468
"""Speed of light in fiber (the group index of G.652 at 1,550 nm)."""

EARTH_M = 6_371_000
"""Mean radius of the Earth."""

TERMINALS = {
    "Frankfurt to Aerzen": ((50.11, 8.68), (52.05, 9.27)),
    "London to Isle of Man": ((51.51, -0.13), (54.15, -4.48)),
    "Seattle to Brewster": ((47.61, -122.33), (48.15, -119.70)),
}
"""A terminal and a place with gateways of Starlink."""


def measured(repetitions: int) -> dict[str, object]:
    """Compare delays with those of Skyfield and Hypatia, time schedules, and sum Starlink's up."""
    return {
        "skyfield": [*beside_skyfield()],
        "hypatia": [*beside_hypatia()],
        "timed": [*timed(repetitions)],
        "starlink": [*starlink()],
        "places": [*places()],
    }


def beside_skyfield() -> Iterator[dict[str, Any]]:
    """Yield the largest difference from Skyfield of each satellite, in us."""
    for text, epoch in skyfield.CASES:
        for knows_ut1 in (True, False):
            ahead_s = skyfield.ut1_minus_utc_s(epoch) if knows_ut1 else 0.0
            with tempfile.TemporaryDirectory() as folder:
                given = skyfield.ours(Path(folder), text, epoch, ahead_s)
                errors_us = MICROSECONDS * skyfield.errors_s(text, given)
            yield {
                "satellite": text.splitlines()[-1][2:7],
                "epoch": epoch,
                "ut1_minus_utc_s": skyfield.ut1_minus_utc_s(epoch),
                "knows_ut1": knows_ut1,
                "delays": len(errors_us),
                "largest_us": float(errors_us.max()),
            }


def beside_hypatia() -> Iterator[dict[str, Any]]:
    """Yield the largest difference from the round trips of Hypatia of each pair, in us."""
    for name, example in EXAMPLES.items():
        path = example.path()
        differences_ns = [
            abs(found - example.round_trips[step])
            for step, found in example.round_trips_of(path).items()
        ]
        yield {
            "pair": name,
            "round_trips": len(example.round_trips),
            "shortest_ms": min(example.round_trips.values()) / 1e6,
            "longest_ms": max(example.round_trips.values()) / 1e6,
            "largest_us": max(differences_ns) / 1e3,
            "routes": len(example.routes),
            "same_routes": written(path) == example.routes,
        }


def timed(repetitions: int) -> Iterator[dict[str, Any]]:
    """Yield the processor seconds of schedules of 1,584 satellites and 10 stations."""
    stations = [
        f"name = '{name}', latitude_deg = {latitude}, longitude_deg = {longitude}"
        for name, latitude, longitude in CITIES
    ]
    for name, more in TIMED.items():
        given = description(*stations, more=more)
        pairs = [(one, other) for other in range(len(CITIES)) for one in range(other)]
        seconds = min(processor_seconds(given, pairs) for _ in range(repetitions))
        yield {"schedules": name, "pairs": len(pairs), "seconds": round(seconds, 1)}


def processor_seconds(given: Description, pairs: Sequence[Pair]) -> float:
    """Return the processor time that the paths of some pairs take, in s."""
    begun = time.process_time()
    orbits_of(given, pairs)
    return time.process_time() - begun


def starlink() -> Iterator[dict[str, Any]]:
    """Yield figures of a day of Starlink's grid, with a satellite drawn every 15 s."""
    for name, places in TERMINALS.items():
        stations = [
            f"name = '{end}', latitude_deg = {latitude}, longitude_deg = {longitude}"
            for end, (latitude, longitude) in zip(("terminal", "gateway"), places, strict=True)
        ]
        more = "duration = '4 h'\nstep = '1 s'\n" + GRID.replace("RULE", "drawn")
        given = description(*stations, more=more)
        (path,) = orbits_of(given, [(0, 1)]).paths
        yield {"pair": name, **figures(given, path)}


def places() -> Iterator[dict[str, Any]]:
    """Yield what light, fiber and frames take, beside what was measured at two places."""
    ground_ms = 2 * MILLISECONDS * great_circle_m(GATEWAY, POINT_OF_PRESENCE) / FIBER_M_PER_S
    chance = np.random.default_rng(1)
    for name, (place, measured_ms) in MEASURED.items():
        stations = [
            f"name = '{end}', latitude_deg = {latitude}, longitude_deg = {longitude}"
            for end, (latitude, longitude) in (("terminal", place), ("gateway", GATEWAY))
        ]
        more = "duration = '4 h'\nstep = '1 s'\n" + GRID.replace("RULE", "drawn")
        (path,) = orbits_of(description(*stations, more=more), [(0, 1)]).paths
        light_ms = 2 * MILLISECONDS * path.delay_s[~np.isnan(path.delay_s)]
        # In each direction a packet waits for the next frame, and is there with the end of it.
        waits = chance.uniform(0, 1, (2, len(light_ms))).sum(axis=0)
        frames_ms = MILLISECONDS * FRAME_S * (2 + waits)
        yield {
            "place": name,
            "ground_ms": ground_ms,
            "light_ms": quantiles(light_ms),
            "frames_ms": quantiles(frames_ms),
            "computed_ms": quantiles(light_ms + ground_ms + frames_ms),
            "measured_ms": list(measured_ms),
        }


def quantiles(values: Any) -> list[float]:
    """Return the least, the quartiles and the median, and the 99 % of values."""
    return [float(np.quantile(values, share)) for share in (0, 0.25, 0.5, 0.75, 0.99)]


def great_circle_m(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the distance of two places along the ground."""
    (north, east), (to_north, to_east) = np.radians(one), np.radians(other)
    half = np.sin((to_north - north) / 2) ** 2
    half += np.cos(north) * np.cos(to_north) * np.sin((to_east - east) / 2) ** 2
    return float(2 * EARTH_M * np.arcsin(np.sqrt(half)))


def figures(given: Description, path: OrbitPath) -> dict[str, object]:
    """Return the quantiles of round trips in ms, and the steps at changes of satellite."""
    trips_ms = 2 * MILLISECONDS * path.delay_s
    known = trips_ms[~np.isnan(trips_ms)]
    steps_ms = [abs(trips_ms[step] - trips_ms[step - 1]) for step in path.handovers]
    instants = {(given.seconds_of_hour + step) % 15 for step in path.handovers}
    within = np.abs(np.diff(trips_ms))
    within[[step - 1 for step in path.handovers]] = 0
    return {
        "handovers": len(path.handovers),
        "instants_s": sorted(instants),
        "without_path": round(float(np.isnan(trips_ms).mean()), 4),
        "least_ms": float(known.min()),
        "median_ms": float(np.median(known)),
        "p99_ms": float(np.quantile(known, 0.99)),
        "most_ms": float(known.max()),
        "median_step_ms": float(median(steps_ms)),
        "largest_step_ms": float(max(steps_ms)),
        "largest_change_within_ms": float(np.nanmax(within)),
    }


def page(record: Mapping[str, Any]) -> str:
    """Return the tables of a record."""
    beside = [
        [
            each["satellite"],
            each["epoch"][:10],
            f"{each['ut1_minus_utc_s']:+.3f} s" if each["knows_ut1"] else "taken as 0",
            f"{each['delays']:,}",
            f"{each['largest_us']:.2g} us",
        ]
        for each in record["skyfield"]
    ]
    hypatia = [
        [
            each["pair"],
            f"{each['shortest_ms']:.1f} to {each['longest_ms']:.1f} ms",
            str(each["round_trips"]),
            f"{each['largest_us']:.2g} us",
            f"{each['routes']}, {'all' if each['same_routes'] else 'not all'} the same",
        ]
        for each in record["hypatia"]
    ]
    times = [[each["schedules"], str(each["pairs"]), f"{each['seconds']:.1f} s"]
             for each in record["timed"]]  # fmt: skip
    seen = [
        [
            each["pair"],
            " ".join(f"{instant}" for instant in each["instants_s"]),
            f"{each['least_ms']:.1f} ms",
            f"{each['median_ms']:.1f} ms",
            f"{each['p99_ms']:.1f} ms",
            f"{each['median_step_ms']:.1f} ms",
            f"{each['largest_change_within_ms']:.2f} ms",
        ]
        for each in record["starlink"]
    ]
    reported = [
        [
            report,
            *(f"{trip_ms:g} ms" for trip_ms in trips_ms),
            *_rests(trips_ms, record["starlink"]),
        ]
        for report, trips_ms in REPORTED.items()
    ]
    return "\n\n".join(
        [
            "One-way delays beside those of Skyfield, of four stations in three hours:",
            table(["satellite", "day", "UT1 - UTC", "delays", "largest difference"], beside),
            "Round trips beside those that Hypatia published:",
            table(["pair", "round trips", "compared", "largest difference", "routes"], hypatia),
            "1,584 satellites, all pairs of 10 stations, an hour in steps of 1 s, on one core:",
            table(["schedules", "pairs", "processor time"], times),
            "Round trips over Starlink's first shell for four hours, a satellite drawn every 15 s:",
            table(
                [
                    "pair",
                    "changes, s past each 15 s",
                    "least",
                    "median",
                    "99 %",
                    "median step at a change",
                    "largest change in a second between",
                ],
                seen,
            ),
            "Medians of the parts of round trips to the first address behind the satellite:",
            table(
                [
                    "place",
                    "light",
                    "fiber",
                    "frames",
                    "all three: least, median",
                    "measured",
                    "rest",
                ],
                [
                    [
                        each["place"],
                        f"{each['light_ms'][2]:.1f} ms",
                        f"{each['ground_ms']:.1f} ms",
                        f"{each['frames_ms'][2]:.1f} ms",
                        *(_pair(each[key]) for key in ("computed_ms", "measured_ms")),
                        _pair(_rest(each)),
                    ]
                    for each in record["places"]
                ],
            ),
            "Enschede with the rest of Osnabrück:",
            table(
                ["", "lower quartile", "median", "upper quartile"],
                [
                    [
                        "predicted",
                        *(f"{trip_ms:.1f} ms" for trip_ms in _predicted(record["places"])),
                    ],
                    [
                        "measured",
                        *(
                            f"{trip_ms:.1f} ms"
                            for trip_ms in record["places"][1]["measured_ms"][1:4]
                        ),
                    ],
                ],
            ),
            "Reports of SpaceX, and the rest of them beside these round trips:",
            table(["report", "median", "99 %", "rest of the median", "rest of 99 %"], reported),
        ]
    )


def _pair(quantiles_ms: Sequence[float]) -> str:
    """Return the least and the median of some quantiles."""
    return f"{quantiles_ms[0]:.1f}, {quantiles_ms[2]:.1f} ms"


def _rest(place: Mapping[str, Any]) -> list[float]:
    """Return what is measured beyond what is computed, quantile by quantile."""
    both = zip(place["measured_ms"], place["computed_ms"], strict=True)
    return [measured_ms - computed_ms for measured_ms, computed_ms in both]


def _predicted(places: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the quartiles of the second place with the rest of the first."""
    rest, computed = _rest(places[0])[1:4], places[1]["computed_ms"][1:4]
    return [more_ms + computed_ms for more_ms, computed_ms in zip(rest, computed, strict=True)]


def _rests(trips_ms: Sequence[float], pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what remains of reported quantiles beside those of all pairs, in ms."""
    return [
        f"{reported - max(own):.1f} to {reported - min(own):.1f} ms"
        for reported, key in zip(trips_ms, ("median_ms", "p99_ms"), strict=True)
        for own in [[pair[key] for pair in pairs]]
    ]


ORBITS = Recorded("orbits", "python -m benchmarks.orbits", measured, page, 1)

if __name__ == "__main__":
    sys.exit(ORBITS.main(__doc__))

"""How long windows take to be again what they were before a loss, flavor by flavor."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from longfat.base.units import PICOSECONDS_PER_SECOND

Flavor = Mapping[str, Any]
"""A resolved flavor."""

Regrowth = Callable[[Flavor, float, float], float]
"""Seconds, for a flavor, a window in segments and a round trip in seconds."""


def regrowth_s(
    flavor: Flavor, segments: float, round_trip_s: float, acknowledgments: Mapping[str, Any]
) -> float:
    """How long a window of so many segments takes to be again what it was before a loss.

    The classical law counts acknowledgments: for every second segment it takes twice as long, and
    so do those that grow faster. CUBIC's and H-TCP's go by time. None where losses do not reduce a
    window by a law of its own, or marks keep reducing it by less.
    """
    kind = flavor["kind"]
    if kind in _WITHOUT:
        return 0.0
    if kind in _IN_TIME:
        return _IN_TIME[kind](flavor, segments, round_trip_s)
    per_segment = _BY_ACKNOWLEDGMENTS.get(kind, _classical)(flavor, segments, round_trip_s)
    return float(per_segment * acknowledgments.get("segments", 1))


def _classical(_flavor: Flavor, segments: float, round_trip_s: float) -> float:
    return segments / 2 * round_trip_s


def _cubic(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """K of RFC 9438 section 4.2, or Reno-friendly, section 4.3, if that is less."""
    lost, beta = segments * (1 - flavor["beta"]), flavor["beta"]
    friendly_s = lost / (3 * (1 - beta) / (1 + beta)) * round_trip_s
    return float(min(math.cbrt(lost / flavor["c"]), friendly_s))


def _high_speed(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """b(w) w segments, by a(w) in a round trip (RFC 3649 section 5)."""
    low, high = flavor["low_window"], flavor["high_window"]
    if segments <= low:
        return _classical(flavor, segments, round_trip_s)
    position = math.log(segments / low) / math.log(high / low)
    decrease = max(0.5 - (0.5 - flavor["high_decrease"]) * position, 0.01)
    standard = (1.2 / low) ** 2
    loss_rate = standard * (flavor["high_loss_rate"] / standard) ** position
    increase = max(segments**2 * loss_rate * 2 * decrease / (2 - decrease), 1)
    return float(decrease * segments / increase * round_trip_s)


def _scalable(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """Kelly 2003: as many round trips for any window."""
    if segments <= flavor["legacy_window"] or flavor["decrease"] == 1:
        return _classical(flavor, segments, round_trip_s)
    return float(math.log(1 - flavor["decrease"]) / -math.log1p(flavor["increase"]) * round_trip_s)


def _hybla(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """By the square of rho segments in a round trip (Caini and Firrincieli 2004)."""
    rho = max(round_trip_s / (flavor["reference_round_trip_ps"] / PICOSECONDS_PER_SECOND), 1)
    return float(_classical(flavor, segments, round_trip_s) / rho**2)


def _h_tcp(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """The classical law for a time, then 10 segments in a round trip more with each second.

    Of half of the window, which is the most that a loss takes; the square of the time, which makes
    it faster still, is left out.
    """
    slow_s = flavor["low_speed_ps"] / PICOSECONDS_PER_SECOND
    lost_s = _classical(flavor, segments, round_trip_s)
    if lost_s <= slow_s:
        return lost_s
    return float(slow_s + (math.sqrt(1 + 20 * (lost_s - slow_s)) - 1) / 10)


def _bic(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """By Smax, then by a part of the distance, then slowly (Xu, Harfoush and Rhee 2004)."""
    divisor, most = flavor["search_divisor"], flavor["max_increment"]
    if segments <= flavor["low_window"]:
        return _classical(flavor, segments, round_trip_s)
    distance = segments * (1 - flavor["beta"])
    last = min(divisor, distance)
    near = max(min(distance, divisor * most), last)
    searching = divisor * math.log(near / last) if last > 0 else 0.0
    slowly = last * max(flavor["smooth_part"] / divisor, 1 / most)
    return float(((distance - near) / most + searching + slowly) * round_trip_s)


def _illinois(flavor: Flavor, segments: float, round_trip_s: float) -> float:
    """Of half of the window, which a queue that fills up grows back ever more slowly.

    In round trips, half of the window is over the most for each, and that many times the mean of
    the hyperbola's inverse from the most to the least (Liu, Basar and Srikant 2008).
    """
    if segments < flavor["window_threshold"]:
        return _classical(flavor, segments, round_trip_s)
    lost, most, least = (
        segments * flavor["most_decrease"],
        flavor["most_increase"],
        flavor["least_increase"],
    )
    return float(lost / most * (1 + most / least) / 2 * round_trip_s)


_WITHOUT = {"bbr", "bbr3", "dctcp", "ledbat", "prague", "vegas", "westwood"}
"""Flavors whose windows are not a saw-tooth of losses, or not one whose depth a law says."""

_IN_TIME: dict[str, Regrowth] = {"cubic": _cubic, "h-tcp": _h_tcp}

_BY_ACKNOWLEDGMENTS: dict[str, Regrowth] = {
    "high-speed": _high_speed,
    "scalable": _scalable,
    "hybla": _hybla,
    "bic": _bic,
    "illinois": _illinois,
}

"""A path as it was measured, with each direction's own delay, jitter, loss and rate.

This is the form between every importer and a scenario. Its `path` has one delay, jitter and loss
for both directions, and a rate for data: `path_columns` gives those that keep round trips as they
were measured. Its `lines` have each direction's own, and so has the table of `columns_of_both`.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import isfinite
from statistics import fmean
from typing import Literal

from longfat.base.errors import BadInput

Direction = Literal["up", "down"]
"""Way of a packet: from who measured to the server, or back."""

DIRECTIONS: tuple[Direction, ...] = ("up", "down")

QUANTITIES = ("rate_bps", "delay_s", "jitter_s", "loss")
"""Fields of a `Way`, and columns of a schedule beside its times."""

LARGEST = {"time_s": 8.64e6, "rate_bps": 1e14, "delay_s": 60.0, "jitter_s": 60.0, "loss": 1.0}
"""Largest values that the schedule of a path may have."""

Column = tuple[float, ...]

_ALIKE = 0.1
"""Largest difference of two directions without a remark, as a share of the larger."""

_MEGABIT = 1e6
_MILLISECONDS = 1000


@dataclass(frozen=True)
class Way:
    """One direction: a value for each time, or None if it was not measured.

    The rate is in bit/s, 0 while nothing passes. The extra delay of a packet is uniform from 0 to
    `jitter_s`. `loss` is the probability that a packet is lost.
    """

    rate_bps: Column | None = None
    delay_s: Column | None = None
    jitter_s: Column | None = None
    loss: Column | None = None


@dataclass(frozen=True)
class Measured:
    """Both directions of a path, from each time in s on.

    `notes` say what was assumed, or could not be known.
    """

    times_s: Column
    up: Way = field(default_factory=Way)
    down: Way = field(default_factory=Way)
    notes: tuple[str, ...] = ()

    def way(self, direction: Direction) -> Way:
        """Return one direction."""
        return self.up if direction == "up" else self.down

    def checked(self, source: str) -> "Measured":
        """Return itself. Raises `BadInput` for values that no path may have."""
        named = {"time_s": self.times_s} | columns_of_both(self)
        for name, values in named.items():
            quantity = quantity_of(name)
            for time_s, value in zip(self.times_s, values, strict=True):
                if not isfinite(value) or not 0 <= value <= LARGEST[quantity]:
                    problem = f"{quantity} of {value:g} at {time_s:g} s"
                    allowed = f"a path has {quantity} from 0 to {LARGEST[quantity]:g}"
                    raise BadInput([f"{source}: {problem}; {allowed}"])
        if any(after <= before for before, after in pairwise(self.times_s)):
            raise BadInput([f"{source}: times must ascend"])
        return self


def joined(parts: Sequence[Measured]) -> Measured:
    """Return one path of several: of each quantity of a direction, that of the first part with it.

    It has the times of all parts. Between two times of its part a value stays as it is, and before
    the first one it is the first.
    """
    times_s = tuple(sorted({time_s for part in parts for time_s in part.times_s}))
    ways = {}
    for direction in DIRECTIONS:
        columns: dict[str, Column] = {}
        for part in parts:
            for name, values in _known(part.way(direction)).items():
                columns.setdefault(name, _at(times_s, part.times_s, values))
        ways[direction] = Way(**columns)
    notes = tuple(note for part in parts for note in part.notes)
    return Measured(times_s, ways["up"], ways["down"], notes)


def _at(times_s: Column, own_s: Column, values: Column) -> Column:
    """Return the values at other times."""
    return tuple(values[max(0, bisect_right(own_s, time_s) - 1)] for time_s in times_s)


def _known(way: Way) -> dict[str, Column]:
    """Return the columns of what was measured."""
    found = {name: getattr(way, name) for name in QUANTITIES}
    return {name: values for name, values in found.items() if values is not None}


def path_columns(measured: Measured, direction: Direction | None = None) -> dict[str, Column]:
    """Return the columns of `path.steps` for one direction, or for both at once.

    For both, the delay is half of the round trip, and the loss p is such that two crossings lose
    what the directions lose one after the other: 1 - (1 - p)^2. The rate is that of data: down if
    that was measured. What only the other direction has is taken from there.
    """
    if direction is not None:
        chosen = _known(measured.way(direction))
        return {name: chosen[name] for name in QUANTITIES if name in chosen}
    up, down = _known(measured.up), _known(measured.down)
    columns: dict[str, Column] = {}
    for name in QUANTITIES:
        found = down.get(name, up.get(name))
        if found is None:
            continue
        if name == "rate_bps" or up.get(name, found) == found:
            columns[name] = found
        elif name == "loss":
            pairs = zip(up[name], down[name], strict=True)
            columns[name] = tuple(round(1 - ((1 - a) * (1 - b)) ** 0.5, 6) for a, b in pairs)
        else:
            pairs = zip(up[name], down[name], strict=True)
            columns[name] = tuple(round((a + b) / 2, 7) for a, b in pairs)
    return columns


def columns_of_both(measured: Measured) -> dict[str, Column]:
    """Return the columns of both directions, such as `delay_up_s` and `delay_down_s`."""
    return {
        name_of(quantity, direction): values
        for quantity in QUANTITIES
        for direction in DIRECTIONS
        if (values := getattr(measured.way(direction), quantity)) is not None
    }


def name_of(quantity: str, direction: Direction) -> str:
    """Return the name of a direction's column: `delay_up_s` of `delay_s`, `loss_up` of `loss`."""
    name, underscore, unit = quantity.partition("_")
    return f"{name}_{direction}{underscore}{unit}"


def quantity_of(name: str) -> str:
    """Return the quantity of a direction's column, of another name itself."""
    return name.replace("_up", "").replace("_down", "")


def table_text(times_s: Column, columns: Mapping[str, Column]) -> str:
    """Return CSV with `time_s` and these columns; numbers read back as the same numbers.

    A row that only repeats the one before is left out.
    """
    lines = [",".join(["time_s", *columns])]
    before: tuple[float, ...] | None = None
    for time_s, *values in zip(times_s, *columns.values(), strict=True):
        if tuple(values) != before:
            lines.append(",".join(map(_plain, (time_s, *values))))
        before = tuple(values)
    return "\n".join(lines)


def _plain(number: float) -> str:
    return repr(number).removesuffix(".0")


def difference(measured: Measured, source: str) -> str | None:
    """Return a remark with the figures in which directions differ; None if they are alike."""
    up, down = _known(measured.up), _known(measured.down)
    shared = [name for name in QUANTITIES if name in up and name in down]
    weights = _lengths_s(measured.times_s)
    pairs = {name: (_figure(up[name], weights), _figure(down[name], weights)) for name in shared}
    figures = {name: (a, b) for name, (a, b) in pairs.items() if abs(a - b) > _ALIKE * max(a, b)}
    if not figures:
        return None
    up_said, down_said = (_said(figures, number) for number in range(2))
    parts = {
        "the same round trip in equal halves": {"delay_s", "jitter_s", "loss"} & figures.keys(),
        "the rate down": {"rate_bps"} & figures.keys(),
    }
    taken = " and ".join(words for words, names in parts.items() if names)
    return (
        f"warning: {source}: the directions differ: {up_said} up, {down_said} down; the schedule "
        f"has {taken}; --direction up or down takes one, --lines keeps both"
    )


def _figure(values: Column, weights: Sequence[float]) -> float:
    """Return the mean over time."""
    weighted = zip(values, weights, strict=True)
    return sum(value * weight for value, weight in weighted) / sum(weights)


def _lengths_s(times_s: Column) -> list[float]:
    """Return how long each value counts; the last one, of which no end is known, as the mean."""
    lengths_s = [after - before for before, after in pairwise(times_s)]
    return [*lengths_s, fmean(lengths_s) if lengths_s else 1.0]


def _said(figures: Mapping[str, tuple[float, float]], number: int) -> str:
    """Return one direction's figures in words."""
    words = []
    for name, pair in figures.items():
        value = pair[number]
        if name == "rate_bps":
            words.append(f"{value / _MEGABIT:.4g} Mbit/s")
        elif name == "delay_s":
            words.append(f"{value * _MILLISECONDS:.4g} ms")
        elif name == "jitter_s":
            words.append(f"{value * _MILLISECONDS:.4g} ms of jitter")
        else:
            words.append(f"{value:.1%} lost")
    return " and ".join(words)


def with_notes(measured: Measured, *notes: str | None) -> Measured:
    """Return it with more notes; None is no note."""
    return replace(measured, notes=(*measured.notes, *filter(None, notes)))

"""Resource limits of a run, so that an untrusted scenario cannot exhaust the machine."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError, OverLimit
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.running.execution import EngineLimits
from longfat.running.machine import memory_bytes

MOST_EVENTS = 10**12
"""Default limit of events: hours of one core on any machine."""

SHARE_OF_MEMORY = Decimal("0.8")

_ENDLESS = 2**63

_BINARY = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))


@dataclass(frozen=True)
class Limits:
    """Limits of each run: events, wall time in s, memory in bytes; None for no limit.

    A run that is estimated to exceed events or memory is refused before it starts; a run that
    exceeds any of the three is stopped.
    """

    events: int | None = None
    wall_seconds: float | None = None
    memory_bytes: int | None = None

    @classmethod
    def of_machine(cls) -> "Limits":
        """Return the defaults: the memory of the machine or container, and a count of events."""
        return cls(events=MOST_EVENTS, memory_bytes=int(memory_bytes() * SHARE_OF_MEMORY))

    def changed(self, given: Iterable[str]) -> "Limits":
        """Return a copy with limits set: ``events=1e9``, ``wall=60 s``, ``memory=2 GiB``, ``none``.

        Raises `LongfatError` for a text that is no limit.
        """
        limits = self
        for text in given:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals or name not in _READERS:
                raise LongfatError(f"--limit {text}: expected one of {', '.join(_EXPECTED)}")
            field, read = _READERS[name]
            changes: dict[str, Any] = {
                field: None if value == "none" else _limit(text, value, read)
            }
            limits = replace(limits, **changes)
        return limits

    def refuse(self, scenarios: Iterable[str]) -> None:
        """Raise `OverLimit` for the first resolved scenario that is estimated to exceed a limit."""
        for resolved in scenarios:
            events, memory_bytes, due_to = _engine.scenario_cost_if_busy(resolved)
            if self._allows(events, memory_bytes):
                continue
            events, memory_bytes, due_to = _engine.scenario_cost(resolved, self.memory_bytes)
            if self.memory_bytes is not None and memory_bytes > self.memory_bytes:
                raise OverLimit(
                    f"{due_to}: a run would take about {_shown_bytes(memory_bytes)} of memory; "
                    f"the limit is {_shown_bytes(self.memory_bytes)}. Make {due_to} smaller, "
                    "or raise the limit: --limit memory='... GiB'"
                )
            if self.events is not None and events > self.events:
                raise OverLimit(
                    f"duration: a run would take about {events:.1e} events; the limit is "
                    f"{self.events:.1e}. Make duration or the bottleneck's rate smaller, or raise "
                    "the limit: --limit events=..."
                )

    def _allows(self, events: float, memory_bytes: float) -> bool:
        return (self.events is None or events <= self.events) and (
            self.memory_bytes is None or memory_bytes <= self.memory_bytes
        )

    @property
    def of_engine(self) -> EngineLimits:
        """Return the limits as the engine's tuple."""
        return self.events, self.wall_seconds, self.memory_bytes


def _seconds(text: str) -> float:
    return _engine.parse_time(text) / PICOSECONDS_PER_SECOND


def _count(text: str) -> int:
    """Parse a count, also one such as `1e9`. Raises `InvalidInput` for anything else."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) >= _ENDLESS:
        raise InvalidInput([f"expected a number, less than 2^63, found {text!r}"])
    return int(number)


_READERS: Mapping[str, tuple[str, Callable[[str], float]]] = {
    "events": ("events", _count),
    "wall": ("wall_seconds", _seconds),
    "memory": ("memory_bytes", _engine.parse_size),
}

_EXPECTED = ("events=1e9", "wall='60 s'", "memory='2 GiB'")


def _shown_bytes(number: float) -> str:
    unit, size = next((found for found in _BINARY if found[1] <= number), _BINARY[-1])
    return f"{number / size:.4g} {unit}"


def _limit(text: str, value: str, read: Callable[[str], float]) -> float:
    try:
        number = read(value)
    except InvalidInput as error:
        raise LongfatError(f"--limit {text}: {error}, or none") from None
    if number <= 0:
        raise LongfatError(f"--limit {text}: expected more than 0")
    return number

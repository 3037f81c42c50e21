"""What a run may use at most: a scenario from a stranger wastes no more than it is given."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from longfat import _engine
from longfat.errors import LongfatError, OverLimit
from longfat.execution import EngineLimits
from longfat.machine import memory_bytes

MOST_EVENTS = 10**12
"""Hours of one core, whatever the machine."""

SHARE_OF_MEMORY = Decimal("0.8")

_BYTES = {
    "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
}  # fmt: skip
_SECONDS = {"s": 1, "min": 60, "h": 3600}


@dataclass(frozen=True)
class Limits:
    """The most that each run may use: events, seconds of wall time, bytes of memory.

    None is no limit. Events and memory are refused before the run when they are estimated to be
    exceeded; all three stop a run that exceeds them.
    """

    events: int | None = None
    wall_seconds: float | None = None
    memory_bytes: int | None = None

    @classmethod
    def of_machine(cls) -> "Limits":
        """What this machine can do: its memory, and work that somebody may want to wait for.

        In a container the memory is that of the container.
        """
        return cls(events=MOST_EVENTS, memory_bytes=int(memory_bytes() * SHARE_OF_MEMORY))

    def changed(self, given: Iterable[str]) -> "Limits":
        """These limits with some set: ``events=1e9``, ``wall=60 s``, ``memory=2 GiB`` or ``none``.

        Raises `LongfatError` for what is no limit.
        """
        limits = self
        for text in given:
            name, equals, value = (part.strip() for part in text.partition("="))
            if not equals or name not in _READERS:
                raise LongfatError(f"--limit {text}: expected one of {', '.join(_EXPECTED)}")
            field, units = _READERS[name]
            changes: dict[str, Any] = {field: None}
            if value != "none":
                changes[field] = _number(text, value, units)
            limits = replace(limits, **changes)
        return limits

    def refuse(self, scenarios: Iterable[str]) -> None:
        """Raise `OverLimit` for the first resolved scenario that is estimated to exceed one."""
        for resolved in scenarios:
            events, memory_bytes, due_to, _ = _engine.scenario_cost(resolved)
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

    @property
    def of_engine(self) -> EngineLimits:
        """As the engine takes them."""
        return self.events, self.wall_seconds, self.memory_bytes


_READERS: Mapping[str, tuple[str, Mapping[str, int]]] = {
    "events": ("events", {"": 1}),
    "wall": ("wall_seconds", _SECONDS),
    "memory": ("memory_bytes", _BYTES),
}

_EXPECTED = ("events=1e9", "wall='60 s'", "memory='2 GiB'")


def _shown_bytes(number: float) -> str:
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if _BYTES[unit] <= number), "B")
    return f"{number / _BYTES[unit]:.4g} {unit}"


def _number(text: str, value: str, units: Mapping[str, int]) -> int | float:
    digits = value.rstrip("BGKMbhikmns ")
    unit = value[len(digits) :].strip()
    try:
        number = Decimal(digits) * units[unit]
    except (InvalidOperation, KeyError) as error:
        expected = "a number" if "" in units else f"a number with its unit ({', '.join(units)})"
        raise LongfatError(f"--limit {text}: expected {expected}, or none") from error
    if not number.is_finite() or not 0 < number < 2**63:
        raise LongfatError(f"--limit {text}: expected more than 0 and less than 2^63")
    return float(number) if units is _SECONDS else int(number) or 1

"""Resolved scenarios in readable form: quantities with units instead of base units."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

_UNITS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "_ps": (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3), ("ps", 1)),
    "_bps": (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3), ("bit/s", 1)),
    "_bytes": (("B", 1),),
    "_mdb": (("dB", 10**3), ("mdB", 1)),
    "_cells": (("cells", 1),),
    "_packets": (("packets", 1),),
}


def written(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scenario with readable units; its meaning is unchanged to the picosecond."""
    return dict(_entry(key, value) for key, value in resolved.items())


def _entry(key: str, value: Any) -> tuple[str, Any]:
    if isinstance(value, int) and not isinstance(value, bool):
        for suffix, units in _UNITS.items():
            if key.endswith(suffix):
                return key.removesuffix(suffix), _quantity(value, units)
    if isinstance(value, str):  # with its unit: a buffer in packets or bytes, or without limit
        key = key.removesuffix("_cells")
    return key, _value(value)


def _value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return written(value)
    if isinstance(value, list):
        return [_value(item) for item in value]
    return value


def _quantity(value: int, units: tuple[tuple[str, int], ...]) -> str:
    """Format in the largest unit of which there is at least one; zero in the largest unit."""
    unit, size = next((unit for unit in units if unit[1] <= value or not value), units[-1])
    return f"{(Decimal(value) / size).normalize():f} {unit}"

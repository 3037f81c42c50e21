"""Queries of the settings of a resolved scenario. Imports little: see `longfat.cli.start`."""

from __future__ import annotations

import json

from longfat import _engine

TYPE_CHECKING = False  # importing typing takes its time: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) for each leaf of nested tables, such as `port.policy.threshold`.

    Tables in lists are indexed (`background[0].load`). Any other list, and anything empty, is a
    leaf. `path` is the path of `value`.
    """
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}[{place}]")
    else:
        yield path, value


def network_of(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the network of a resolved scenario: each sender's `connections`, managed `ports`.

    It does not depend on congestion controls, and needs none of users.
    """
    resolved = json.dumps(_with_classical_controls(settings))
    network: Mapping[str, Any] = json.loads(_engine.scenario_network(resolved))
    return network


def _with_classical_controls(value: Any) -> Any:
    """Return settings with the engine's own law in the place of each control of a user."""
    if isinstance(value, dict):
        return {
            key: _CLASSICAL
            if key == "control" and isinstance(below, str)
            else _with_classical_controls(below)
            for key, below in value.items()
        }
    return (
        [_with_classical_controls(below) for below in value] if isinstance(value, list) else value
    )


_CLASSICAL = "classical"


def controls_of_linux(settings: Mapping[str, Any]) -> set[str]:
    """Return the congestion controls of a resolved scenario that have the kernel's arithmetic."""
    others = settings.get("connections", [])
    groups = [settings["tcp"], *others, *(group["tcp"] for group in others if "tcp" in group)]
    flavors = [group["flavor"] for group in groups if "flavor" in group]
    return {flavor["kind"] for flavor in flavors if flavor.get("arithmetic") == "linux"}


def travels_whole(settings: Mapping[str, Any]) -> bool:
    """True if links carry whole packets in a resolved scenario, not cells."""
    return bool(settings["framing"]["kind"] != "aal5")


def buffer_of(port: Mapping[str, Any]) -> float | None:
    """Return the size of a port's buffer in cells or packets; None if in bytes or unlimited."""
    number, _, unit_of_size = str(port["buffer_cells"]).partition(" ")
    return float(number) if number.isdigit() and unit_of_size in {"", "packets"} else None


def metric_name(name: str, whole: bool) -> str:
    """Return the name of a metric, "packet" for "cell" if packets travel `whole`."""
    return name.replace("cell", "packet") if whole else name


def in_units(name: str, whole: bool) -> str:
    """Return the name of a result in words, "packets" for "cells" if packets travel `whole`."""
    return metric_name(name, whole).replace("_", " ")

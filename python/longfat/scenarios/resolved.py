"""Questions to the settings of a resolved scenario. Imports little: see `longfat.cli.start`."""

from __future__ import annotations

import json

from longfat import _engine

TYPE_CHECKING = False  # importing typing takes its time: see longfat.cli.start
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables and their paths, such as `port.policy.threshold`.

    Tables in lists have places (`background[0].load`). A list of anything else is a value, and so
    is what is empty. `path` is that of `value`.
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
    """The network of a resolved scenario: `connections` of each sender, and managed `ports`."""
    network: Mapping[str, Any] = json.loads(_engine.scenario_network(json.dumps(settings)))
    return network


def travels_whole(settings: Mapping[str, Any]) -> bool:
    """Whether each packet of a resolved scenario is the one unit that lines carry, not cells."""
    return bool(settings["framing"]["kind"] != "aal5")


def in_units(name: str, whole: bool) -> str:
    """The name of a result in words, which say packets for cells where packets travel `whole`."""
    words = name.replace("_", " ")
    return words.replace("cell", "packet") if whole else words

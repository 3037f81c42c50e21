"""The knobs of a scenario: what papers leave open, how it is set, and what else it could be.

Read from the JSON Schema of scenarios, where each model declares its parameters.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from longfat import _engine

_KNOB = re.compile(r"\s*Knob: the sources leave this open; also (.*)\.$")


class Knob(NamedTuple):
    """A parameter that sources leave open: where, how it is set, what else, and why."""

    path: str
    value: str
    alternatives: str
    reason: str


def knobs_of(settings: Mapping[str, Any]) -> list[Knob]:
    """The knobs that a resolved scenario has, with its settings."""
    return list(_knobs(json.loads(_engine.scenario_schema()), settings, ""))


def _knobs(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[Knob]:
    """Walks a scenario and its schema side by side."""
    found = _KNOB.search(schema.get("description", ""))
    if found:
        yield Knob(path, _written(value), found[1], _KNOB.sub("", schema["description"]))
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from _knobs(schema.get("items", {}), item, f"{path}[{place}]")
    if not isinstance(value, Mapping):
        return
    properties = _properties(schema, value)
    for key, setting in value.items():
        parameter, declared = _declared(properties, key)
        yield from _knobs(declared, setting, f"{path}.{parameter}" if path else parameter)


def _properties(schema: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a section, or those of the model that it names."""
    if "properties" in schema:
        properties: Mapping[str, Any] = schema["properties"]
        return properties
    for choice in [*schema.get("oneOf", ()), *schema.get("anyOf", ())]:
        declared = choice.get("properties", {})
        if declared.get("kind", {}).get("const") == value.get("kind"):
            return _properties(choice, value)
    return {}


def _declared(properties: Mapping[str, Any], key: str) -> tuple[str, Mapping[str, Any]]:
    """A parameter by its key in a resolved scenario, which may end in its base unit."""
    parameter = next((name for name in (key, key.rpartition("_")[0]) if name in properties
                      and "Knob:" in properties[name].get("description", "")), key)  # fmt: skip
    return parameter, properties.get(parameter, {})


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("kind", value))
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Form controls for all settings of a scenario, generated from the engine's schema.

A newly registered model appears with its parameters; so does a new key. Only the order of the most
used controls is set here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longfat import _engine
from longfat.web.settings import SCHEMA_VERSION

Control = dict[str, Any]
"""`key`, `doc`, `kind`, the `default` if there is one, and what the kind needs:

- `section`: `controls`
- `model`: `models`, each with `name`, `doc` and `controls`
- `list`: `item`, a control without a key
- `choice`: `choices`, each with `name` and `doc`
- `boolean`
- `integer`, `number`: `least`, `most` and `above`, if there are such bounds
- `text`: `expected` in words, `examples`, `units` of a quantity, and the `range` of a number that
  would do as well, as `integer` has it. What is of no other kind is a text in TOML.
"""

FIRST = (
    "topology.sources",
    "topology.bottleneck.rate",
    "topology.bottleneck.delay",
    "topology.access.rate",
    "topology.access.delay",
    "port.buffer",
    "port.queue",
    "port.policy",
    "port.scheduler",
    "background",
    "tcp.preset",
    "tcp.flavor",
    "duration",
    "measure.from",
)
"""Paths of the controls that a page shows first, and only there."""

_IN_BASE_UNITS = "As a whole number in base units."
_UNITS = re.compile(r"with its unit \(([^()]*)\)")

Schema = Mapping[str, Any]


def scenario_controls() -> list[Control]:
    """Return a control for each key of a scenario."""
    schema = json.loads(_engine.scenario_schema())
    return [control for control in _controls(schema) if control["key"] != SCHEMA_VERSION]


def _controls(table: Schema) -> Iterator[Control]:
    properties: Mapping[str, Schema] = table["properties"]
    for key, schema in properties.items():
        is_kind = key == "kind" and "const" in schema
        if not is_kind and not schema.get("description", "").endswith(_IN_BASE_UNITS):
            yield {"key": key, **_control(schema)}


def _control(schema: Schema) -> Control:
    control: Control = {"doc": schema.get("description", "")}
    if "default" in schema:
        control["default"] = schema["default"]
    for read in (_table, _model, _choice, _list, _scalar):
        if (kind := read(schema)) is not None:
            return control | kind
    return control | _text([schema])


def _table(schema: Schema) -> Control | None:
    if "properties" not in schema:
        return None
    return {"kind": "section", "controls": list(_controls(schema))}


def _model(schema: Schema) -> Control | None:
    forms = schema.get("oneOf", ())
    models = [form for form in forms if "const" in form.get("properties", {}).get("kind", {})]
    if not models:
        return None
    return {
        "kind": "model",
        "models": [
            {
                "name": model["properties"]["kind"]["const"],
                "doc": model.get("description", ""),
                "controls": list(_controls(model)),
            }
            for model in models
        ],
    }


def _choice(schema: Schema) -> Control | None:
    forms = schema.get("oneOf", ())
    if not forms or not all("const" in form for form in forms):
        return None
    choices = [{"name": form["const"], "doc": form.get("description", "")} for form in forms]
    return {"kind": "choice", "choices": choices}


def _list(schema: Schema) -> Control | None:
    if schema.get("type") != "array" or "oneOf" not in schema.get("items", {}):
        return None
    return {"kind": "list", "item": _control(schema["items"])}


def _scalar(schema: Schema) -> Control | None:
    kind = schema.get("type")
    if kind == "boolean":
        return {"kind": "boolean"}
    if kind in ("integer", "number"):
        return {"kind": kind, **_bounds(schema)}
    if kind == "string":
        return _text([schema])
    if "anyOf" in schema:
        return _text(schema["anyOf"])
    return None


def _bounds(schema: Schema) -> Control:
    names = {"minimum": "least", "maximum": "most", "exclusiveMinimum": "above"}
    return {ours: schema[name] for name, ours in names.items() if name in schema}


def _text(forms: Sequence[Schema]) -> Control:
    """Return the control of a text that may have any of several forms."""
    control: Control = {"kind": "text", "examples": [], "units": []}
    expected = []
    for form in forms:
        control["examples"] += form.get("examples", ())
        control["examples"] += [word["const"] for word in form.get("oneOf", ()) if "const" in word]
        if "title" in form:
            expected.append(form["title"])
        if units := _UNITS.search(form.get("title", "")):
            control["units"] = [unit.split("=")[0].strip() for unit in units[1].split(",")]
        if form.get("type") in ("integer", "number"):
            control["range"] = _bounds(form)
    return control | {"expected": "; or ".join(expected)}

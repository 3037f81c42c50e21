"""Keys of a situation's file: what each is, for messages and for editors."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from longfat import _engine

FEWEST_REPLICATIONS, USUAL_REPLICATIONS = 2, 4
"""A verdict with confidence needs more than one, unless nothing in a situation is drawn."""

USUAL_PLACES = ("tcp",)

PLACE = r"tcp|connections\[\d+\]"
"""Where a controller may stand, as a regular expression."""


class Key(NamedTuple):
    """A key with the type of its value, and what the schema says about it besides."""

    type: type
    doc: str
    more: Mapping[str, Any] = {}
    is_needed: bool = False


_SMALL: Mapping[str, Any] = {
    "schema_version": 1,
    "duration": "10 s",
    "topology": {
        "kind": "n-source",
        "sources": 2,
        "access": {"delay": "1 ms"},
        "bottleneck": {"delay": "9 ms"},
    },
    "port": {"buffer": "1 BDP"},
}
"""A scenario."""

_SETTINGS: Mapping[str, Any] = {"additionalProperties": {"type": "object"}}
"""Tables of settings by name."""

EXPECTATION: Mapping[str, Key] = {
    "id": Key(str, "Its name in tables.", is_needed=True),
    "statement": Key(str, "What is expected, in words.", is_needed=True),
    "measure": Key(
        str,
        "A number in SQL over `runs`; columns `controller` and `variant` say which run it is, and "
        "the controller that is tested is called `tested`.",
        is_needed=True,
    ),
    "holds": Key(str, "The range of that number.", {"examples": [">= 0.9"]}, is_needed=True),
    "source": Key(str, "Who asks for it.", is_needed=True),
    "note": Key(str, "Where the range comes from."),
}
"""Keys of an expectation."""

KEYS: Mapping[str, Key] = {
    "schema_version": Key(int, "Version of this format.", {"const": 1}, is_needed=True),
    "title": Key(str, "A heading.", is_needed=True),
    "category": Key(str, "Situations of one category stand together in reports.", is_needed=True),
    "failure": Key(str, "What it means for users if the expectations are not met.", is_needed=True),
    "scenario": Key(
        dict,
        "The network and its traffic: a whole scenario.",
        {"examples": [_SMALL]},
        is_needed=True,
    ),
    "expect": Key(list, "What is expected of the controller.", {"minItems": 1}, is_needed=True),
    "replications": Key(
        int,
        "How many replications; 0 if nothing in the situation is drawn.",
        {
            "minimum": 0,
            "not": {"exclusiveMinimum": 0, "exclusiveMaximum": FEWEST_REPLICATIONS},
            "default": USUAL_REPLICATIONS,
        },
    ),
    "places": Key(
        list,
        "Where the controller stands: `tcp`, or groups of connections.",
        {
            "items": {"type": "string", "pattern": f"^(?:{PLACE})$"},
            "minItems": 1,
            "default": [*USUAL_PLACES],
            "examples": [["connections[0]"]],
        },
    ),
    "perturb": Key(
        dict,
        "Random settings of each replication, by path.",
        {"additionalProperties": {"type": "string", "examples": ["uniform(0 ms, 500 ms)"]}},
    ),
    "references": Key(
        dict, "Controllers that stand in the same places, each with its settings.", _SETTINGS
    ),
    "variants": Key(
        dict, "Settings by path, for each variant in which each controller runs.", _SETTINGS
    ),
    "runs": Key(
        str,
        "What is simulated, if not everything: an SQL condition over `controller` and `variant`.",
        {"examples": ["variant = 'both' OR controller = 'bbr3'"]},
    ),
}
"""Keys of a file."""

_TYPES: Mapping[type, str] = {int: "integer", str: "string", dict: "object", list: "array"}


def situation_schema() -> dict[str, Any]:
    """Return the JSON Schema of a file, with that of a scenario in it."""
    scenario = json.loads(_engine.scenario_schema())
    of_files_only = ("$schema", "title", "patternProperties")
    inner = {word: said for word, said in scenario.items() if word not in of_files_only}
    schema = {
        "$schema": scenario["$schema"],
        "title": "longfat situation",
        **_table(KEYS),
    }
    schema["properties"]["scenario"]["allOf"] = [inner]
    schema["properties"]["expect"]["items"] = _table(EXPECTATION)
    return schema


def _table(keys: Mapping[str, Key]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {"type": _TYPES[key.type], "description": key.doc, **key.more}
            for name, key in keys.items()
        },
        "required": [name for name, key in keys.items() if key.is_needed],
        "additionalProperties": False,
    }

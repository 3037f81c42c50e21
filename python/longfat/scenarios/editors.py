"""JSON Schemas for editors: each table and each choice of models once, and keys that refer to it.

The engine's schema has them wherever they may stand: 4.7 MB for a scenario, of which taplo, the
language server for TOML, copies for each key all that is below it. It also lists all of that beside
the key, unless the key has `properties` of its own; here they are `{}`, which says nothing.
"""

import json
from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]

_SHOWN = ("description", "default")
"""Parts of a schema that editors show with a key, and so stand beside its reference as well."""

_LISTS = ("oneOf", "anyOf", "allOf")


def for_editors(schema: Schema) -> Schema:
    """Return a schema that accepts the same files, with its tables and choices in `$defs`."""
    definitions = _Definitions()
    root = definitions.referring(schema, "file")
    return {**root, "$defs": definitions.by_name}


class _Definitions:
    """Schemas by name; equal ones have one name."""

    def __init__(self) -> None:
        self.by_name: dict[str, Schema] = {}
        self._names: dict[str, str] = {}
        self._alike: dict[str, int] = {}

    def referring(self, schema: Schema, name: str) -> Schema:
        """Return a schema whose keys, items and alternatives refer to their tables and choices."""
        changed = dict(schema)
        if "properties" in schema:
            keys = schema["properties"].items()
            changed["properties"] = {key: self._of_key(key, of) for key, of in keys}
        if "items" in schema:
            changed["items"] = self._part(schema["items"], name)
        for word in _LISTS:
            if word in schema:
                changed[word] = [self._part(each, name) for each in schema[word]]
        return changed

    def _of_key(self, key: str, schema: Schema) -> Schema:
        if not _has_tables(schema) and not _is_choice(schema):
            return self.referring(schema, key)
        shown = {word: schema[word] for word in _SHOWN if word in schema}
        return {**shown, "properties": {}, "allOf": [self._reference(schema, key)]}

    def _part(self, schema: Schema, name: str) -> Schema:
        if not _has_tables(schema):
            return self.referring(schema, name)
        kind = schema.get("properties", {}).get("kind", {}).get("const", name)
        return self._reference(schema, kind)

    def _reference(self, schema: Schema, name: str) -> Schema:
        definition = self.referring(schema, name)
        text = json.dumps(definition, sort_keys=True)
        if text not in self._names:
            number = self._alike[name] = self._alike.get(name, 0) + 1
            self._names[text] = name if number == 1 else f"{name}.{number}"
            self.by_name[self._names[text]] = definition
        return {"$ref": f"#/$defs/{self._names[text]}"}


def _is_choice(schema: Schema) -> bool:
    """Tell whether a schema has alternatives: taplo would list a key once for each."""
    return any(word in schema for word in _LISTS)


def _has_tables(schema: Schema) -> bool:
    """Tell whether a schema is a table, or has tables among its alternatives."""
    forms = [form for word in _LISTS for form in schema.get(word, ())]
    return any("properties" in each for each in (schema, *forms))

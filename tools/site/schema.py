"""Pages on the keys of files and on the parameters of models, from the engine's schemas."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tools.site.navigation import toctree
from tools.site.text import cited, escaped

from longfat import _engine
from longfat.cli.schema import KINDS, schema_of

Schema = Mapping[str, Any]

FOLDER = "reference"
MODELS = f"{FOLDER}/models"
CODES = "docs/models/sources.md"
MOST = 2**53
"""Bounds from here on are those of numbers in the engine, and say nothing."""

LONGEST_EXAMPLE = 100
"""Longest example in letters that is taken from a scenario."""

_TYPES = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "object": "a table",
}
_WHOLE = "As a whole number in base units."
_OPEN = re.compile(r" ?Knob: the sources leave this open; also (.*)\.$")
_HEADS = {
    "scenario": "A scenario describes one simulation: [how](../docs/guide/first-answers.md).",
    "study": "A study varies a scenario: [how](../docs/guide/studies.md).",
    "claims": "Claims are what a source concludes, as numbers: [how](../docs/method/claims.md).",
    "orbit": "An orbit file says between whom, and over which satellites: "
    "[how](../docs/guide/orbits.md).",
    "situation": "A situation tests a congestion control: "
    "[how](../docs/guide/test-controller.md#a-situation-of-your-own).",
}


@dataclass(frozen=True)
class Choice:
    """A choice of models: the name of their kind, and the schema of each by its name."""

    kind: str
    models: Mapping[str, Schema]

    @property
    def slug(self) -> str:
        """The name of its page."""
        return self.kind.lower().replace(" ", "-")


class Entry(NamedTuple):
    """A key, below its table or its model, with its schema and an example."""

    name: str
    schema: Schema
    example: Any


@dataclass
class Reference:
    """All pages; choices of models are collected while the keys of files are written."""

    root: Path
    choices: dict[tuple[str, ...], Choice] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        kinds: dict[str, list[str]] = {}
        for model in json.loads(_engine.models()):
            kinds.setdefault(model["kind"], []).append(model["name"])
        self.kinds = {frozenset(names): kind for kind, names in kinds.items()}
        self.used = _used(self.root)

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield the page of each file, and then of each choice that they have."""
        for kind in KINDS:
            text = "\n\n".join(self._table(schema_of(kind), "", level=2, up="../"))
            title = f"{kind.capitalize()} file"
            yield f"{FOLDER}/{kind}.md", f"# {title}\n\n{_HEADS[kind]}\n\n{text}\n"
        done: dict[str, Choice] = {}
        while left := [each for each in self.choices.values() if each.slug not in done]:
            for choice in left:
                done[choice.slug] = choice
                yield f"{MODELS}/{choice.slug}.md", self._models(choice)
        yield f"{MODELS}/index.md", _index(sorted(done.values(), key=lambda each: each.slug))

    def _models(self, choice: Choice) -> str:
        parts = [f"# {choice.kind[0].upper()}{choice.kind[1:]}"]
        for name, schema in choice.models.items():
            parts += [f"## {name}", cited(schema["description"], f"../../{CODES}")]
            if (self.root / f"docs/models/{name}.md").exists():
                parts.append(f"[How it works](../../docs/models/{name}.md).")
            parts += self._table(schema, name, level=3, up="../../")
        return "\n\n".join(parts) + "\n"

    def _table(self, schema: Schema, path: str, *, level: int, up: str) -> Iterator[str]:
        """Yield the keys of a table, and then the tables in it."""
        keys = {key: of for key, of in schema.get("properties", {}).items() if key != "kind"}
        needed = {*schema.get("required", ()), *_one_of_two(schema)}
        tables = {key: of for key, of in keys.items() if _inner(of) is not None}
        wholes = {key for key, of in keys.items() if of.get("description", "").endswith(_WHOLE)}
        for key, of in keys.items():
            if key not in tables and key not in wholes:
                whole = next((each for each in wholes if each.startswith(f"{key}_")), "")
                yield from self._key(key, of, path, level, up, whole, is_needed=key in needed)
        for key, of in tables.items():
            inner = _inner(of)
            assert inner is not None
            name = _joined(path, key)
            yield f"{'#' * min(level, 5)} {_bracketed(name, of)}"
            yield cited(of.get("description", ""), f"{up}{CODES}")
            if key in needed:
                yield "- Needed"
            yield from self._table(inner, name, level=level + 1, up=up)

    def _key(
        self, key: str, of: Schema, path: str, level: int, up: str, whole: str, *, is_needed: bool
    ) -> Iterator[str]:
        name = _joined(path, key)
        said = of.get("description", "")
        others = _OPEN.search(said)
        yield f"{'#' * min(level, 5)} `{name}`"
        yield cited(_OPEN.sub("", said), f"{up}{CODES}")
        points = list(self._takes(key, of, up))
        if "default" in of:
            points.append(f"- Default: `{_toml(of['default'])}`")
        elif is_needed:
            points.append("- Needed")
        if others:
            settings = others[1].replace('"', "`")
            points.append(f"- Left open by the sources; also: {settings}")
        if whole:
            points.append(f"- As a whole number in base units: `{whole}`")
        example = self._example(key, of, path)
        self.entries.append(Entry(name, of, example))
        points.append(f"- Example: `{key} = {_toml(example)}`")
        yield "\n".join(points)

    def _takes(self, key: str, of: Schema, up: str) -> Iterator[str]:
        """Yield points that say what a key takes, with units and bounds."""
        for each in _alternatives(of):
            if choice := self._choice(key, each):
                names = ", ".join(f"`{name}`" for name in choice.models)
                page = f"{up}{MODELS}/{choice.slug}.md"
                yield f"- A model: [{choice.kind}]({page}), one of {names}"
            elif "oneOf" in each:
                for value in each["oneOf"]:
                    told = escaped(value.get("description", ""))
                    yield f"- `{_toml(value['const'])}`: {told}"
            elif each.get("type") == "array" and self._choice(key, each.get("items", {})):
                choice = self._choice(key, each["items"])
                assert choice
                names = ", ".join(f"`{name}`" for name in choice.models)
                page = f"{up}{MODELS}/{choice.slug}.md"
                yield f"- A list of models: [{choice.kind}]({page}), each one of {names}"
            else:
                yield f"- {_kind(each)[0].upper()}{_kind(each)[1:]}"

    def _choice(self, key: str, of: Schema) -> Choice | None:
        """Return the choice of models that a schema is, or None."""
        variants = [each for each in of.get("oneOf", ()) if "kind" in each.get("properties", {})]
        models = {each["properties"]["kind"]["const"]: each for each in variants}
        if not models:
            return None
        names = tuple(models)
        if names not in self.choices:
            kind = self.kinds.get(frozenset(names), key.replace("_", " "))
            self.choices[names] = Choice(kind, models)
        return self.choices[names]

    def _example(self, key: str, of: Schema, path: str) -> Any:
        """Return a value: of a scenario of the repository, of the schema, or any that fits."""
        used = self.used.get(_joined(path, key))
        is_short = of.get("title") or len(_toml(used)) <= LONGEST_EXAMPLE
        is_another_key = of.get("type") == "object" and not isinstance(used, dict)
        if used is not None and is_short and not is_another_key:
            return used
        for each in _alternatives(of):
            if each.get("examples"):
                return each["examples"][0]
        fitting = map(_some, reversed(_alternatives(of)))
        found = next((each for each in fitting if each is not None), None)
        return found if found is not None else of.get("default", key.upper())


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield all pages."""
    yield from Reference(root).pages()


def _index(choices: list[Choice]) -> str:
    links = [
        f"[{each.kind}]({each.slug}.md)\n: {', '.join(f'`{name}`' for name in each.models)}"
        for each in choices
    ]
    below = [f"{MODELS}/{each.slug}.md" for each in choices]
    head = "# Models\n\nWhat scenarios and orbit files choose from. `longfat models` prints it too."
    return "\n\n".join([head, *links]) + "\n" + toctree(below)


def _used(root: Path) -> dict[str, Any]:
    """Return the first value of each key in the scenarios and studies of the repository."""
    found: dict[str, Any] = {}

    def note(value: Any, paths: set[str]) -> None:
        for each in value if isinstance(value, list) else ():
            note(each, paths)
        if isinstance(value, dict):
            under = paths | ({value["kind"]} if isinstance(value.get("kind"), str) else set())
            for key, inner in value.items():
                places = {_joined(path, key) for path in under}
                for place in places:
                    found.setdefault(place, inner)
                note(inner, places)

    for folder in ("examples", "studies", "benchmarks/scenarios", "situations"):
        for file in sorted((root / folder).rglob("*.toml")):
            note(tomllib.loads(file.read_text(encoding="utf-8")), {""})
    return found


def _joined(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _bracketed(name: str, of: Schema) -> str:
    return f"`[[{name}]]`" if of.get("type") == "array" else f"`[{name}]`"


def _inner(of: Schema) -> Schema | None:
    """Return the schema of a table, or of the tables of a list; None for all else."""
    items: Schema = of.get("items", {}) if of.get("type") == "array" else of
    return items if items.get("properties") and "oneOf" not in items else None


def _one_of_two(schema: Schema) -> Iterator[str]:
    """Yield keys that are needed unless they are given in base units."""
    for each in schema.get("then", {}).get("allOf", ()):
        for one in each.get("oneOf", ()):
            yield from one.get("required", ())


def _alternatives(of: Schema) -> list[Schema]:
    return list(of.get("anyOf", [of]))


def _kind(of: Schema) -> str:
    """Return in words what a simple schema takes."""
    if "title" in of:
        return escaped(of["title"])
    kind = of.get("type", "any value")
    if kind == "array":
        return f"a list, each {_kind(of.get('items', {}))}"
    names = {"boolean": "true or false", "integer": "a whole number", "number": "a number"}
    return (
        f"{names.get(kind, {'string': 'a text', 'object': 'a table'}.get(kind, kind))}{_bounds(of)}"
    )


def _bounds(of: Schema) -> str:
    least, most = of.get("minimum"), of.get("maximum")
    parts = [f"above {of['exclusiveMinimum']}"] if "exclusiveMinimum" in of else []
    parts += [f"at least {least}"] if least is not None else []
    parts += [f"at most {most}"] if most is not None and most < MOST else []
    parts += [f"below {of['exclusiveMaximum']}"] if "exclusiveMaximum" in of else []
    return f", {', '.join(parts)}" if parts else ""


def _some(of: Schema) -> Any:
    """Return a value that a schema accepts, or None for a text and for a table."""
    kind = of.get("type")
    if "default" not in of and kind in ("integer", "number"):
        least = of["exclusiveMinimum"] + 1 if "exclusiveMinimum" in of else of["minimum"]
        return 0.5 if kind == "number" and (least, of.get("maximum")) == (0, 1) else least
    if "oneOf" in of:
        last = of["oneOf"][-1]
        return last["const"] if "const" in last else of["oneOf"][0]["enum"][0]
    if kind == "array" and of.get("minItems", 1):
        item = _some(of["items"])
        return None if item is None else [item]
    return not of.get("default") if kind == "boolean" else of.get("default")


def _toml(value: Any) -> str:
    """Return a value as TOML, in a line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)

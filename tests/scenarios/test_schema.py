"""The JSON Schema that editors read agrees with the engine about files."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from longfat import _engine
from longfat.base.errors import InvalidInput
from longfat.scenarios.editors import for_editors
from longfat.scenarios.scenario import load_scenario

ROOT = Path(__file__).parents[2]
WHOLE = json.loads(_engine.scenario_schema())
SCHEMA = for_editors(WHOLE)
VALIDATOR = Draft202012Validator(SCHEMA)
SCENARIOS = sorted(
    file
    for folder in ("examples", "studies", "benchmarks/scenarios", "python/longfat/web/presets")
    for file in (ROOT / folder).rglob("*.toml")
    if "schema_version" in (text := file.read_text()) and "\n[topology" in text
)

COMPLETE: dict[str, Any] = {
    "schema_version": 1,
    "duration": "5 ms",
    "topology": {
        "kind": "n-source",
        "sources": 2,
        "access": {"delay": "5 us"},
        "bottleneck": {"delay": "5 us"},
    },
    "port": {"buffer": "100 cells"},
}


def problems(document: Any) -> list[str]:
    return [error.message for error in VALIDATOR.iter_errors(document)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def put_together(schema: Any) -> Any:
    """A schema with its definitions where they are referred to."""
    if isinstance(schema, list):
        return [put_together(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return put_together(SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    if schema.get("properties") == {} and "allOf" in schema:
        (whole,) = schema["allOf"]
        return put_together(whole)
    return {word: put_together(said) for word, said in schema.items() if word != "$defs"}


def test_editors_get_the_schema_of_the_engine_with_each_part_once() -> None:
    assert put_together(SCHEMA) == WHOLE
    definitions = [json.dumps(each, sort_keys=True) for each in SCHEMA["$defs"].values()]
    assert len(set(definitions)) == len(definitions)
    assert len(json.dumps(SCHEMA)) < len(json.dumps(WHOLE)) / 5


def test_a_key_with_a_table_lists_none_of_its_keys_but_shows_what_it_is() -> None:
    """Language servers list keys of keys that they find in `properties` or alternatives."""
    port = SCHEMA["properties"]["port"]
    assert port["properties"] == {}
    assert port["description"] == WHOLE["properties"]["port"]["description"]
    assert SCHEMA["properties"]["framing"]["default"] == WHOLE["properties"]["framing"]["default"]
    assert "oneOf" not in SCHEMA["properties"]["framing"]


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: str(file.relative_to(ROOT)))
def test_scenarios_are_valid_for_editors_too(file: Path) -> None:
    assert problems(tomllib.loads(file.read_text())) == []


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("5 ms", True),
        ("5ms", True),
        (" 2.5 s ", True),
        ("3 µs", True),
        ("5", False),
        ("-5 ms", False),
        ("5 MS", False),
        ("5 Mbit/s", False),
        ("five ms", False),
        ("1e3 s", False),
        (".5 s", False),
    ],
)
def test_a_duration_has_a_unit_in_editors_as_in_the_engine(text: str, is_valid: bool) -> None:
    document = COMPLETE | {"duration": text}
    assert (problems(document) == []) == is_valid
    if is_valid:
        load_scenario(document)
    else:
        with pytest.raises(InvalidInput, match="duration"):
            load_scenario(document)


def patterns(schema: Any) -> list[Any]:
    """Each schema of a quantity with a pattern."""
    if isinstance(schema, list):
        return [found for item in schema for found in patterns(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "pattern" in schema and "examples" in schema else []
    return own + [found for item in schema.values() for found in patterns(item)]


def test_every_pattern_takes_its_own_examples() -> None:
    found = patterns(SCHEMA)
    assert len({schema["pattern"] for schema in found}) >= 4
    for schema in found:
        for example in schema["examples"]:
            assert Draft202012Validator(schema).is_valid(example), schema


def toml(value: Any) -> str:
    """A value as TOML writes it in a line."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {toml(inner)}' for key, inner in value.items())} }}"
    return json.dumps(value)


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_file_may_name_its_schema(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"named{suffix}"
    settings = {"$schema": "./scenario.schema.json", **COMPLETE, "seed": 9}
    as_toml = "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in settings.items())
    file.write_text(json.dumps(settings) if suffix == ".json" else as_toml)
    assert load_scenario(str(file)).settings["seed"] == 9
    assert problems(settings) == []


def test_its_name_is_a_text_and_stands_at_the_top(tmp_path: Path) -> None:
    file = tmp_path / "named.json"
    for settings in ({"$schema": 5}, {"tcp": {"$schema": "x"}}):
        file.write_text(json.dumps(COMPLETE | settings))
        with pytest.raises(InvalidInput, match=r"\$schema"):
            load_scenario(str(file))
        assert problems(COMPLETE | settings)


@pytest.mark.parametrize("schema", ["study_schema", "claims_schema", "orbit_schema"])
def test_other_files_may_name_their_schema(schema: str) -> None:
    (pattern,) = json.loads(getattr(_engine, schema)())["patternProperties"]
    assert pattern == r"^\$schema$"

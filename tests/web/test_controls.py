"""Controls follow the engine's declarations: every model, every parameter, nothing else."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from longfat import _engine
from longfat.web.controls import FIRST, scenario_controls
from longfat.web.playground import playground
from longfat.web.presets import ORDER

Control = dict[str, Any]


def inside(control: Control) -> Iterator[Control]:
    yield control
    for inner in [*control.get("controls", ()), *([control["item"]] if "item" in control else [])]:
        yield from inside(inner)
    for model in control.get("models", ()):
        for inner in model["controls"]:
            yield from inside(inner)


CONTROLS = scenario_controls()
ALL = [found for control in CONTROLS for found in inside(control)]


def models_of(control: Control) -> dict[str, list[str]]:
    return {
        model["name"]: [inner["key"] for inner in model["controls"]] for model in control["models"]
    }


def names_in(schema: Any, of_entries: bool) -> set[str]:
    """Names of models that a file with this schema may have.

    Those of entries of lists, such as `lines[0]`, are among them if `of_entries`.
    """
    if isinstance(schema, list):
        return set().union(*(names_in(part, of_entries) for part in schema))
    if not isinstance(schema, dict):
        return set()
    if not of_entries and "properties" in schema.get("items", {}):
        return set()
    names = {schema["const"]} if isinstance(schema.get("const"), str) else set()
    return names.union(*(names_in(part, of_entries) for part in schema.values()))


def test_every_registered_model_is_offered_with_its_parameters() -> None:
    offered = [models_of(control) for control in ALL if control["kind"] == "model"]
    names = names_in(json.loads(_engine.scenario_schema()), of_entries=False)
    families: dict[str, dict[str, set[str]]] = {}
    for model in json.loads(_engine.models()):
        if model["kind"] == "TCP preset":
            continue  # a word that stands for settings; it has none of its own
        parameters = {parameter["name"] for parameter in model["parameters"]}
        families.setdefault(model["kind"], {})[model["name"]] = parameters
    assert len(families) > 8
    for kind, models in families.items():
        if not names >= models.keys():
            continue  # only entries of lists have it, for which there is no control
        found = [each for each in offered if each.keys() == models.keys()]
        assert found, kind
        assert {name: set(keys) for name, keys in found[0].items()} == models
    of_orbits = names_in(json.loads(_engine.orbit_schema()), of_entries=True)
    missing = {
        kind
        for kind, models in families.items()
        if not names >= models.keys() and not of_orbits >= models.keys()
    }
    assert missing == {"reordering", "return link scheduler", "request access"}


def test_no_control_is_for_base_units() -> None:
    keys = [control["key"] for control in ALL if "key" in control]
    assert len(keys) > 100
    assert not [key for key in keys if key.endswith(("_ps", "_bps", "_bytes", "_cells"))]


def test_controls_say_what_they_are() -> None:
    assert all(control["doc"] for control in ALL if "key" in control)
    rates = [control for control in ALL if control.get("key") == "rate"]
    rate = next(control for control in rates if control["default"] != "line")
    assert (rate["kind"], rate["default"]) == ("text", "155.52 Mbit/s")
    assert rate["units"] == ["bit/s", "kbit/s", "Mbit/s", "Gbit/s"]
    threshold = next(control for control in ALL if control.get("key") == "threshold")
    assert threshold["range"] == {"above": 0, "most": 1}
    sources = next(control for control in ALL if control.get("key") == "sources")
    assert (sources["kind"], sources["least"]) == ("integer", 1)
    buffer = next(control for control in ALL if control.get("key") == "buffer")
    assert "0.5 RTT" in buffer["examples"]


@pytest.mark.parametrize("path", FIRST)
def test_what_a_page_shows_first_exists(path: str) -> None:
    controls: Sequence[Control] = CONTROLS
    for step in path.split("."):
        found = next(control for control in controls if control["key"] == step)
        controls = found.get("controls") or [
            inner for model in found.get("models", ()) for inner in model["controls"]
        ]


def test_a_page_gets_all_controls_as_json() -> None:
    offer = json.loads(json.dumps(playground(), allow_nan=False))
    assert offer["controls"] == json.loads(json.dumps(CONTROLS))
    assert [preset["name"] for preset in offer["presets"]] == list(ORDER)

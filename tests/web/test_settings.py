"""Settings have the syntax of `--set`, and form a scenario file."""

import json
import tomllib
from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import InvalidInput, _engine
from longfat.base.errors import BadInput
from longfat.web.presets import presets
from longfat.web.settings import scenario_of, settings_of, steps_of, toml_of
from longfat.web.written import written
from tests.web.conftest import SMALL

values = st.recursive(
    st.text() | st.integers(-(2**60), 2**60) | st.booleans() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)
keys = st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True)
tables = st.dictionaries(keys, values, min_size=1, max_size=3)
documents = st.dictionaries(
    keys.filter(lambda key: key != "schema_version"),
    values | tables | st.lists(tables, min_size=1, max_size=2),
    max_size=4,
)


@given(documents)
def test_settings_hold_a_whole_document(document: dict[str, object]) -> None:
    again = tomllib.loads(toml_of(settings_of(document)))
    assert again == {"schema_version": 1, **document}


def test_settings_mean_what_set_means() -> None:
    chosen = {**SMALL, "port.policy.threshold": "0.7", "tcp.flavor": "sack"}
    overrides = [(path, text, path) for path, text in chosen.items()]
    scenario, text = scenario_of(chosen)
    assert scenario.resolved == _engine.resolve_scenario(b"schema_version = 1", "s.toml", overrides)
    assert scenario.resolved == _engine.resolve_scenario(text.encode(), "scenario.toml")


LONGEST_TITLE = 34
"""Characters that the control of presets shows whole."""


@pytest.mark.parametrize("name", presets())
def test_every_preset_is_a_scenario_whose_settings_say_it_all(name: str) -> None:
    title, document = presets()[name]
    assert len(title) <= LONGEST_TITLE
    assert title
    scenario, _ = scenario_of(settings_of(document))
    text = json.dumps(document).encode()
    assert scenario.resolved == _engine.resolve_scenario(text, "preset.json")


def test_the_recorded_upload_changes_with_the_satellite_every_fifteen_seconds() -> None:
    """Laniewski and others (2025) and Huston (2024): Starlink reassigns satellites every 15 s."""
    steps = presets()["starlink-recorded"][1]["path"]["steps"]
    rates = [float(row.partition(",")[2]) for row in steps.splitlines()[1:]]
    assert len(rates) == 60
    changes = [abs(after - before) for before, after in pairwise(rates)]
    of_phase = [mean(changes[phase::15]) for phase in range(15)]
    assert max(of_phase) > 3 * mean(changes)


@pytest.mark.parametrize("name", presets())
def test_a_resolved_scenario_as_people_write_it_is_the_same_scenario(name: str) -> None:
    chosen = settings_of(presets()[name][1])
    scenario, _ = scenario_of(chosen)
    settings = settings_of(written(scenario.settings))
    assert scenario_of(settings)[0].resolved == scenario.resolved
    assert settings["topology.bottleneck.rate"] == chosen["topology.bottleneck.rate"]
    assert not any(path.endswith(("_ps", "_bps", "_bytes", "_cells")) for path in settings)


def test_decibels_are_written_as_people_write_them() -> None:
    chosen = {
        **SMALL,
        "framing": "packet",
        "port.buffer": "50 packets",
        "port.policy.kind": "tail-drop",
        "path.kind": "rain",
        "path.depth": "2.5 dB",
        "path.margin": "0 dB",
    }
    scenario, _ = scenario_of(chosen)
    settings = settings_of(written(scenario.settings))
    assert settings["path.depth"] == "2.5 dB"
    assert scenario_of(settings)[0].resolved == scenario.resolved


@pytest.mark.parametrize(
    "path", ["", "a..b", "a b", ".a", "a.", "a[x]", "a[-1]", "[0]", 'a"b', "a\nb", "a." * 40]
)
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(BadInput, match="is no path of a scenario"):
        steps_of(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"a": "1", "a.b": "2"}, "a.b: set as a whole and in parts"),
        ({"a.b": "2", "a": "1"}, "a: set as a whole and in parts"),
        ({"a[1].b": "2"}, "a[1].b: items of a list follow each other, from [0] on"),
        ({"a[0].b": "2", "a.b": "1"}, "a.b: set as a whole and in parts"),
        ({"a[0]": "2", "a[100000000]": "1"}, "a[100000000]: items of a list follow each other"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(
    settings: dict[str, str], message: str
) -> None:
    with pytest.raises(BadInput) as caught:
        toml_of(settings)
    assert message in str(caught.value)


def test_a_text_with_a_line_break_sets_nothing_else() -> None:
    text = toml_of({"seed": '1\nduration = "1 h"'})
    assert tomllib.loads(text) == {"schema_version": 1, "seed": '1\nduration = "1 h"'}


def test_all_mistakes_are_reported_at_once_with_their_paths() -> None:
    with pytest.raises(InvalidInput) as caught:
        scenario_of({**SMALL, "topology.sources": "0", "port.polcy": "epd"})
    problems = "\n".join(caught.value.problems)
    assert "topology.sources: expected a whole number from 1" in problems
    assert 'port.polcy: unknown key; did you mean "policy"?' in problems

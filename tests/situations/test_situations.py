"""Situations as files: the shipped ones, and the messages for those that are none."""

import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from longfat.analysis.situations import check_expectations
from longfat.base.errors import InvalidInput, LongfatError
from longfat.scenarios.editors import for_editors
from longfat.studies.situation_keys import situation_schema
from longfat.studies.situations import (
    CONTROLLER,
    TESTED,
    Controller,
    controller_named,
    find_situation,
    load_situation,
    shipped_controllers,
    shipped_situations,
)

SITUATION = """\
schema_version = 1
title = "A line"
category = "buffers"
failure = "Users wait."
perturb = { "traffic.start" = "uniform(0 ms, 10 ms)" }
replications = 2

[references]
cubic = { flavor = "cubic" }

[scenario]
schema_version = 1
duration = "200 ms"
framing = "packet"
topology = { kind = "n-source", sources = 1, access = { rate = "1 Gbit/s", delay = "1 ms" }, \
bottleneck = { rate = "20 Mbit/s", delay = "1 ms" } }
port = { buffer = "20 packets", queue = "tail-drop" }
tcp.preset = "linux-6.12"

[[expect]]
id = "fills"
statement = "It fills the line"
measure = "SELECT avg(efficiency) FROM runs WHERE controller = 'tested'"
holds = ">= 0.5"
source = "nobody"
"""

CUBIC = controller_named("cubic", {})
SCHEMA = Draft202012Validator(for_editors(situation_schema()))


@pytest.mark.parametrize("name", shipped_situations())
def test_a_shipped_situation_is_valid_and_says_where_its_bounds_come_from(name: str) -> None:
    situation = load_situation(find_situation(name), CUBIC)
    plan = situation.plan()
    check_expectations(situation, plan)
    assert TESTED in {dict(run.combination)[CONTROLLER] for run in plan.runs}
    for expectation in situation.expectations:
        assert expectation.section
        assert expectation.note


@pytest.mark.parametrize("name", shipped_situations())
def test_a_shipped_situation_is_valid_for_editors_too(name: str) -> None:
    document = tomllib.loads(find_situation(name).read_text())
    assert [error.message for error in SCHEMA.iter_errors(document)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('title = "A line"', ""),
        ('category = "buffers"', "category = 1"),
        ("replications = 2", "replications = 1"),
        ("perturb =", "purturb ="),
        ("schema_version = 1\ntitle", "schema_version = 2\ntitle"),
        ('source = "nobody"', ""),
        ('source = "nobody"', 'source = "nobody"\nsauce = "x"'),
        ("replications = 2", 'places = ["port"]'),
        ('{ flavor = "cubic" }', '"cubic"'),
        ('"200 ms"', '"200 m"'),
    ],
)
def test_editors_underline_what_is_refused(old: str, new: str) -> None:
    assert SCHEMA.is_valid(tomllib.loads(SITUATION))
    assert not SCHEMA.is_valid(tomllib.loads(SITUATION.replace(old, new, 1)))


def test_every_controller_of_the_engine_can_be_in_every_place() -> None:
    files = [find_situation(name) for name in ("beside-reno", "own-kind")]
    for name in shipped_controllers():
        for file in files:
            first = load_situation(file, controller_named(name, {})).first_tested()
            settings = first.settings
            flavors = [settings["tcp"], *settings.get("connections", [])]
            assert name in str(flavors)


def test_settings_of_a_controller_go_to_its_places_only() -> None:
    controller = controller_named("prague", {"ecn": "accurate-ace", "tcp.mss": "1000 B"})
    at = {override.path: override.value for override in controller.at(["connections[0]"], "prague")}
    assert at["connections[0].ecn"] == "accurate-ace"
    assert at["connections[0].tcp.mss"] == "1000 B"
    assert "tcp.mss" in {override.path for override in controller.at(["tcp"], "prague")}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('title = "A line"', "", "title: missing"),
        ('category = "buffers"', "category = 1", "category: 1 is no text"),
        ("replications = 2", "replications = 1", "replications: 1: 0 if nothing is drawn"),
        ("perturb =", "purturb =", "purturb: unknown; did you mean 'perturb'?"),
        ("schema_version = 1\ntitle", "schema_version = 2\ntitle", "schema_version: 2 is not 1"),
        ('source = "nobody"', "", "expect: number 1: source: a text is needed"),
        ('source = "nobody"', 'source = "nobody"\nsauce = "x"', "number 1: sauce: unknown"),
        ('">= 0.5"', '"about 0.5"', "holds"),
        ("replications = 2", 'places = ["port"]', "is no list of places"),
        ('{ flavor = "cubic" }', '"cubic"', "references: cubic is no table of settings"),
        ('{ flavor = "cubic" }', '{ flavor = "cubik" }', "did you mean"),
        ('"20 packets"', '"20 pakets"', "port.buffer"),
        ('"traffic.start"', '"start"', "perturb: start"),
        ("[scenario]", "[scenario", "line 11"),
    ],
)
def test_a_mistake_in_a_situation_is_one_message_with_its_place(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    file = tmp_path / "mine.toml"
    assert old in SITUATION
    file.write_text(SITUATION.replace(old, new, 1))
    with pytest.raises(InvalidInput, match=r"mine\.toml") as refused:
        load_situation(file, CUBIC).plan()
    assert expected.lower() in str(refused.value).lower()
    assert ".json" not in str(refused.value)


def test_wrong_sql_is_found_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SITUATION.replace("avg(efficiency)", "avg(efficency)"))
    situation = load_situation(file, CUBIC)
    with pytest.raises(LongfatError, match="efficency"):
        check_expectations(situation, situation.plan())


def test_a_setting_that_the_engine_refuses_names_the_controller(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SITUATION)
    with pytest.raises(InvalidInput, match="cubic flavor"):
        load_situation(file, Controller("cubic", {"flavor": {"kind": "cubic", "betta": 0.7}}))

"""The engine's words for shells, links, rules and outages are those that are computed here."""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from longfat import _engine
from longfat.orbits.links import LINKS
from longfat.orbits.rules import RULES, rule_called
from longfat.orbits.shells import SHELLS
from longfat.schedules.options import PLAIN
from longfat.schedules.orbit import measured
from tests.orbits.descriptions import LONDON, PARIS, text_of
from tests.schedules.specimens import sample

PROPERTIES = json.loads(_engine.orbit_schema())["properties"]


def words(schema: dict[str, Any]) -> Iterator[str]:
    """The words that a setting accepts."""
    for form in schema["oneOf"]:
        yield from form.get("enum", [form["const"]] if "const" in form else [])


def test_every_word_is_registered() -> None:
    assert set(words(PROPERTIES["shells"]["items"])) == set(SHELLS)
    assert set(words(PROPERTIES["links"])) == set(LINKS)
    assert set(words(PROPERTIES["handover"]["properties"]["rule"])) == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_whether_it_keeps_and_whether_it_chooses_by_path(name: str) -> None:
    rule = rule_called(name)
    assert isinstance(rule.KEEPS, bool)
    assert isinstance(rule.BY_PATH, bool)


@pytest.mark.parametrize("module", [*SHELLS.values(), *LINKS.values(), *RULES.values()])
def test_every_registered_module_is_there(module: str) -> None:
    assert import_module(module).__doc__


@pytest.mark.parametrize("outage", list(words(PROPERTIES["outage"])))
def test_every_outage_has_its_columns(outage: str) -> None:
    rates = ", rate_up = '1 Mbit/s', rate_down = '2 Mbit/s'" if outage == "held" else ""
    more = f"duration = '2 s'\noutage = {{ kind = '{outage}'{rates} }}"
    found = measured({"file": sample(text_of(LONDON, PARIS, more=more))}, PLAIN)
    assert (found.up.loss is None) == (outage == "held")
    assert (found.up.rate_bps is None) == (outage == "lost")

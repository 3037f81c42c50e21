"""Every verb is tried with a wheel alone, and the page about it is current."""

import json
import shlex
from collections.abc import Iterator

import click
import pytest
from tools import installation

from longfat.base.extras import EXTRAS
from longfat.cli.program import main

FORMS = {("schedule", verb) for verb in ("from-ping", "from-parquet")}
"""Verbs that stand for the others of their group, which read files of other formats."""


def verbs(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from verbs(inner, (*words, name))


def test_every_verb_is_tried() -> None:
    known = set(verbs(main))
    tried = {
        words[:length]
        for verb in installation.VERBS
        for words in [tuple(shlex.split(verb.arguments))]
        for length in (1, 2)
    } & known
    others = {verb for verb in known - tried if verb[0] == "schedule"}
    assert known - tried - others == {("view",)}
    assert tried >= FORMS


@pytest.mark.parametrize("verb", installation.VERBS, ids=lambda verb: verb.arguments)
def test_what_a_verb_needs_is_an_extra(verb: installation.Verb) -> None:
    assert verb.extra is None or verb.extra in EXTRAS


def test_the_page_has_the_figures_of_the_record() -> None:
    record = json.loads(installation.RECORD.read_text())
    assert installation.table(record) in (installation.ROOT / installation.PAGE).read_text()
    assert record["problems"] == []
    assert record["base_mb"] < 150
    assert record["first_result_s"] < 20
    assert record["help_ms"] < 150
    assert record["import_ms"] - record["python_ms"] < 100

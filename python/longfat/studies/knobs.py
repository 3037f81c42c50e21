"""Knobs: choices that sources leave open, as declared by the engine."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longfat import _engine
from longfat.scenarios.scenario import Override
from longfat.studies.definition import StudyDefinition


class Knob(NamedTuple):
    """A choice that sources leave open, with its value in one scenario.

    `model` is the model whose parameter it is, or None. `settings` are the default and its
    alternatives; `doc` explains what is open, and why.
    """

    path: str
    model: str | None
    value: str
    is_set: bool
    settings: list[str]
    doc: str

    @property
    def name(self) -> str:
        """The path, with the model if the path may also be another model's parameter."""
        return self.path if self.model is None else f"{self.path} ({self.model})"

    @property
    def others(self) -> list[str]:
        """The alternative settings."""
        return [setting for setting in self.settings if setting != self.value]


_PORTION = 500
"""Variants that the engine is asked about at a time: a variant has some 8 kB of knobs."""


def knobs_of(
    study: StudyDefinition, variants: Sequence[Sequence[Override]]
) -> Iterator[list[Knob]]:
    """Yield the knobs of the study's scenario with each list of overrides."""
    for start in range(0, len(variants), _PORTION):
        portion = variants[start : start + _PORTION]
        text = _engine.knobs(study.scenario_text, study.scenario_source, portion)
        for of_variant in json.loads(text):
            yield [Knob(**knob) for knob in of_variant]

"""Cautions: doubts about numbers of a study, with the factor combinations that they concern."""

from dataclasses import dataclass
from typing import Literal

from longfat.studies.reference import Combination

Kind = Literal[
    "missing runs",
    "missing metric",
    "no chance",
    "undelivered",
    "heavy tail",
    "short runs",
    "warm-up",
]


@dataclass(frozen=True)
class Caution:
    """A doubt about numbers, as a sentence without its full stop.

    `metric` is the metric that it is about, None for all of them; `combinations` are those whose
    numbers it concerns.
    """

    kind: Kind
    said: str
    metric: str | None
    combinations: frozenset[Combination]

    def __str__(self) -> str:
        return self.said

"""What is set in a scenario beside its file."""

from collections.abc import Sequence
from typing import NamedTuple


class Override(NamedTuple):
    """A scenario path, the value to set there, and where that is written (``study.toml:12:3``)."""

    path: str
    value: str
    origin: str


Overrides = tuple[Override, ...]
"""Overrides in the order in which they are applied."""


def read_overrides(documents: Sequence[Sequence[str]]) -> Overrides:
    """Overrides as the engine hands them over."""
    return tuple(Override(*document) for document in documents)

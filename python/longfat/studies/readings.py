"""The `[audit]` table of a study: what an audit varies beyond the knobs left at their defaults."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from longfat.scenarios.scenario import Overrides, read_overrides


class Named(NamedTuple):
    """The scenario path of a knob, a reason, and where that is written."""

    path: str
    reason: str
    origin: str


@dataclass(frozen=True)
class Reading:
    """Another reading of the source: what is read, and as what.

    It applies to the factor combinations that meet the SQL condition `where`, to all if that is
    None; `origin` is where the condition, or else the first setting, is written.
    """

    knob: str
    name: str
    where: str | None
    origin: str
    overrides: Overrides
    reason: str


@dataclass(frozen=True)
class Quick:
    """A small part of a study, for tests and first looks."""

    replications: int
    where: str | None


@dataclass(frozen=True)
class AuditSettings:
    """What an audit of a study varies although the study sets it, and what it leaves alone."""

    vary: Sequence[Named]
    keep: Sequence[Named]
    readings: Sequence[Reading]
    quick: Quick


def audit_settings(document: dict[str, Any]) -> AuditSettings:
    """The `[audit]` table as the engine hands it over."""
    return AuditSettings(
        vary=[Named(*entry) for entry in document["vary"]],
        keep=[Named(*entry) for entry in document["keep"]],
        readings=[_reading(reading) for reading in document["readings"]],
        quick=Quick(**document["quick"]),
    )


def _reading(document: dict[str, Any]) -> Reading:
    overrides = read_overrides(document["set"])
    where, origin = document["where"] or (None, overrides[0].origin)
    return Reading(
        knob=document["knob"],
        name=document["as"],
        where=where,
        origin=origin,
        overrides=overrides,
        reason=document["reason"],
    )

"""The `[audit]` table of a study: variations beyond the knobs left at their defaults."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from longfat.scenarios.scenario import Overrides, read_overrides


class Named(NamedTuple):
    """The scenario path of a knob, a reason, and the place in the study file."""

    path: str
    reason: str
    origin: str


@dataclass(frozen=True)
class Reading:
    """An alternative reading of the source.

    It applies to the factor combinations that meet the SQL condition `where`, to all if that is
    None; `origin` is the place of the condition, or else of the first setting.
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
    """Knobs that an audit varies although the study sets them, and those that it keeps."""

    vary: Sequence[Named]
    keep: Sequence[Named]
    readings: Sequence[Reading]
    quick: Quick


def audit_settings(document: dict[str, Any]) -> AuditSettings:
    """Convert the `[audit]` table from the engine's document."""
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

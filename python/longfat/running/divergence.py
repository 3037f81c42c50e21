"""Comparison of two runs: the settings that differ, and the first event at which they diverge."""

import json
from dataclasses import dataclass
from typing import Any

from longfat import _engine
from longfat.running.limits import Limits
from longfat.scenarios.resolved import leaves
from longfat.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Setting:
    """A path at which two resolved scenarios differ, with both values; None if it is absent."""

    path: str
    first: Any
    second: Any


def differing_settings(first: Scenario, second: Scenario) -> list[Setting]:
    """Return the settings at which two resolved scenarios differ, sorted by path."""
    one, other = dict(leaves(first.settings)), dict(leaves(second.settings))
    return [
        Setting(path, one.get(path), other.get(path))
        for path in sorted(one.keys() | other.keys())
        if one.get(path) != other.get(path)
    ]


def compare_runs(first: Scenario, second: Scenario, limits: Limits | None = None) -> dict[str, Any]:
    """Simulate both in lockstep until they diverge or the shorter ends.

    `events_alike` counts the equal events; `divergence` is None if the runs do not diverge, else it
    has `time_ps`, `flow` (from 1), and the events of that connection `before` it, common to both
    runs, and `after` it in each.

    `limits` of each run default to the machine's; the wall time is that of both together. Raises
    `OverLimit` for a run that is estimated to exceed a limit, and `RunFailed` if a simulation fails
    or takes too long.
    """
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse([first.resolved, second.resolved])
    found = _engine.compare_runs(
        first.resolved, second.resolved, limits.wall_seconds, limits.memory_bytes
    )
    comparison: dict[str, Any] = json.loads(found)
    return comparison

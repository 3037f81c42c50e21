"""Two runs side by side: how their scenarios differ, and the first event at which they part."""

import json
from dataclasses import dataclass
from typing import Any

from longfat import _engine
from longfat.running.limits import Limits
from longfat.scenarios.resolved import leaves
from longfat.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Setting:
    """A path in a resolved scenario at which two differ; None where a scenario has nothing."""

    path: str
    first: Any
    second: Any


def differing_settings(first: Scenario, second: Scenario) -> list[Setting]:
    """The values at which two resolved scenarios differ, in the order of their paths."""
    one, other = dict(leaves(first.settings)), dict(leaves(second.settings))
    return [
        Setting(path, one.get(path), other.get(path))
        for path in sorted(one.keys() | other.keys())
        if one.get(path) != other.get(path)
    ]


def compare_runs(first: Scenario, second: Scenario, limits: Limits | None = None) -> dict[str, Any]:
    """Simulate both side by side until they part or the shorter ends.

    `events_alike` counts the events that are the same; `divergence` is None if the runs do not
    part, else it holds `time_ps`, `flow` (from 1), and the events of that connection `before` it in
    both runs and `after` it in each.

    `limits` of each run are the machine's unless they are given; the time on the wall is that of
    both. Raises `OverLimit` for a run that is estimated to exceed one, and `RunFailed` when a
    simulation fails or it takes longer.
    """
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse([first.resolved, second.resolved])
    found = _engine.compare_runs(first.resolved, second.resolved, limits.wall_seconds)
    comparison: dict[str, Any] = json.loads(found)
    return comparison

"""Which satellite is used at each step: when a choice is made, and by which rule."""

from collections.abc import Callable

import numpy as np

from longfat import _engine
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.orbits.description import Description
from longfat.orbits.rules import Rule, rule_called
from longfat.orbits.rules.candidates import Candidates
from longfat.orbits.sightings import Sightings
from longfat.orbits.types import Whole

NONE = -1
"""Row or satellite while none is in sight."""


def choice_steps(description: Description) -> Whole | None:
    """Return the steps at which satellites are chosen, the first one included.

    These are the first steps at or after each instant of the grid; None without a grid.
    """
    handover = description.settings["handover"]
    every_ps = handover["every_ps"]
    if not every_ps:
        return None
    first_ps = description.seconds_of_hour * PICOSECONDS_PER_SECOND - handover["offset_ps"]
    periods = [
        (first_ps + step * description.step_ps) // every_ps for step in range(description.steps)
    ]
    changed = np.flatnonzero(np.diff(periods)) + 1
    return np.concatenate([[0], changed]).astype(np.int64)


def chosen_rows(description: Description, sightings: Sightings, name: str) -> Whole:
    """Return the row of the satellite in use at each step, or `NONE`; draws are those of `name`."""
    rule = rule_called(description.settings["handover"]["rule"])
    grid = choice_steps(description)
    steps = description.steps
    is_choice = np.full(steps, grid is None and not rule.KEEPS)
    next_choice = np.zeros(steps, np.int64)
    if grid is not None:
        is_choice[grid] = True
        next_choice = np.append(grid, steps)[np.searchsorted(grid, np.arange(steps), side="right")]
    rows = np.full(steps, NONE, np.int64)
    satellite = until = NONE
    for step in range(steps):
        found = sightings.rows(step)
        if found.start == found.stop:
            satellite = until = NONE
        elif satellite == NONE or step >= until or is_choice[step]:
            draw = _draw(description, name, step)
            row = _chosen(sightings, found, rule, draw, int(next_choice[step]))
            satellite, until = int(sightings.satellite[row]), int(sightings.until[row])
            rows[step] = row
        else:
            rows[step] = sightings.row(step, satellite)
    return rows


def _chosen(
    sightings: Sightings, found: slice, rule: Rule, draw: Callable[[int], int], next_choice: int
) -> int:
    """Return the row that a rule chooses, if possible of a satellite in sight until the next."""
    rows = np.arange(found.start, found.stop)
    lasting = rows[sightings.until[rows] >= next_choice]
    rows = lasting if len(lasting) else rows
    ranges = sightings.range_km[rows]
    candidates = Candidates(ranges, sightings.length_km[rows], sightings.until[rows])
    return int(rows[np.lexsort((ranges, rule.scores(candidates, draw)))[0]])


def _draw(description: Description, name: str, step: int) -> Callable[[int], int]:
    """Return what draws whole numbers below a bound for a choice at a step."""
    return lambda below: _engine.random_block(description.seed, 0, f"orbit/{name}", step)[0] % below

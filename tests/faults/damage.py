"""Damage to stores, and everything that a reader can learn of one."""

import json
import random
from pathlib import Path
from typing import Any

from longfat.store import Store
from longfat.studies.plan import Plan


def answers(store: Path, plan: Plan, times: bool = True) -> str:
    """Return all that the store says about the runs of a plan, as text; perhaps without times."""
    run_ids = sorted(plan.distinct)
    with Store.existing(str(store)) as opened:
        found: list[Any] = [
            opened.statuses(plan.hashes),
            opened.metrics(plan.hashes),
            opened.metrics(plan.hashes, ["efficiency", "fairness"]),
            opened.completions_of(plan.hashes),
            opened.completions(run_ids),
            opened.failures(run_ids),
            opened.mean_wall_seconds() if times else {},
            opened.other_models(plan.hashes),
            [
                (run.run_id, run.scenario.resolved, run.metrics, run.fingerprint, run.failure)
                for run in opened.stored_runs(run_ids)
            ],
            [opened.find(run_id).run_id for run_id in run_ids],
            [opened.parts(run_id) for run_id in run_ids],
        ]
    return repr([json.dumps(one) if isinstance(one, list) else sorted_deep(one) for one in found])


def sorted_deep(found: Any) -> Any:
    """Return dictionaries as sorted lists, since the order in which runs are read may differ."""
    if isinstance(found, dict):
        return sorted((repr(key), sorted_deep(value)) for key, value in found.items())
    return found


def flip(store: Path, damaged: Path, chance: random.Random) -> int:
    """Write a copy of a store with one random bit of the file flipped, and return its place."""
    content = bytearray(store.read_bytes())
    place = chance.randrange(8 * len(content))
    content[place // 8] ^= 1 << place % 8
    damaged.write_bytes(content)
    return place

"""Sequential execution of a study: run until nothing is missing at the wanted precision."""

from collections.abc import Callable
from dataclasses import dataclass

from longfat.results.sequential import in_effect
from longfat.running.campaign import missing_runs
from longfat.running.execution import Progress
from longfat.store import Store
from longfat.studies.plan import Plan, PlannedRun


@dataclass
class Done:
    """Result of a call: the plan in effect at its end, and counts of its runs."""

    plan: Plan
    stored_before: int = 0
    finished: int = 0
    failed: int = 0
    elsewhere: int = 0


def run_until_enough(
    plan: Plan,
    store: Store,
    run: Callable[[list[PlannedRun]], Progress],
    announce: Callable[[Plan, int], object],
) -> Done:
    """Run what is missing, then add a replication at a time while the study's precision needs it.

    Calls `announce` with the plan and the number of missing runs, then `run` with these runs. Stops
    after runs that failed.
    """
    done = Done(in_effect(plan, store))
    missing = missing_runs(done.plan, store)
    done.stored_before = done.plan.distinct_runs - len(missing)
    while True:
        announce(done.plan, len(missing))
        progress = run(missing)
        done.finished += progress.finished - progress.failed
        done.failed += progress.failed
        done.elsewhere += progress.elsewhere
        following = in_effect(plan, store)
        if done.failed or following.distinct_runs == done.plan.distinct_runs:
            return done
        done.plan = following
        missing = missing_runs(following, store)

"""From the store to the metrics of planned runs; nothing here simulates."""

from collections import Counter
from collections.abc import Sequence

from longfat.claims import Claim
from longfat.comparison import Results, TableComparison, compare
from longfat.completions import in_short
from longfat.plan import Plan, Replicated
from longfat.store import Store
from longfat.store.schema import DONE, FAILED

COMPLETIONS = "completions"
"""The column by which claims read them."""


def load_results(plan: Plan, store: Store, names: Sequence[str] = ()) -> Results:
    """The metrics of every planned run that is done; a combination without any stays, empty.

    All metrics, or some by their names: with many runs, what nobody reads takes most of the time.
    """
    return plan.by_combination(store.metrics(plan.hashes, names))


def load_completions(plan: Plan, store: Store, claims: Sequence[Claim]) -> Replicated[str]:
    """How long things took in the planned runs, as claims read it; nothing if none of them does."""
    if not any(COMPLETIONS in claim.measure.lower() for claim in claims):
        return {}
    return {
        series: {replication: in_short(kinds) for replication, kinds in runs.items()}
        for series, runs in store.completions_of(plan.hashes).items()
    }


def count_runs(plan: Plan, store: Store) -> dict[str, int]:
    """How many distinct runs are planned, and how many of them done, running, failed, missing."""
    found = store.statuses(plan.hashes)
    planned = {series: found.get(series, {}).keys() & own for series, own in plan.numbers.items()}
    ended = Counter(
        found[series][number] for series, numbers in planned.items() for number in numbers
    )
    left = plan.without(planned)
    running = store.running({run.scenario.run_id for run in left})
    return {
        "runs": plan.distinct_runs,
        "done": ended[DONE],
        "running": running,
        "failed": ended[FAILED],
        "missing": len(left) - running,
    }


def compare_results(plan: Plan, results: Results) -> list[TableComparison]:
    """Compare each planned table, response by response, with the results."""
    tables = [
        compare(response, results)
        for response in plan.study.responses
        if not plan.selection.tables or response.table in plan.selection.tables
    ]
    return [table for table in tables if table.entries]

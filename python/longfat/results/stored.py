"""Metrics of planned runs, read from the store; nothing here simulates."""

from collections import Counter
from collections.abc import Sequence

from longfat import _engine
from longfat.records.completions import in_short, is_of_completions, statistics_of
from longfat.results.comparison import Carried, Results, TableComparison, compare
from longfat.scenarios.resolved import travels_whole
from longfat.store import Store
from longfat.store.schema import DONE, FAILED
from longfat.studies.claims import Claim
from longfat.studies.plan import Plan, Replicated

COMPLETIONS = "completions"
"""Column with the completion times of a run, for the SQL of claims."""


def load_results(plan: Plan, store: Store, names: Sequence[str] = ()) -> Results:
    """Return the metrics of every planned run that is done; a combination without one is empty.

    `names` restricts the metrics, since reading all of them dominates the time for many runs.
    Completion times are included if `names`, or a response of the study, asks for them.
    """
    asked = names or [response.metric for response in plan.study.responses]
    metrics = [name for name in names if not is_of_completions(name)]
    results = plan.by_combination(store.metrics(plan.hashes, metrics))
    return (
        _with_completions(plan, store, results) if any(map(is_of_completions, asked)) else results
    )


def load_responses(plan: Plan, store: Store, response: str) -> Results:
    """As `load_results`, with completion times if the response is no metric.

    A completion time is named by kind and statistic: "flow up to 100 kB p95_s".
    """
    results = load_results(plan, store)
    return results if response in _engine.METRICS else _with_completions(plan, store, results)


def _with_completions(plan: Plan, store: Store, results: Results) -> Results:
    times = plan.by_combination({
        series: {replication: statistics_of(kinds) for replication, kinds in runs.items()}
        for series, runs in store.completions_of(plan.hashes).items()
    })  # fmt: skip
    return {
        combination: {
            replication: {**metrics, **times[combination].get(replication, {})}
            for replication, metrics in runs.items()
        }
        for combination, runs in results.items()
    }


def load_completions(plan: Plan, store: Store, claims: Sequence[Claim]) -> Replicated[str]:
    """Return the completion times of the planned runs as JSON; empty if no claim reads them."""
    if not any(COMPLETIONS in claim.measure.lower() for claim in claims):
        return {}
    return {
        series: {replication: in_short(kinds) for replication, kinds in runs.items()}
        for series, runs in store.completions_of(plan.hashes).items()
    }


def count_runs(plan: Plan, store: Store) -> dict[str, int]:
    """Count the distinct runs of a plan: all, done, running, failed and missing."""
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
        compare(response, results, _carried(plan, response.metric))
        for response in plan.study.responses
        if not plan.selection.tables or response.table in plan.selection.tables
    ]
    return [table for table in tables if table.entries]


def _carried(plan: Plan, metric: str) -> Carried:
    """Return the unit that a metric counts; only metrics named after cells depend on framing."""
    if "cell" not in metric:
        return "cells"
    whole = {travels_whole(scenario.settings) for scenario in plan.scenarios.values()}
    if True not in whole:
        return "cells"
    return "cells or packets" if False in whole else "packets"

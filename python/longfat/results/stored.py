"""From the store to the metrics of planned runs; nothing here simulates."""

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
"""The column by which claims read them."""


def load_results(plan: Plan, store: Store, names: Sequence[str] = ()) -> Results:
    """The metrics of every planned run that is done; a combination without any stays, empty.

    All metrics, or some by their names: with many runs, what nobody reads takes most of the time.
    How long things took is there, too, if it is among the names or the study tabulates it.
    """
    asked = names or [response.metric for response in plan.study.responses]
    metrics = [name for name in names if not is_of_completions(name)]
    results = plan.by_combination(store.metrics(plan.hashes, metrics))
    return (
        _with_completions(plan, store, results) if any(map(is_of_completions, asked)) else results
    )


def load_responses(plan: Plan, store: Store, response: str) -> Results:
    """As `load_results`, and how long things took, if the response is no metric.

    Such a time is called "flow up to 100 kB p95_s": the kind of thing, then the statistic.
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
        compare(response, results, _carried(plan, response.metric))
        for response in plan.study.responses
        if not plan.selection.tables or response.table in plan.selection.tables
    ]
    return [table for table in tables if table.entries]


def _carried(plan: Plan, metric: str) -> Carried:
    """What a metric counts whose name says cells; the framing of runs matters to no other."""
    if "cell" not in metric:
        return "cells"
    whole = {travels_whole(scenario.settings) for scenario in plan.scenarios.values()}
    if True not in whole:
        return "cells"
    return "cells or packets" if False in whole else "packets"

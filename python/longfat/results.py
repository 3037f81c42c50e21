"""From the store to the metrics of planned runs; nothing here simulates."""

from collections.abc import Sequence

from longfat.comparison import Results, TableComparison, compare
from longfat.plan import Plan
from longfat.store import Store


def load_results(plan: Plan, store: Store, names: Sequence[str] = ()) -> Results:
    """The metrics of every planned run that is done; a combination without any stays, empty.

    All metrics, or some by their names: with many runs, what nobody reads takes most of the time.
    """
    metrics = store.metrics(list(plan.distinct), names)
    return {
        combination: {
            run.replication: metrics[run.scenario.run_id]
            for run in runs
            if run.scenario.run_id in metrics
        }
        for combination, runs in plan.of_combination.items()
    }


def compare_results(plan: Plan, results: Results) -> list[TableComparison]:
    """Compare each planned table, response by response, with the results."""
    tables = [
        compare(response, results)
        for response in plan.study.responses
        if not plan.selection.tables or response.table in plan.selection.tables
    ]
    return [table for table in tables if table.entries]

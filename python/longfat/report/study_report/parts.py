"""Selection of the parts of a study that can be analysed, and of the runs to plot."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from longfat.analysis.analysis import Analysis, Settings
from longfat.analysis.cautions import cautions
from longfat.analysis.study_runs import analyse_study
from longfat.base.errors import LongfatError
from longfat.records.directions import LESS_IS_BETTER, MORE_IS_BETTER
from longfat.results.caution import Caution
from longfat.results.comparison import Results, TableComparison
from longfat.studies.plan import Plan, PlannedRun

if TYPE_CHECKING:
    from longfat.studies.reference import Combination

_MOST_PARTS = 4
"""Largest number of levels of a factor that divides a table into parts."""


class PartAnalysis(NamedTuple):
    """Analysis of a metric over a table's runs, or over those that meet the condition `where`.

    `cautions` are about these runs.
    """

    table: str
    where: str | None
    analysis: Analysis
    cautions: Sequence[Caution]


class ChosenRun(NamedTuple):
    """Representative run, with its role and the reason for its choice."""

    role: str
    reason: str
    run: PlannedRun
    metrics: Mapping[str, float]


def groups(tables: Sequence[TableComparison]) -> list[list[TableComparison]]:
    """Group the tables that have the same factor combinations, such as one per metric."""
    found: dict[frozenset[Combination], list[TableComparison]] = {}
    for table in tables:
        found.setdefault(frozenset(entry.combination for entry in table.entries), []).append(table)
    return list(found.values())


def names_of(group: Sequence[TableComparison]) -> list[str]:
    """Return the distinct names of the tables of a group."""
    return list(dict.fromkeys(table.response.table for table in group))


def results_of(group: Sequence[TableComparison], results: Results) -> Results:
    """Return the results of the factor combinations in the tables of a group."""
    members = {entry.combination for table in group for entry in table.entries}
    return {combination: runs for combination, runs in results.items() if combination in members}


def analyses(
    plan: Plan, results: Results, tables: Sequence[TableComparison], settings: Settings
) -> Iterator[PartAnalysis]:
    """Yield the analyses of every table: of all its runs if they are a full factorial design.

    Otherwise of the runs at each level of one factor, if each of these parts is one; other tables
    have no analysis.
    """
    for table in tables:
        of_table = _of_table(plan, table)
        whole = _analysed(of_table, results, table.response.metric, settings)
        if whole is not None:
            yield _part(table, None, whole, of_table, results)
            continue
        yield from _divided(of_table, results, table, settings)


def _part(
    table: TableComparison, where: str | None, analysis: Analysis, plan: Plan, results: Results
) -> PartAnalysis:
    own = {combination: results[combination] for combination in plan.combinations}
    doubts = cautions(plan, own, [table.response.metric])
    return PartAnalysis(table.response.table, where, analysis, doubts)


def _divided(
    plan: Plan, results: Results, table: TableComparison, settings: Settings
) -> list[PartAnalysis]:
    """Divide a table by the first factor for which each part is a full factorial design."""
    for factor, levels in _levels(plan).items():
        if not 1 < len(levels) <= _MOST_PARTS:
            continue
        parts = [
            _part(table, f"{factor} = '{level}'", analysis, at_level, results)
            for level in levels
            if (
                analysis := _analysed(
                    at_level := _at_level(plan, factor, level),
                    results,
                    table.response.metric,
                    settings,
                )
            )
        ]
        if len(parts) == len(levels):
            return parts
    return []


def _analysed(plan: Plan, results: Results, metric: str, settings: Settings) -> Analysis | None:
    try:
        analysis = analyse_study(plan, results, None, metric, settings)
    except LongfatError:  # missing runs, no full factorial design, or nothing that varies
        return None
    return analysis if analysis.factors else None


def _of_table(plan: Plan, table: TableComparison) -> Plan:
    """Return the plan of a table's runs, in its order, as `longfat analyze --table`."""
    combinations = dict.fromkeys(
        member
        for response in plan.study.responses
        if response.table == table.response.table
        for row in response.rows
        for member in row.simulated
        if member in plan.series_of
    )
    return plan.of(combinations)


def _at_level(plan: Plan, factor: str, level: str) -> Plan:
    return plan.of(found for found in plan.combinations if dict(found).get(factor) == level)


def _levels(plan: Plan) -> dict[str, list[str]]:
    """Return the levels of the factors that all combinations have."""
    combinations = [dict(combination) for combination in plan.scenarios]
    return {
        factor: list(dict.fromkeys(combination[factor] for combination in combinations))
        for factor in (combinations[0] if combinations else ())
        if all(factor in combination for combination in combinations)
    }


def chosen_runs(plan: Plan, results: Results, tables: Sequence[TableComparison]) -> list[ChosenRun]:
    """Choose the worst and the median run by the study's main metric.

    They are among the replications, or the deterministic runs if there are no others.
    """
    metric = _deciding([table.response.metric for table in tables])
    done = [
        ChosenRun("", "", run, results[run.combination][run.replication])
        for run in plan.distinct.values()
        if metric in results[run.combination].get(run.replication, {})
    ]
    repeated = [chosen for chosen in done if chosen.run.replication > 0] or done
    if not repeated:
        return []
    sign, extreme = (-1, "Highest") if metric in LESS_IS_BETTER else (1, "Lowest")
    ordered = sorted(
        repeated, key=lambda chosen: (sign * chosen.metrics[metric], chosen.run.scenario.run_id)
    )
    name = metric.replace("_", " ")
    worst, typical = ordered[0], ordered[(len(ordered) - 1) // 2]
    return [
        worst._replace(role="Worst run", reason=f"{extreme} {name} of {len(ordered)} runs"),
        typical._replace(role="Typical run", reason=f"Median {name} of {len(ordered)} runs"),
    ]


def _deciding(metrics: Sequence[str]) -> str:
    """Choose the metric that ranks runs: efficiency, or else the first one with a direction.

    Efficiency, which every run has, if none has a direction.
    """
    judged = [metric for metric in metrics if metric in MORE_IS_BETTER | LESS_IS_BETTER]
    return "efficiency" if "efficiency" in judged or not judged else judged[0]

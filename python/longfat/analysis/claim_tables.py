"""SQL tables for the measures of claims: from the runs of a study, or from its paper's values."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from longfat.analysis.claims import rows_read
from longfat.analysis.measures import Entry, Row, Tables
from longfat.results.comparison import Results
from longfat.scenarios.scenario import SeriesKey
from longfat.studies.claims import Claim
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, PlannedRun, Replicated, plan_everything
from longfat.studies.reference import Combination, ReferenceRow
from longfat.studies.responses import Response

FIRST_REPLICATION = 1
NONE: Mapping[SeriesKey, Mapping[int, str]] = MappingProxyType({})


def run_tables(plan: Plan, results: Results, completions: Replicated[str] = NONE) -> Tables:
    """Return the planned runs with their results, and `completions` if a claim reads these.

    In a plan without replications, `runs` holds the deterministic runs as replication 1.
    """
    times = plan.by_combination(completions)

    def row(run: PlannedRun, replication: int) -> Row:
        return Row(
            plan.study.levels(run.combination),
            replication,
            run.scenario.resolved,
            results[run.combination].get(run.replication),
            completions=times[run.combination].get(run.replication),
        )

    rows = [
        row(run, replication)
        for run in plan.runs
        for replication in ([run.replication] if plan.drawn else [0, FIRST_REPLICATION])
    ]
    return Tables(_factors(plan.study), rows, list(_entries(plan.study)), plan.drawn)


def planned_tables(study: StudyDefinition) -> Tables:
    """Return the planned runs of a study, without results."""
    plan = plan_everything(study, FIRST_REPLICATION)
    return run_tables(plan, {combination: {} for combination in plan.combinations})


def combinations_read(
    study: StudyDefinition, claims: Sequence[Claim]
) -> dict[str, frozenset[Combination]]:
    """Return the factor combinations whose metrics each claim reads, by id, in the whole study."""
    plan = plan_everything(study, FIRST_REPLICATION)
    combinations = {tuple(study.levels(found)): found for found in plan.combinations}
    tables = run_tables(plan, {combination: {} for combination in plan.combinations})
    return {
        claim: frozenset(combinations[tuple(row.levels)] for row in rows)
        for claim, rows in rows_read(claims, tables).items()
    }


def claims_within(study: StudyDefinition, claims: Sequence[Claim], plan: Plan) -> list[Claim]:
    """Return the claims whose measures only read runs of a plan, so that the plan decides them.

    Claims that read no metric are excluded: they count the runs of the whole study.
    """
    planned = set(plan.combinations)
    read = combinations_read(study, claims)
    return [claim for claim in claims if read[claim.id] and read[claim.id] <= planned]


def paper_tables(plan: Plan) -> Tables:
    """Return the values that the paper prints, each row as a run with a single replication."""
    printed = _printed(plan.study)
    rows = []
    for combination, scenario in plan.scenarios.items():
        numbers = printed.get(combination, {})
        doubtful = frozenset(metric for metric, (_, doubtful) in numbers.items() if doubtful)
        values = {metric: value for metric, (value, _) in numbers.items()}
        rows += [
            Row(
                plan.study.levels(combination),
                replication,
                scenario.resolved,
                values or None,
                doubtful,
            )
            for replication in (0, FIRST_REPLICATION)
        ]
    return Tables(_factors(plan.study), rows, list(_entries(plan.study)), drawn=())


def _factors(study: StudyDefinition) -> list[str]:
    return [factor.name for factor in study.factors]


def _printed(study: StudyDefinition) -> dict[Combination, dict[str, tuple[float, bool]]]:
    """Return the paper's values by combination and metric, with whether each is doubtful.

    If two tables print a value, one that is not doubtful takes precedence.
    """
    printed: dict[Combination, dict[str, tuple[float, bool]]] = {}
    for response, row, value in _printed_rows(study):
        numbers = printed.setdefault(row.combination, {})
        is_doubtful = response.metric in row.doubtful
        _, known_is_doubtful = numbers.get(response.metric, (value, True))
        if known_is_doubtful and not row.members:
            numbers[response.metric] = (value, is_doubtful)
    return printed


def _entries(study: StudyDefinition) -> Iterator[Entry]:
    for response, row, value in _printed_rows(study):
        yield Entry(
            levels=study.levels(row.combination),
            table=response.table,
            response=response.metric,
            value=value,
            doubtful=response.metric in row.doubtful,
        )


def _printed_rows(study: StudyDefinition) -> Iterator[tuple[Response, ReferenceRow, float]]:
    for response in study.responses:
        for row in response.rows:
            if response.metric in row.values:
                yield response, row, row.values[response.metric]

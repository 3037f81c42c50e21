from longfat.analysis.claim_tables import paper_tables, planned_tables, run_tables
from longfat.analysis.measures import MeasureDatabase, Row, Tables
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import plan_everything


def rows_of(tables: Tables, *levels: str | None) -> list[Row]:
    return [row for row in tables.rows if list(row.levels) == list(levels)]


def test_runs_stand_under_the_levels_and_the_replication_that_they_have(
    study: StudyDefinition,
) -> None:
    plan = plan_everything(study, 2)
    results = {
        combination: {1: {"efficiency": 0.25}} if dict(combination)["policy"] == "ubr" else {}
        for combination in plan.of_combination
    }
    tables = run_tables(plan, results)
    assert (tables.factors, tables.replications) == (["load", "policy", "z"], 2)
    rows = rows_of(tables, "light", "ubr", None)
    assert [row.replication for row in rows] == [0, 1, 2]
    assert [row.metrics for row in rows] == [None, {"efficiency": 0.25}, None]
    assert '"sources":2' in rows[0].scenario


def test_completions_stand_beside_the_metrics_of_their_run(study: StudyDefinition) -> None:
    plan = plan_everything(study, 1)
    series = next(series for series in plan.series if 1 in series.numbers)
    results = plan.by_combination({series.first.series: {1: {"efficiency": 0.5}}})
    tables = run_tables(plan, results, {series.first.series: {1: '{"page": {}}'}})
    there = [row for row in tables.rows if row.completions]
    assert [(row.replication, row.completions) for row in there] == [(1, '{"page": {}}')]
    assert list(there[0].levels) == study.levels(series.combination)


def test_without_replications_deterministic_runs_are_shown_as_the_first_one_too(
    study: StudyDefinition,
) -> None:
    plan = plan_everything(study, 0)
    tables = run_tables(
        plan, {combination: {0: {"efficiency": 0.5}} for combination in plan.of_combination}
    )
    assert tables.replications == 0
    rows = rows_of(tables, "light", "fba", "0.5")
    assert [(row.replication, row.metrics) for row in rows] == [
        (0, {"efficiency": 0.5}),
        (1, {"efficiency": 0.5}),
    ]


def test_the_papers_numbers_stand_as_its_only_run(study: StudyDefinition) -> None:
    tables = paper_tables(plan_everything(study, 2))
    rows = rows_of(tables, "heavy", "fba", None)
    assert [row.replication for row in rows] == [0, 1]
    assert rows[1].metrics == {"efficiency": 0.9, "fairness": 0.1}
    assert rows[1].doubtful == {"fairness"}
    (other,) = rows_of(tables, "light", "fba", "0.5")[1:]
    assert other.metrics == {"efficiency": 0.7}


def test_the_reference_has_an_entry_for_every_number(study: StudyDefinition) -> None:
    tables = planned_tables(study)
    assert len(tables.reference) == 4 + 4 + 2
    (doubtful,) = [entry for entry in tables.reference if entry.doubtful]
    assert (doubtful.table, doubtful.response, doubtful.value) == ("A", "fairness", 0.1)
    assert list(doubtful.levels) == ["heavy", "fba", None]


def test_planned_runs_can_be_asked_for_before_there_are_any(study: StudyDefinition) -> None:
    with MeasureDatabase(planned_tables(study)) as database:
        assert database.read("SELECT count(*) FROM runs WHERE load = 'light'").value == 4
        reading = database.read("SELECT avg(efficiency) FROM runs WHERE load = 'light'")
    assert reading.value is None
    assert len(reading.missing) == 4

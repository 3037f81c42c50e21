import dataclasses
from pathlib import Path

import pytest

from longfat import LongfatError, _engine
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Plan, Selection, plan_design, plan_reference, selection_of


def crossed(study: StudyDefinition) -> StudyDefinition:
    design = dataclasses.replace(study.design, kind="full-factorial")
    factors = [factor for factor in study.factors if factor.name != "z"]
    return dataclasses.replace(study, design=design, factors=factors)


def independent(study: StudyDefinition) -> StudyDefinition:
    return dataclasses.replace(study, design=dataclasses.replace(study.design, seeds="independent"))


def seeds(plan: Plan) -> dict[str, int]:
    return {run.scenario.hash: run.scenario.settings["seed"] for run in plan.runs}


def test_reference_rows_are_the_combinations_and_equal_runs_are_planned_once(
    study: StudyDefinition,
) -> None:
    plan = plan_design(study, Selection())
    assert len(plan.of_combination) == 6
    assert len(plan.runs) == 6 * 3
    assert len(plan.distinct) == 5 * 3


def test_a_full_factorial_crosses_all_factors(study: StudyDefinition) -> None:
    plan = plan_design(crossed(study), Selection(replications=0))
    assert [dict(run.combination) for run in plan.runs] == [
        {"load": "light", "policy": "ubr"},
        {"load": "light", "policy": "fba"},
        {"load": "heavy", "policy": "ubr"},
        {"load": "heavy", "policy": "fba"},
    ]


def test_replication_0_is_the_scenario_as_it_stands(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection())
    starts = {run.replication: run.scenario.settings["traffic"]["start"] for run in plan.runs}
    assert starts[0] == "0 s"
    assert starts[1] == starts[2] != starts[0]
    assert all(run.scenario.settings["replication"] == run.replication for run in plan.runs)


def test_common_seeds_are_the_scenarios_seed(study: StudyDefinition) -> None:
    assert set(seeds(plan_design(study, Selection())).values()) == {1}


def test_independent_seeds_differ_and_do_not_depend_on_what_else_is_planned(
    study: StudyDefinition,
) -> None:
    whole = seeds(plan_design(independent(study), Selection()))
    assert len(set(whole.values())) == 5
    part = seeds(plan_design(independent(study), Selection(tables=("B",))))
    assert part.items() <= whole.items()


def test_rows_that_mean_the_same_run_share_an_independent_seed(study: StudyDefinition) -> None:
    assert len(plan_design(independent(study), Selection()).distinct) == 5 * 3


def test_tables_and_conditions_narrow_the_plan(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection(tables=("A",), where=("policy = 'ubr'", "replication < 2")))
    assert {dict(run.combination)["policy"] for run in plan.runs} == {"ubr"}
    assert len(plan.runs) == 2 * 2


def test_replications_are_counted_and_not_their_highest_number(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection(where=("replication > 8",), replications=12))
    assert (plan.drawn, plan.replications) == ([9, 10, 11, 12], 4)
    deterministic = plan_design(study, Selection(where=("replication = 0",)))
    assert (deterministic.drawn, deterministic.replications) == ([], 0)


def test_a_factor_that_a_table_does_not_name_is_null(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection(where=("z IS NULL",), replications=0))
    assert len(plan.runs) == 4


def test_the_quick_part_is_the_studys_own(study: StudyDefinition) -> None:
    plan = plan_design(study, selection_of([], None, None, study.quick))
    assert {dict(run.combination)["load"] for run in plan.runs} == {"light"}
    assert max(run.replication for run in plan.runs) == 1


def test_a_selection_does_not_change_run_ids(study: StudyDefinition) -> None:
    whole = plan_design(study, Selection())
    part = plan_design(study, Selection(tables=("B",), where=("z = 0.5",), replications=1))
    assert part.distinct.keys() < whole.distinct.keys()


def test_a_crossed_study_is_compared_by_its_reference_rows(study_folder: Path) -> None:
    file = study_folder / "study.toml"
    file.write_text(file.read_text().replace('"reference-rows"', '"full-factorial"'))
    (study_folder / "reference" / "a.csv").write_text(
        "load,policy,efficiency,fairness\nlight,fba,1,1\n"
    )
    study = load_study(study_folder)
    assert len(plan_reference(study, Selection()).of_combination) == 3


def test_a_table_of_means_is_planned_as_what_it_averages(study_folder: Path) -> None:
    file = study_folder / "study.toml"
    file.write_text(
        f"""{file.read_text()}
[[response]]
table = "M"
metric = "efficiency"
reference = "reference/means.csv"
mean_over = ["load"]
"""
    )
    (study_folder / "reference" / "means.csv").write_text("policy,efficiency\nubr,0.45\n")
    plan = plan_design(load_study(study_folder), Selection(tables=("M",), replications=0))
    assert [dict(run.combination) for run in plan.runs] == [
        {"load": "light", "policy": "ubr"},
        {"load": "heavy", "policy": "ubr"},
    ]


def test_an_unknown_table_is_refused_with_the_known_ones(study: StudyDefinition) -> None:
    with pytest.raises(LongfatError, match="small has no table 'C'; its tables: A, B"):
        plan_design(study, Selection(tables=("C",)))


def test_a_condition_that_leaves_nothing_is_an_error(study: StudyDefinition) -> None:
    with pytest.raises(LongfatError, match="no run of small meets load = 'none'"):
        plan_design(study, Selection(where=("load = 'none'",)))


def test_replications_are_what_the_engine_says_of_each(study: StudyDefinition) -> None:
    for run in plan_design(study, Selection(replications=12)).runs:
        resolved = run.scenario.resolved
        assert _engine.resolve_scenario(resolved.encode(), "again.json") == resolved
        assert run.scenario.settings["replication"] == run.replication
        assert run.scenario.run_id == _engine.run_id(resolved)
        assert run.scenario.hash == _engine.scenario_hash(resolved)
        seconds = run.scenario.settings["duration_ps"] / 1e12
        assert run.scenario.simulated_seconds == seconds

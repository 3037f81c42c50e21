"""The runs that an audit plans."""

import json
from pathlib import Path

import pytest

from longfat import _engine
from longfat.base.errors import BadInput, InvalidInput, LongfatError
from longfat.scenarios.scenario import load_scenario
from longfat.studies.audit import AuditPlan, Variation, audited, check_audit, plan_audit
from longfat.studies.definition import StudyDefinition, load_study, shipped_studies
from longfat.studies.plan import Selection, plan_reference
from tests.conftest import STUDY

AUDIT = """
[audit]
vary = { "port.policy.z" = "read differently by others" }
keep = { "tcp.sack_blocks" = "no flavor here has SACK" }

[[audit.reading]]
knob = "ticks"
as = "500 ms"
where = "load = 'light'"
set = { "tcp.timer_granularity" = "500 ms" }
reason = "many stacks"

[[audit.reading]]
knob = "ticks"
as = "500 ms"
where = "load = 'heavy' AND policy = 'ubr'"
set = { "tcp.timer_granularity" = "501 ms" }
reason = "as above"

[audit.quick]
replications = 0
where = "policy = 'ubr'"
"""

FIRST = Selection(replications=0)


def with_audit(folder: Path, audit: str) -> StudyDefinition:
    (folder / "study.toml").write_text(STUDY + audit)
    return load_study(folder)


@pytest.fixture
def audited_study(study_folder: Path) -> StudyDefinition:
    return with_audit(study_folder, AUDIT)


def planned(study: StudyDefinition) -> AuditPlan:
    return plan_audit(study, FIRST, audited(study, FIRST, []))


def found(plan: AuditPlan, knob: str) -> dict[str, Variation]:
    """The variations of one knob by name."""
    return {
        variation.alternatives[0].name: variation
        for variation in plan.variations
        if variation.alternatives[0].knob == knob
    }


def differences(first: object, second: object, path: str = "") -> set[str]:
    """The paths at which two resolved scenarios differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        keys = first.keys() | second.keys()
        return {
            different
            for key in keys
            for different in differences(
                first.get(key), second.get(key), f"{path}.{key}".strip(".")
            )
        }
    return set() if first == second else {path}


def test_a_knob_that_the_study_leaves_at_its_default_is_varied_over_its_declared_alternatives(
    study: StudyDefinition,
) -> None:
    variations = found(planned(study), "tcp.timer_phase")
    assert list(variations) == ["per-connection", "from-start"]
    (alternative,) = variations["from-start"].alternatives
    assert alternative.here == "common"
    assert set(alternative.changes) == set(planned(study).baseline.of_combination)


def test_what_the_study_sets_is_not_varied(study: StudyDefinition) -> None:
    assert not found(planned(study), "tcp.receiver_window")
    changes = found(planned(study), "port.policy.z (fba)")["0.5"].alternatives[0].changes
    assert {dict(combination).get("z") for combination in changes} == {None}


def test_parameters_of_a_model_are_varied_where_the_model_is_chosen(study: StudyDefinition) -> None:
    changes = found(planned(study), "port.policy.threshold (fba)")["0.5"].alternatives[0].changes
    assert {dict(combination)["policy"] for combination in changes} == {"fba"}


def test_every_variation_changes_the_path_of_its_knob_and_nothing_else(
    study: StudyDefinition,
) -> None:
    plan = planned(study)
    own = {(run.combination, run.replication): run.scenario for run in plan.baseline.runs}
    assert len(plan.variations) > 20
    for variation in plan.variations:
        (alternative,) = variation.alternatives
        (path,) = alternative.paths
        for run in variation.plan.runs:
            scenario = own[run.combination, run.replication]
            changed = differences(scenario.settings, run.scenario.settings)
            assert changed
            assert all(different.startswith(path) for different in changed), (path, changed)


def test_a_run_of_an_audit_is_the_run_of_its_scenario(study: StudyDefinition) -> None:
    """A shared run is stored once."""
    variation = found(planned(study), "tcp.timer_phase")["from-start"]
    run = next(run for run in variation.plan.runs if dict(run.combination)["load"] == "light")
    levels: dict[str, str | int] = {
        "topology.sources": 2,
        "duration": "40 ms",
        "port.policy": "tail-drop",
    }
    scenario = load_scenario(
        study.folder / "scenario.toml", {**levels, "tcp.timer_phase": "from-start"}
    )
    assert run.scenario.run_id == scenario.run_id


def test_an_alternative_that_is_the_same_simulation_is_none(study_folder: Path) -> None:
    reading = AUDIT[AUDIT.index("[[audit.reading]]") : AUDIT.index("[audit.quick]")]
    assert found(planned(with_audit(study_folder, reading)), "ticks")
    same = reading.replace('500 ms" }', '0.1 s" }').replace("501 ms", "100 ms")
    assert not found(planned(with_audit(study_folder, same)), "ticks")


def test_the_audit_table_varies_keeps_and_reads_what_it_says(
    audited_study: StudyDefinition,
) -> None:
    check_audit(audited_study)
    plan = planned(audited_study)
    assert not found(plan, "tcp.sack_blocks")
    z = found(plan, "port.policy.z (fba)")
    assert set(z) == {"0.8", "0.5"}
    (alternative,) = z["0.8"].alternatives
    assert alternative.reason == "read differently by others"
    assert {dict(combination)["z"] for combination in alternative.changes} == {"0.5"}


def test_readings_of_one_name_are_one_alternative(audited_study: StudyDefinition) -> None:
    (variation,) = found(planned(audited_study), "ticks").values()
    granularity = {
        (dict(run.combination)["load"], dict(run.combination)["policy"]): run.scenario.settings[
            "tcp"
        ]["timer_granularity_ps"]
        for run in variation.plan.runs
    }
    assert granularity == {
        ("light", "ubr"): 500 * 10**9,
        ("light", "fba"): 500 * 10**9,
        ("heavy", "ubr"): 501 * 10**9,
    }


def test_pairs_are_of_different_knobs_neither_of_which_is_part_of_the_other(
    audited_study: StudyDefinition,
) -> None:
    selection = Selection(replications=0, where=("load = 'light' AND policy = 'ubr'",))
    chosen = audited(audited_study, selection, [])
    only = ["tcp.timer_phase", "tcp.retransmission_timeout",
            "tcp.retransmission_timeout.minimum_ticks", "ticks"]  # fmt: skip
    plan = plan_audit(audited_study, selection, chosen, only, pairs=True)
    pairs = [
        tuple(alternative.knob.partition(" (")[0] for alternative in variation.alternatives)
        for variation in plan.variations
        if len(variation.alternatives) == 2
    ]
    timeout = "tcp.retransmission_timeout"
    assert pairs.count(("tcp.timer_phase", timeout)) == 4
    assert pairs.count(("tcp.timer_phase", f"{timeout}.minimum_ticks")) == 4
    assert (timeout, f"{timeout}.minimum_ticks") not in pairs
    assert ("tcp.timer_phase", "tcp.timer_phase") not in pairs
    both = next(
        variation
        for variation in plan.variations
        if [found.knob for found in variation.alternatives] == ["tcp.timer_phase", "ticks"]
    )
    for run in both.plan.runs:
        tcp = run.scenario.settings["tcp"]
        assert (tcp["timer_phase"], tcp["timer_granularity_ps"]) == ("per-connection", 500 * 10**9)


def test_an_alternative_that_the_engine_refuses_is_left_out_and_reported(
    study_folder: Path,
) -> None:
    text = (study_folder / "scenario.toml").read_text()
    sack = text.replace("[tcp]", '[tcp]\nflavor = "sack"')
    (study_folder / "scenario.toml").write_text(sack)
    plan = planned(load_study(study_folder))
    assert not found(plan, "tcp.out_of_order")
    assert any(refused.startswith("tcp.out_of_order = discard: ") for refused in plan.refused)


def test_an_audit_is_about_the_printed_tables_and_what_claims_read(study: StudyDefinition) -> None:
    everything = audited(study, FIRST, [])
    assert everything == list(plan_reference(study, FIRST).of_combination)
    (other,) = {(("load", "heavy"), ("policy", "fba"), ("z", "0.5"))}
    assert audited(study, FIRST, [other]) == [*everything, other]
    assert len(audited(study, Selection(tables=("B",)), [other])) == 2


def test_independent_seeds_stay_as_they_are_without_the_alternative(study_folder: Path) -> None:
    text = STUDY.replace('seeds = "common"', 'seeds = "independent"')
    (study_folder / "study.toml").write_text(text)
    plan = planned(load_study(study_folder))
    own = {run.combination: run.scenario.settings["seed"] for run in plan.baseline.runs}
    assert len(set(own.values())) > 1
    for run in found(plan, "tcp.timer_phase")["from-start"].plan.runs:
        assert run.scenario.settings["seed"] == own[run.combination]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"tcp.sack_blocks"', '"tcp.sack_block"', "audit.keep: 'tcp.sack_block' is no knob"),
        ('"tcp.sack_blocks"', '"tcp.sack_block"', "default; did you mean 'tcp.sack_blocks'?"),
        ('"port.policy.z"', '"port.policy.zz"', "the study sets; did you mean 'port.policy.z'?"),
        ("load = 'light'\"", "load = 'none'\"", "where: no factor combination meets load = 'none'"),
        ("load = 'light'\"", "laod = 'light'\"", "no such column: laod; an SQL condition over the"),
    ],
)  # fmt: skip
def test_an_error_in_the_audit_table_is_reported_with_its_place(
    study_folder: Path, old: str, new: str, expected: str
) -> None:
    assert old in AUDIT
    study = with_audit(study_folder, AUDIT.replace(old, new, 1))
    with pytest.raises(LongfatError) as caught:
        check_audit(study)
    assert str(caught.value).startswith(f"{study_folder / 'study.toml'}:")
    assert expected in str(caught.value)


def test_a_reading_that_the_engine_refuses_is_reported_with_its_place(study_folder: Path) -> None:
    study = with_audit(study_folder, AUDIT.replace('"500 ms" }', '"500 m" }', 1))
    with pytest.raises(InvalidInput) as caught:
        check_audit(study)
    assert all(": tcp.timer_granularity: " in problem for problem in caught.value.problems)
    assert caught.value.problems[0].startswith(f"{study_folder / 'study.toml'}:")


def test_an_unknown_knob_is_refused_with_the_known_ones(study: StudyDefinition) -> None:
    with pytest.raises(
        BadInput, match=r"no knob 'tcp.flavour' is varied here; known: .*tcp.timer_phase"
    ):
        plan_audit(study, FIRST, audited(study, FIRST, []), only=["tcp.flavour"])


@pytest.mark.parametrize("name", shipped_studies())
def test_the_audit_tables_of_shipped_studies_are_good(name: str) -> None:
    check_audit(load_study(name))


def test_what_nobody_had_tried_for_guaranteed_rate_is_varied() -> None:
    study = load_study("guaranteed-rate")
    selection = Selection(replications=0, where=("period = '300 ms'",))
    plan = plan_audit(study, selection, audited(study, selection, []))
    varied = {
        (alternative.knob, alternative.name)
        for variation in plan.variations
        for alternative in variation.alternatives
    }
    assert varied >= {
        ("tcp.timer_granularity", "500 ms"),
        ("tcp.retransmission_timeout.minimum_ticks (bsd-integer)", "10"),
        ("port.policy.threshold (epd)", "0.8"),
        ("port.policy.threshold (epd)", "0.9"),
        ("port.policy.threshold (selective-drop)", "0.8"),
        ("VBR period", "of burst and pause together"),
        ("background[0].phase (vbr-on-off)", "50 ms"),
    }
    sat = {("config", "sat"), ("policy", "epd")}
    epd = found(plan, "port.policy.threshold (epd)")["0.8"].alternatives[0].changes
    assert any(sat <= set(combination) for combination in epd)


def test_the_models_declare_what_an_audit_varies() -> None:
    """A knob of a new model is varied without a line of Python."""
    declared = {
        f"{parameter['name']} ({model['name']})": parameter["alternatives"]
        for model in json.loads(_engine.models())
        for parameter in model["parameters"]
        if parameter["alternatives"]
    }
    study = load_study("ubr-plus")
    plan = plan_audit(study, FIRST, audited(study, Selection(tables=("2",)), []))
    for variation in plan.variations:
        (alternative,) = variation.alternatives
        knob = alternative.knob.rpartition(".")[2]
        if "(" in knob:
            assert alternative.name in declared[knob]

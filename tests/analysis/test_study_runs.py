from collections.abc import Callable
from pathlib import Path

import pytest

from longfat import LongfatError
from longfat.analysis.analysis import Settings, analyse
from longfat.analysis.experiment import cross
from longfat.analysis.study_runs import (
    RunsMissing,
    analyse_study,
    settings_of_study,
    study_observations,
    with_aliases,
)
from longfat.results.comparison import Results
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.fraction import fraction_of
from longfat.studies.plan import Plan, Selection, plan_design

STUDY = """\
schema_version = 1
title = "Buffers"

[factors]
"topology.sources" = [2, 3]
"port.buffer" = ["400 cells", "600 cells", "800 cells"]
"port.policy" = { ubr = "tail-drop", epd = "epd" }

[design]
replications = 2
perturb = { start = "uniform(0 ms, 1 ms)" }
"""

HIGH = {"sources": "3", "buffer": "800 cells", "policy": "epd"}


@pytest.fixture
def folder(study_folder: Path) -> Path:
    (study_folder / "study.toml").write_text(STUDY)
    return study_folder


def made_up(plan: Plan, value: Callable[[dict[str, int], int], float]) -> Results:
    """Results as if the runs had ended so: signs of the levels and the replication in."""
    results: dict[object, dict[int, dict[str, float]]] = {}
    for run in plan.runs:
        signs = {name: 1 if level == HIGH[name] else -1 for name, level in run.combination}
        metrics = {"efficiency": value(signs, run.replication)}
        results.setdefault(run.combination, {})[run.replication] = metrics
    return results  # type: ignore[return-value]  # combinations are the keys


def planned(folder: Path, **chosen: object) -> tuple[StudyDefinition, Plan]:
    study = load_study(folder)
    return study, plan_design(study, Selection(**chosen))  # type: ignore[arg-type]


def test_all_factors_that_vary_are_analysed_and_replication_0_is_left_out(folder: Path) -> None:
    _, plan = planned(folder)
    results = made_up(plan, lambda signs, replication: signs["policy"] + 100.0 * (replication == 0))
    found = study_observations(plan, results, None, "efficiency")
    assert list(found.factors) == ["sources", "buffer", "policy"]
    assert found.factors["buffer"] == ["400 cells", "600 cells", "800 cells"]
    assert {row.replication for row in found.rows} == {"1", "2"}
    assert max(row.value for row in found.rows) == 1


def test_a_study_without_replications_is_analysed_by_its_replication_0(folder: Path) -> None:
    _, plan = planned(folder, replications=0)
    results = made_up(plan, lambda signs, _: signs["policy"])
    found = study_observations(plan, results, None, "efficiency")
    assert {row.replication for row in found.rows} == {"0"}
    assert len(found.rows) == 12


def test_a_factor_that_varies_unnoticed_is_refused(folder: Path) -> None:
    _, plan = planned(folder)
    results = made_up(plan, lambda signs, _: signs["policy"])
    with pytest.raises(LongfatError, match="buffer varies .*400 cells.*--where"):
        study_observations(plan, results, ["sources", "policy"], "efficiency")


def test_a_factor_held_at_one_level_need_not_be_named(folder: Path) -> None:
    _, plan = planned(folder, where=("buffer = '400 cells'",))
    results = made_up(plan, lambda signs, _: signs["policy"])
    found = study_observations(plan, results, None, "efficiency")
    assert list(found.factors) == ["sources", "policy"]


def test_runs_without_a_result_are_counted(folder: Path) -> None:
    _, plan = planned(folder)
    results = made_up(plan, lambda signs, _: signs["policy"])
    del dict(results)[plan.runs[1].combination][plan.runs[1].replication]  # type: ignore[attr-defined]
    with pytest.raises(RunsMissing, match="1 of 24 runs have no result"):
        study_observations(plan, results, None, "efficiency")


def test_an_unknown_metric_is_refused_with_the_nearest(folder: Path) -> None:
    _, plan = planned(folder)
    results = made_up(plan, lambda signs, _: signs["policy"])
    with pytest.raises(LongfatError, match="did you mean 'efficiency'"):
        study_observations(plan, results, None, "eficiency")


def test_rows_of_several_tables_are_no_design(study: StudyDefinition) -> None:
    plan = plan_design(study, Selection())
    with pytest.raises(LongfatError, match=r"no level of 'z'.*--table"):
        study_observations(plan, {}, None, "efficiency")


@pytest.mark.parametrize(("seeds", "blocks"), [("common", True), ("independent", False)])
def test_common_seeds_make_blocks(folder: Path, seeds: str, blocks: bool) -> None:
    file = folder / "study.toml"
    file.write_text(STUDY + f'seeds = "{seeds}"\n')
    study = load_study(folder)
    assert settings_of_study(Settings(), study, blocks_as_seeds=True).blocks is blocks
    assert settings_of_study(Settings(blocks=True), study, blocks_as_seeds=False).blocks
    assert not settings_of_study(Settings(blocks=False), study, blocks_as_seeds=False).blocks


def test_the_effect_of_a_generated_factor_is_found_under_its_alias(folder: Path) -> None:
    """policy = sources x buffer: what policy does appears as that interaction, and is named."""
    fraction = 'kind = "fractional"\ngenerators = { policy = ["sources", "buffer"] }\n'
    (folder / "study.toml").write_text(STUDY + fraction)
    study, plan = planned(folder)
    luck = {1: 0.01, 2: -0.01}
    results = made_up(
        plan,
        lambda signs, replication: (
            5 + 3 * signs["policy"] + signs["sources"] + luck.get(replication, 0)
        ),
    )
    found = study_observations(plan, results, None, "efficiency")
    assert list(found.factors) == ["sources", "buffer"]
    assert found.factors["buffer"] == ["400 cells", "800 cells"]
    settings = settings_of_study(Settings(), study, blocks_as_seeds=False)
    whole = fraction_of(plan)
    assert whole is not None
    analysis = with_aliases(
        analyse(cross("efficiency", found.factors, found.rows), settings), whole
    )
    components = {part.name: part for part in analysis.components}
    assert components["sources x buffer"].aliases == ["policy"]
    assert components["buffer"].aliases == ["sources x policy"]
    assert components["error"].aliases == []
    effects = {effect.levels: effect.effect for effect in analysis.interactions}
    assert effects["3", "800 cells"] == pytest.approx(3)
    assert components["buffer"].percent == 0


def test_levels_that_come_to_the_same_scenario_are_no_independent_observations(
    folder: Path,
) -> None:
    twice = STUDY.replace('"600 cells"', '"0400 cells"')
    (folder / "study.toml").write_text(twice)
    _, plan = planned(folder)
    results = made_up(plan, lambda signs, _: signs["policy"])
    message = "with buffer '400 cells' and '0400 cells' the runs are the same"
    with pytest.raises(LongfatError, match=message):
        study_observations(plan, results, None, "efficiency")
    _, plan = planned(folder, where=("buffer != '0400 cells'",))
    assert len(study_observations(plan, results, None, "efficiency").rows) == 16


FOUR = """\
schema_version = 1
title = "Screening"

[factors]
"topology.sources" = [2, 3]
"port.buffer" = ["400 cells", "800 cells"]
"port.policy" = { ubr = "tail-drop", epd = "epd" }
"tcp.mss" = ["512 B", "1024 B"]

[design]
kind = "fractional"
generators = { mss = ["sources", "buffer", "policy"] }
"""


def test_a_part_of_a_fraction_has_the_aliases_of_that_part(folder: Path) -> None:
    """With one number of sources, mss = -(buffer x policy): the interaction is a main effect."""
    (folder / "study.toml").write_text(FOUR)
    _, plan = planned(folder, where=("sources = '2'",))
    signs = {"mss": {"512 B": -1, "1024 B": 1}, "buffer": {"400 cells": -1, "800 cells": 1}}
    for combination in plan.combinations:
        levels = dict(combination)
        policy = HIGH["policy"] == levels["policy"] or -1
        buffer, mss = (signs[name][levels[name]] for name in ("buffer", "mss"))
        assert mss == -buffer * policy
    fraction = fraction_of(plan)
    assert fraction is not None
    assert (list(fraction.factors), fraction.generated) == (["buffer", "policy", "mss"], 1)
    results = made_up_of_levels(plan)
    analysis = analyse_study(plan, results, None, "efficiency", Settings())
    found = {part.name: part.aliases for part in analysis.components}
    assert found["buffer x policy"] == ["-mss"]
    assert found["buffer"] == ["-policy x mss"]


def test_the_whole_of_a_part_that_no_factor_halves_is_no_fraction(folder: Path) -> None:
    (folder / "study.toml").write_text(FOUR)
    whole = fraction_of(planned(folder)[1])
    assert whole is not None
    assert (len(whole.factors), whole.generated) == (4, 1)
    pair = planned(folder, where=("sources = '2' AND buffer = '400 cells' AND policy = 'ubr'",))[1]
    assert fraction_of(pair) is None


@pytest.mark.parametrize("order", [1, 2])
def test_interactions_that_hold_a_generated_factor_are_not_taken_for_error(
    folder: Path, order: int
) -> None:
    (folder / "study.toml").write_text(FOUR)
    _, plan = planned(folder)
    results = made_up_of_levels(plan)
    with pytest.raises(LongfatError, match="is the effect of .*: leave --order away"):
        analyse_study(plan, results, None, "efficiency", Settings(order=order))
    analysis = analyse_study(plan, results, None, "efficiency", Settings())
    found = {part.name: part.aliases for part in analysis.components}
    assert found["sources x buffer x policy"] == ["mss"]


def made_up_of_levels(plan: Plan) -> Results:
    """Results that go by how long the names of the levels are."""
    results: dict[object, dict[int, dict[str, float]]] = {}
    for run in plan.runs:
        length = float(sum(len(level) for _, level in run.combination))
        results.setdefault(run.combination, {})[run.replication] = {"efficiency": length}
    return results  # type: ignore[return-value]  # combinations are the keys

"""`longfat.plot` in a notebook: a wrong source is refused with the expected one."""

from pathlib import Path
from typing import Any

import pytest

import longfat


@pytest.mark.parametrize(
    ("kind", "source", "told"),
    [
        ("three-panel", 5, "the traces of runs (longfat.traced(scenario)) or their folders"),
        ("three-panel", [], "the traces of runs"),
        ("three-panel", [Path("a"), 5], "the traces of runs"),
        ("cwnd", {"components": []}, "the traces of runs"),
        ("efficiency-fairness", "ubr-plus", "a study (longfat.study(name))"),
        ("ledger", None, "a study (longfat.study(name))"),
        ("variation", "a.json", "an analysis (longfat.study(name).analyze(response))"),
    ],
)
def test_a_source_of_another_kind_is_refused(kind: str, source: Any, told: str) -> None:
    with pytest.raises(longfat.LongfatError) as error:
        longfat.plot(kind, source)
    assert str(error.value).startswith(f"{kind} shows {told}")


def test_a_study_is_no_traces(study_folder: Path) -> None:
    with pytest.raises(longfat.LongfatError, match="cwnd shows .* not Study"):
        longfat.plot("cwnd", longfat.study(study_folder))


@pytest.mark.parametrize("kind", ["cwnd", "completion-time", "main-effects", "residuals"])
def test_a_study_says_of_what_else_there_are_plots(study_folder: Path, kind: str) -> None:
    with pytest.raises(longfat.LongfatError, match=f"{kind} shows .*, not a study"):
        longfat.study(study_folder).plot(kind)


@pytest.mark.parametrize("replications", [-1, 1.5, "3"])
def test_replications_are_a_whole_number(study_folder: Path, replications: Any) -> None:
    with pytest.raises(longfat.LongfatError, match="is no whole number from 0 on"):
        longfat.study(study_folder, replications=replications)


@pytest.mark.parametrize("jobs", [-1, 0, 1.5])
def test_jobs_are_counted_from_one_on(study_folder: Path, jobs: Any) -> None:
    with pytest.raises(longfat.InvalidInput, match=f"jobs: {jobs} is no whole number from 1 on"):
        longfat.study(study_folder).run(jobs=jobs)


@pytest.mark.parametrize("confidence", [95, 1.0, 0, -0.9, float("nan")])
def test_a_confidence_is_a_share_between_0_and_1(study_folder: Path, confidence: float) -> None:
    with pytest.raises(longfat.InvalidInput, match=f"confidence: {confidence} is not between 0 "):
        longfat.study(study_folder).analyze("efficiency", confidence=confidence)


@pytest.mark.parametrize("order", [-1, 0])
def test_interactions_are_of_one_factor_at_least(study_folder: Path, order: int) -> None:
    with pytest.raises(longfat.InvalidInput, match=f"order: {order} is no number of factors"):
        longfat.study(study_folder).analyze("efficiency", order=order)


@pytest.mark.parametrize("question", ["runs", "compare"])
def test_a_store_without_a_run_of_the_study_is_warned_of(
    study_folder: Path, tmp_path: Path, question: str
) -> None:
    at_hand = longfat.study(study_folder, store=tmp_path / "none.db")
    with pytest.warns(UserWarning, match=r"none\.db has no such run of .* yet; run\(\) makes them"):
        getattr(at_hand, question)()
    assert not (tmp_path / "none.db").exists()
    at_hand.run()
    assert getattr(at_hand, question)().height > 0

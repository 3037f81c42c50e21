import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat import _engine
from longfat.base.errors import CheckFailed, Interrupted, LongfatError
from longfat.results.stored import load_results
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Progress, Threads
from longfat.running.repeat import check_other_builds
from longfat.store import RunResult, Store
from longfat.studies.cost import CostEstimator
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, Selection, plan_design
from tests.support import change

Report = Callable[[list[tuple[int, str]], float], object]


@pytest.fixture
def plan(study: StudyDefinition) -> Plan:
    return plan_design(study, Selection())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.writable(str(tmp_path / "store.db")) as store:
        yield store


def ignore(_progress: Progress) -> None:
    pass


def fail_runs_of(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine in which the scenarios that contain `words` fail."""
    run_batch = _engine.run_batch

    def batch(resolved: Sequence[str], jobs: int, report: Report, *others: Any) -> None:
        def relay(finished: list[tuple[int, str]], seconds: float) -> None:
            failure = json.dumps({"failure": "a law is broken"})
            report(
                [
                    (index, failure if words in resolved[index] else outcome)
                    for index, outcome in finished
                ],
                seconds,
            )

        run_batch(resolved, jobs, relay, *others)

    monkeypatch.setattr(_engine, "run_batch", batch)


def test_a_campaign_runs_what_is_missing_and_nothing_twice(plan: Plan, store: Store) -> None:
    first = missing_runs(plan, store)
    assert len(first) == len(plan.distinct) == 15
    progress = run_campaign(first, store, Threads(2), ignore)
    assert (progress.finished, progress.failed) == (15, 0)
    assert missing_runs(plan, store) == []


def test_a_part_that_is_stored_is_not_run_again(study: StudyDefinition, store: Store) -> None:
    part = plan_design(study, Selection(tables=("B",)))
    run_campaign(missing_runs(part, store), store, Threads(2), ignore)
    whole = plan_design(study, Selection())
    assert len(missing_runs(whole, store)) == 15 - 6


def test_every_planned_run_finds_its_metrics(plan: Plan, store: Store) -> None:
    run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    results = load_results(plan, store)
    assert all(set(replications) == {0, 1, 2} for replications in results.values())
    same = [
        results[(("load", "light"), ("policy", "fba"))],
        results[(("load", "light"), ("policy", "fba"), ("z", "0.8"))],
    ]
    assert same[0] == same[1]


def test_the_longest_runs_go_first(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CostEstimator, "seconds", lambda _, scenario: scenario.simulated_seconds)
    seconds = [run.scenario.simulated_seconds for run in missing_runs(plan, store)]
    assert seconds == sorted(seconds, reverse=True)
    assert len(set(seconds)) == 2


def test_measured_costs_decide_what_goes_first(plan: Plan, store: Store) -> None:
    light = next(run for run in plan.runs if run.scenario.simulated_seconds < 0.05)
    slow = {light.scenario.hash: 100.0}
    store.mean_wall_seconds = lambda: slow  # type: ignore[method-assign]
    assert missing_runs(plan, store)[0].scenario.hash == light.scenario.hash


def test_progress_ends_with_all_runs_and_all_simulated_seconds(plan: Plan, store: Store) -> None:
    shown: list[tuple[int, float]] = []
    progress = run_campaign(
        missing_runs(plan, store),
        store,
        Threads(1),
        lambda progress: shown.append((progress.finished, progress.simulated_seconds)),
    )
    assert shown == sorted(shown)
    assert shown[-1][0] == progress.runs
    assert shown[-1][1] == pytest.approx(progress.simulated_seconds_total)


def test_a_failed_run_is_kept_and_does_not_stop_the_others(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        fail_runs_of('"replication":1', broken)
        progress = run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    assert (progress.finished, progress.failed) == (15, 5)
    failures = store.failures(list(plan.distinct))
    assert set(failures.values()) == {"a law is broken"}
    assert len(failures) == 5


def test_a_failed_run_is_tried_again(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        fail_runs_of('"replication":1', broken)
        run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    again = missing_runs(plan, store)
    assert len(again) == 5
    run_campaign(again, store, Threads(2), ignore)
    assert store.failures(list(plan.distinct)) == {}
    assert missing_runs(plan, store) == []


def test_a_stopped_campaign_keeps_what_finished_and_goes_on_later(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_batch = _engine.run_batch

    def stopped_after_four(
        resolved: Sequence[str], jobs: int, report: Report, *_others: Any
    ) -> None:
        run_batch(resolved[:4], jobs, report)
        raise Interrupted(2)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(_engine, "run_batch", stopped_after_four)
        with pytest.raises(Interrupted):
            run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    assert len(missing_runs(plan, store)) == 11
    assert store.running(plan.distinct.keys()) == 0


def test_runs_in_progress_are_visible_while_they_last(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    run_batch = _engine.run_batch

    def batch(resolved: Sequence[str], jobs: int, report: Report, *others: Any) -> None:
        seen.append(store.running(plan.distinct.keys()))
        run_batch(resolved, jobs, report, *others)

    monkeypatch.setattr(_engine, "run_batch", batch)
    run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    assert seen == [2]
    assert store.running(plan.distinct.keys()) == 0


def test_a_run_that_comes_out_differently_is_a_loud_error_and_the_stored_one_stays(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = missing_runs(plan, store)[0]
    record = longfat.run(run.scenario)
    now = datetime.now(UTC)

    def batch(_resolved: Sequence[str], _jobs: int, report: Report, *_others: Any) -> None:
        # Another process, which thought this one dead, has run it meanwhile.
        with Store.writable(store.name) as other:
            other.write([RunResult(run.scenario, now, now, record, None)])
        different = {**record, "fingerprint": "other"}
        report([(0, json.dumps({"record": different}))], 0.0)

    monkeypatch.setattr(_engine, "run_batch", batch)
    with pytest.raises(LongfatError, match=r"store.db: run .* came out with other") as caught:
        run_campaign([run], store, Threads(1), ignore)
    assert caught.value.exit_code == 3
    kept = store.metrics({run.scenario.hash})
    assert kept == {run.scenario.series: {run.replication: record["metrics"]}}


def test_starts_and_ends_fill_the_time_of_all_jobs(plan: Plan, store: Store) -> None:
    run_campaign(missing_runs(plan, store), store, Threads(2), ignore)
    means = store.mean_wall_seconds()
    assert means.keys() == {run.scenario.hash for run in plan.runs}
    assert all(seconds >= 0 for seconds in means.values())


def test_two_processes_share_a_study_and_each_sees_it_through(plan: Plan, store: Store) -> None:
    missing = missing_runs(plan, store)
    with Store.writable(store.name) as other:
        other.lease([run.scenario.run_id for run in missing[:3]], 3, frozenset())

        def end_them(progress: Progress) -> None:
            """The other process ends its runs when this one has nothing else left to do."""
            if progress.finished == 12:
                theirs = [run.scenario for run in missing[:3]]
                now = datetime.now(UTC)
                other.write([RunResult(run, now, now, longfat.run(run), None) for run in theirs])

        progress = run_campaign(missing, store, Threads(2), end_them)
    assert (progress.finished, progress.elsewhere) == (12, 3)
    assert missing_runs(plan, store) == []


def test_runs_of_a_process_that_gives_up_are_taken_over(plan: Plan, store: Store) -> None:
    missing = missing_runs(plan, store)
    with Store.writable(store.name) as other:
        other.lease([run.scenario.run_id for run in missing[:3]], 3, frozenset())

        def give_up(progress: Progress) -> None:
            if progress.finished == 12:
                other.release()

        progress = run_campaign(missing, store, Threads(2), give_up)
    assert (progress.finished, progress.elsewhere) == (15, 0)


def test_a_run_that_failed_elsewhere_meanwhile_is_not_tried_again(plan: Plan, store: Store) -> None:
    missing = missing_runs(plan, store)
    now = datetime.now(UTC)
    with Store.writable(store.name) as other:
        held = missing[0].scenario
        other.lease([held.run_id], 1, frozenset())

        def fail(progress: Progress) -> None:
            if progress.finished == 14:
                other.write([RunResult(held, now, now, None, "a law is broken")])

        progress = run_campaign(missing, store, Threads(1), fail)
    assert (progress.finished, progress.elsewhere) == (14, 1)
    assert store.failures([held.run_id]) == {held.run_id: "a law is broken"}


def test_runs_of_another_model_are_no_runs_of_this_one(plan: Plan, store: Store) -> None:
    run_campaign(missing_runs(plan, store)[:3], store, Threads(1), ignore)
    assert store.other_models(plan.hashes) == {}
    # As an engine of another model would have stored them: its number is in the name of a run.
    change(Path(store.name), "DELETE FROM flows")
    change(Path(store.name), "DELETE FROM ports")
    other = "model = 0, engine = 'other', run_id = substr(run_id, 2) || 'x'"
    change(Path(store.name), f"UPDATE runs SET {other}")
    assert len(missing_runs(plan, store)) == 15
    assert store.other_models(plan.hashes) == {"other": 3}
    assert all(not replications for replications in load_results(plan, store).values())


@pytest.mark.parametrize("build", ["'another'", "NULL"])
def test_another_build_of_the_same_model_must_come_out_the_same(
    plan: Plan, store: Store, build: str
) -> None:
    run_campaign(missing_runs(plan, store)[:4], store, Threads(1), ignore)
    assert check_other_builds(plan, store, 1) == 0
    change(Path(store.name), f"UPDATE runs SET build = {build}")
    assert check_other_builds(plan, store, 1) == 1
    change(Path(store.name), "UPDATE runs SET fingerprint = '0000000000000000'")
    with pytest.raises(CheckFailed, match="another build of model"):
        check_other_builds(plan, store, 1)

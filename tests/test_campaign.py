import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from longfat import _engine
from longfat.campaign import missing_runs, run_campaign
from longfat.errors import Interrupted, LongfatError
from longfat.execution import Progress
from longfat.plan import Plan, Selection, plan_design
from longfat.results import load_results
from longfat.store import Store
from longfat.study import Study

Report = Callable[[list[tuple[int, str]], float], object]


@pytest.fixture
def plan(study: Study) -> Plan:
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

    def batch(resolved: Sequence[str], jobs: int, report: Report) -> None:
        def relay(finished: list[tuple[int, str]], seconds: float) -> None:
            failure = json.dumps({"failure": "a law is broken"})
            report(
                [
                    (index, failure if words in resolved[index] else outcome)
                    for index, outcome in finished
                ],
                seconds,
            )

        run_batch(resolved, jobs, relay)

    monkeypatch.setattr(_engine, "run_batch", batch)


def test_a_campaign_runs_what_is_missing_and_nothing_twice(plan: Plan, store: Store) -> None:
    first = missing_runs(plan, store)
    assert len(first) == len(plan.distinct) == 15
    progress = run_campaign(first, store, 2, ignore)
    assert (progress.finished, progress.failed) == (15, 0)
    assert missing_runs(plan, store) == []


def test_a_part_that_is_stored_is_not_run_again(study: Study, store: Store) -> None:
    part = plan_design(study, Selection(tables=("B",)))
    run_campaign(missing_runs(part, store), store, 2, ignore)
    whole = plan_design(study, Selection())
    assert len(missing_runs(whole, store)) == 15 - 6


def test_every_planned_run_finds_its_metrics(plan: Plan, store: Store) -> None:
    run_campaign(missing_runs(plan, store), store, 2, ignore)
    results = load_results(plan, store)
    assert all(set(replications) == {0, 1, 2} for replications in results.values())
    same = [
        results[(("load", "light"), ("policy", "fba"))],
        results[(("load", "light"), ("policy", "fba"), ("z", "0.8"))],
    ]
    assert same[0] == same[1]


def test_the_longest_runs_go_first(plan: Plan, store: Store) -> None:
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
        1,
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
        progress = run_campaign(missing_runs(plan, store), store, 2, ignore)
    assert (progress.finished, progress.failed) == (15, 5)
    failures = store.failures(list(plan.distinct))
    assert set(failures.values()) == {"a law is broken"}
    assert len(failures) == 5


def test_a_failed_run_is_tried_again(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        fail_runs_of('"replication":1', broken)
        run_campaign(missing_runs(plan, store), store, 2, ignore)
    again = missing_runs(plan, store)
    assert len(again) == 5
    run_campaign(again, store, 2, ignore)
    assert store.failures(list(plan.distinct)) == {}
    assert missing_runs(plan, store) == []


def test_a_stopped_campaign_keeps_what_finished_and_goes_on_later(
    plan: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_batch = _engine.run_batch

    def stopped_after_four(resolved: Sequence[str], jobs: int, report: Report) -> None:
        run_batch(resolved[:4], jobs, report)
        raise Interrupted(2)

    with monkeypatch.context() as interrupted:
        interrupted.setattr(_engine, "run_batch", stopped_after_four)
        with pytest.raises(Interrupted):
            run_campaign(missing_runs(plan, store), store, 2, ignore)
    assert len(missing_runs(plan, store)) == 11
    assert store.running() == set()


def test_runs_in_progress_are_visible_while_they_last(plan: Plan, store: Store) -> None:
    seen: list[int] = []
    run_campaign(
        missing_runs(plan, store), store, 2, lambda _progress: seen.append(len(store.running()))
    )
    assert max(seen) <= 2
    assert store.running() == set()


def test_a_run_that_comes_out_differently_is_a_loud_error_and_the_stored_one_stays(
    plan: Plan, store: Store
) -> None:
    runs = missing_runs(plan, store)[:2]
    run_campaign(runs, store, 1, ignore)
    before = store.metrics([run.scenario.run_id for run in runs])

    def batch(_resolved: Sequence[str], _jobs: int, report: Report) -> None:
        report([(0, json.dumps({"record": {"fingerprint": "other", "metrics": {}}}))], 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engine, "run_batch", batch)
        with pytest.raises(LongfatError, match=r"store.db: run .* came out with other") as caught:
            run_campaign(runs[:1], store, 1, ignore)
    assert caught.value.exit_code == 3
    assert store.metrics([run.scenario.run_id for run in runs]) == before


def test_starts_and_ends_fill_the_time_of_all_jobs(plan: Plan, store: Store) -> None:
    run_campaign(missing_runs(plan, store), store, 2, ignore)
    means = store.mean_wall_seconds()
    assert means.keys() == {run.scenario.hash for run in plan.runs}
    assert all(seconds >= 0 for seconds in means.values())

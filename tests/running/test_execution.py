import json
import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from longfat import _engine, load_scenario
from longfat.base.errors import Interrupted
from longfat.running.execution import Outcome, execute, usable_cores
from longfat.scenarios.scenario import Scenario


def variants(scenario: Scenario, count: int) -> list[str]:
    return [
        load_scenario(scenario.settings, {"replication": number}).resolved
        for number in range(count)
    ]


def outcomes_of(resolved: Sequence[str], jobs: int) -> list[Outcome]:
    outcomes: list[Outcome] = []
    execute(resolved, jobs, lambda finished, _seconds: outcomes.extend(finished))
    return sorted(outcomes, key=lambda outcome: outcome.index)


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_run_comes_back_once_with_its_index(scenario_file: Path, jobs: int) -> None:
    outcomes = outcomes_of(variants(load_scenario(scenario_file), 5), jobs)
    assert [outcome.index for outcome in outcomes] == [0, 1, 2, 3, 4]
    assert [outcome.record and outcome.record["replication"] for outcome in outcomes] == [
        0,
        1,
        2,
        3,
        4,
    ]


def test_cores_that_this_process_may_not_use_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {3})
    assert usable_cores() == 1


def test_results_do_not_depend_on_jobs_or_order(scenario_file: Path) -> None:
    resolved = variants(load_scenario(scenario_file), 4)
    once = [outcome.record for outcome in outcomes_of(resolved, 1)]
    assert [outcome.record for outcome in outcomes_of(resolved, 2)] == once
    assert [outcome.record for outcome in outcomes_of(resolved[::-1], 2)] == once[::-1]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_after_the_report_that_it_falls_into(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    def batch(
        _resolved: Sequence[str],
        _jobs: int,
        report: Callable[[list[tuple[int, str]], float], object],
        *_others: object,
    ) -> None:
        for index in range(3):
            report([(index, json.dumps({"failure": "none"}))], 0.0)

    seen: list[int] = []

    def keep(finished: list[Outcome], _seconds: float) -> None:
        if len(seen) == 1:
            os.kill(os.getpid(), number)
        seen.extend(outcome.index for outcome in finished)

    monkeypatch.setattr(_engine, "run_batch", batch)
    handler = signal.getsignal(number)
    with pytest.raises(Interrupted) as caught:
        execute([""] * 3, 1, keep)
    assert seen == [0, 1]
    assert caught.value.exit_code == 128 + number
    assert signal.getsignal(number) is handler


def test_a_signal_after_the_last_report_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def batch(
        _resolved: Sequence[str],
        _jobs: int,
        report: Callable[[list[tuple[int, str]], float], object],
        *_others: object,
    ) -> None:
        report([(0, json.dumps({"failure": "none"}))], 0.0)
        os.kill(os.getpid(), signal.SIGINT)

    seen: list[Outcome] = []
    monkeypatch.setattr(_engine, "run_batch", batch)
    with pytest.raises(Interrupted):
        execute([""], 1, lambda finished, _seconds: seen.extend(finished))
    assert len(seen) == 1

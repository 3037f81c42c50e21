"""A run that fails: the others are stored, the exit code is 1. No known input makes a run fail."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from longfat import _engine
from longfat.cli.program import main

Report = Callable[[list[tuple[int, str]], float], object]


@pytest.fixture
def broken_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every run fail whose connections do not start together."""
    run_batch = _engine.run_batch

    def batch(resolved: Sequence[str], jobs: int, report: Report, *others: Any) -> None:
        def relay(finished: list[tuple[int, str]], seconds: float) -> None:
            failure = json.dumps({"failure": "a cell is lost"})
            told = [
                (index, failure if "uniform" in resolved[index] else outcome)
                for index, outcome in finished
            ]
            report(told, seconds)

        run_batch(resolved, jobs, relay, *others)

    monkeypatch.setattr(_engine, "run_batch", batch)


@pytest.mark.usefixtures("broken_engine")
def test_failed_runs_are_reported_and_the_others_stored(study_folder: Path, tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    runner = CliRunner()
    arguments = ["study", "run", str(study_folder), "--store", store, "--json"]
    result = runner.invoke(main, arguments)
    assert result.exit_code == 1
    assert json.loads(result.stdout).items() >= {"finished": 5, "failed": 10}.items()
    assert "10 failed: a cell is lost" in result.stderr

    status = runner.invoke(main, ["study", "status", str(study_folder), "--store", store])
    assert status.exit_code == 0
    assert "5 done, 0 running, 10 failed, 0 missing" in status.stdout


@pytest.mark.usefixtures("broken_engine")
def test_an_audit_reports_failures_after_the_results_of_the_other_runs(
    study_folder: Path, tmp_path: Path
) -> None:
    arguments = ["study", "audit", str(study_folder), "--knob", "tcp.initial_window"]
    result = CliRunner().invoke(main, [*arguments, "--store", str(tmp_path / "store.db")])
    assert result.exit_code == 1
    assert "10 MSS" in result.stdout
    assert "30 of 45 runs have no result (-)\n30 failed: a cell is lost" in result.stderr


@pytest.mark.usefixtures("broken_engine")
def test_a_failed_single_run_is_one_message(scenario_file: Path) -> None:
    scenario_file.write_text(scenario_file.read_text() + 'start = "uniform(0 ms, 1 ms)"\n')
    result = CliRunner().invoke(main, ["run", str(scenario_file)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "a cell is lost\n"

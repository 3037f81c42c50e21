import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from longfat import load_scenario, run
from longfat.base.errors import CheckFailed, LongfatError
from longfat.scenarios.scenario import Scenario
from longfat.store import SILENCE, RunResult, Store

WWW = """\
schema_version = 1
duration = "12 s"
topology = { kind = "n-source", sources = 2, access.delay = "5 us", bottleneck.delay = "5 ms" }
port.buffer = "1062 cells"
traffic = "www"
"""

STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def scenario(scenario_file: Path) -> Scenario:
    return load_scenario(scenario_file)


@pytest.fixture
def done(scenario: Scenario) -> RunResult:
    return RunResult(scenario, STARTED, STARTED + timedelta(seconds=1.5), run(scenario), None)


@pytest.fixture
def failed(scenario: Scenario) -> RunResult:
    return RunResult(scenario, STARTED, STARTED + timedelta(seconds=1), None, "a law is broken")


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    with Store.writable(location) as store:
        yield store


def rows(location: str, query: str) -> list[dict[str, Any]]:
    """Results of plain SQL, without the store."""
    url = location.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url if "://" in url else f"sqlite:///{url}")
    try:
        with engine.connect() as connection:
            return [dict(row) for row in connection.execute(text(query)).mappings()]
    finally:
        engine.dispose()


def decoded(column: Any) -> Any:
    """A JSON column: PostgreSQL's driver has decoded it."""
    return json.loads(column) if isinstance(column, str) else column


def test_a_finished_run_is_kept_with_its_provenance(
    store: Store, location: str, done: RunResult
) -> None:
    store.write([done])
    assert done.record is not None
    (kept,) = rows(location, "SELECT * FROM runs")
    assert kept["run_id"] == done.record["run_id"]
    assert kept["scenario_hash"] == done.record["scenario_hash"]
    assert kept["scenario"] == done.scenario.resolved
    assert (kept["seed"], kept["replication"]) == (1, 0)
    assert kept["engine"] == done.record["engine"]
    assert kept["fingerprint"] == done.record["fingerprint"]
    assert kept["events"] == done.record["work"]["events"]
    assert kept["started_at"] == "2026-01-02T03:04:05.000+00:00"
    assert kept["ended_at"] == "2026-01-02T03:04:06.500+00:00"
    assert kept["wall_seconds"] == 1.5
    assert (kept["status"], kept["failure"]) == ("done", None)


def test_metrics_flows_and_ports_come_back_as_they_were(
    store: Store, location: str, done: RunResult
) -> None:
    store.write([done])
    assert done.record is not None
    scenario = done.scenario
    assert store.metrics({scenario.hash}) == {scenario.series: {0: done.record["metrics"]}}
    few = {name: done.record["metrics"][name] for name in ("efficiency", "fairness")}
    assert store.metrics({scenario.hash}, [*few, "unknown"]) == {scenario.series: {0: few}}
    assert store.metrics({"another"}) == {}
    for part, kind in (("flows", "flavor"), ("ports", "policy")):
        kept = rows(location, f"SELECT * FROM {part} ORDER BY position")
        assert [
            {"name": row["name"], kind: row[kind], **decoded(row["measures"])} for row in kept
        ] == done.record[part]


def test_a_metric_that_one_replication_does_not_have_is_left_out_of_that_one_only(
    store: Store, done: RunResult
) -> None:
    assert done.record is not None
    (other,) = done.scenario.replicated([1])
    without = {name: value for name, value in done.record["metrics"].items() if name != "fairness"}
    store.write([done, replace(done, scenario=other, record={**done.record, "metrics": without})])
    efficiency, fairness = (done.record["metrics"][name] for name in ("efficiency", "fairness"))
    series = done.scenario.series
    hashes = {done.scenario.hash}
    both = {"efficiency": efficiency, "fairness": fairness}
    assert store.metrics(hashes, list(both)) == {series: {0: both, 1: {"efficiency": efficiency}}}
    assert store.metrics(hashes, ["fairness"]) == {series: {0: {"fairness": fairness}, 1: {}}}


def test_completion_times_come_back_as_they_were(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "www.toml"
    file.write_text(WWW)
    asking = load_scenario(file)
    record = run(asking)
    store.write([RunResult(asking, STARTED, STARTED, record, None)])
    names = ["class 0", "class 1", "class 2", "class 3", "class 4", "page"]
    kept = store.completions([asking.run_id])[asking.run_id]
    assert [{"name": name, **kept[name]} for name in names] == record["completions"]


def test_completion_times_can_be_asked_for_by_scenario(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "www.toml"
    file.write_text(WWW)
    (asking,) = load_scenario(file).replicated([3])
    store.write([RunResult(asking, STARTED, STARTED, run(asking), None)])
    kept = store.completions([asking.run_id])[asking.run_id]
    assert store.completions_of({asking.hash}) == {asking.series: {3: kept}}
    assert store.completions_of({"another"}) == {}


def test_runs_without_requests_have_no_completions(store: Store, done: RunResult) -> None:
    store.write([done])
    assert store.completions([done.scenario.run_id]) == {}
    assert store.completions_of({done.scenario.hash}) == {}


def test_plain_sql_reaches_into_the_metrics(store: Store, location: str, done: RunResult) -> None:
    store.write([done])
    (row,) = rows(location, "SELECT metrics ->> 'efficiency' AS efficiency FROM runs")
    assert done.record is not None
    assert float(row["efficiency"]) == done.record["metrics"]["efficiency"]


def test_a_failed_run_is_kept_with_its_message(store: Store, failed: RunResult) -> None:
    store.write([failed])
    scenario = failed.scenario
    assert store.statuses({scenario.hash}) == {scenario.series: {0: "failed"}}
    assert store.failures([scenario.run_id]) == {scenario.run_id: "a law is broken"}
    assert store.metrics({scenario.hash}) == {}
    assert store.mean_wall_seconds() == {}


def test_a_later_success_replaces_a_failure(
    store: Store, failed: RunResult, done: RunResult
) -> None:
    store.write([failed])
    store.write([done])
    assert store.statuses({done.scenario.hash}) == {done.scenario.series: {0: "done"}}
    assert store.failures([done.scenario.run_id]) == {}


def test_the_same_run_again_changes_nothing(store: Store, location: str, done: RunResult) -> None:
    store.write([done])
    before = rows(location, "SELECT * FROM runs, flows")
    store.write([done])
    assert rows(location, "SELECT * FROM runs, flows") == before


@pytest.mark.parametrize("again", ["other fingerprint", "failure"])
def test_a_contradiction_is_loud_and_everything_else_is_kept(
    store: Store, location: str, scenario: Scenario, done: RunResult, failed: RunResult, again: str
) -> None:
    store.write([done])
    assert done.record is not None
    contradiction = failed
    if again == "other fingerprint":
        record = {**done.record, "fingerprint": "0" * 16}
        contradiction = RunResult(scenario, STARTED, STARTED, record, None)
    other = load_scenario(scenario.settings, {"seed": 2})
    fine = RunResult(other, STARTED, STARTED, run(other), None)
    with pytest.raises(CheckFailed, match=r"store.*: run .* is stored with fingerprint"):
        store.write([contradiction, fine])
    assert scenario.hash == other.hash, "seeds and replications are no part of it"
    assert store.statuses({scenario.hash}) == {
        scenario.series: {0: "done"},
        other.series: {0: "done"},
    }
    assert rows(location, f"SELECT fingerprint FROM runs WHERE run_id = '{scenario.run_id}'") == [
        {"fingerprint": done.record["fingerprint"]}
    ]


def test_runs_that_a_process_has_leased_are_known_while_it_speaks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.work(2)
    assert store.lease(["a", "b", "c"], 3, frozenset()).mine == ["a", "b", "c"]
    assert store.running({"a", "b", "c"}) == 2, "one waits for a thread"
    assert store.running({"c", "d"}) == 1
    monkeypatch.setattr("longfat.store.SILENCE", -SILENCE)
    assert store.running({"a"}) == 0
    monkeypatch.undo()
    store.release()
    assert store.running({"a"}) == 0


def test_thousands_of_scenarios_can_be_asked_for_at_once(store: Store, done: RunResult) -> None:
    store.write([done])
    many = {f"{number:064}" for number in range(2500)}
    known = {done.scenario.series: {0: "done"}}
    assert store.statuses({*many, done.scenario.hash}) == known


def test_a_reader_sees_what_a_writer_has_written_before(
    store: Store, location: str, done: RunResult
) -> None:
    store.write([done])
    with Store.readable(location) as reader:
        assert reader.health() == {"done": 1, "failed": 0, "check": "ok"}


def test_a_reader_cannot_write(store: Store, location: str, done: RunResult) -> None:
    assert store.statuses({done.scenario.hash}) == {}
    with (
        Store.readable(location) as reader,
        pytest.raises(LongfatError, match="readonly database|read-only transaction"),
    ):
        reader.write([done])
    assert store.statuses({done.scenario.hash}) == {}

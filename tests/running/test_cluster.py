"""Studies on a Dask cluster: worker processes of this machine stand for others."""

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import dask
import distributed
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

from longfat.base.errors import LongfatError
from longfat.results.stored import load_results
from longfat.running import cluster
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.cluster import Cluster, cluster_at, run_portion
from longfat.running.execution import NO_LIMITS, Executor, Progress, Threads
from longfat.store import Store
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, Selection, plan_design
from tests.support import Longfat
from tests.waiting import PATIENCE_SECONDS


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """Schedulers and workers may take their time to answer each other."""
    patience = f"{PATIENCE_SECONDS:g}s"
    with dask.config.set(
        {
            "distributed.comm.timeouts.connect": patience,
            "distributed.comm.timeouts.tcp": patience,
            "distributed.scheduler.worker-ttl": patience,
        }
    ):
        yield


@pytest.fixture
def plan(study: StudyDefinition) -> Plan:
    return plan_design(study, Selection())


@pytest.fixture(scope="module")
def two_workers() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers:
        yield workers


@pytest.fixture
def client(two_workers: LocalCluster) -> Iterator[Client]:
    with Client(two_workers) as client:
        yield client


def ignore(_progress: Progress) -> None:
    pass


def campaign(plan: Plan, path: Path, executor: Executor) -> Progress:
    with Store.writable(str(path)) as store:
        return run_campaign(missing_runs(plan, store), store, executor, ignore)


def results(plan: Plan, path: Path) -> Any:
    with Store.readable(str(path)) as store:
        return load_results(plan, store)


def test_a_cluster_leaves_the_results_that_threads_leave(
    plan: Plan, client: Client, tmp_path: Path
) -> None:
    executor = Cluster(client, "two workers")
    assert executor.cores == 2
    progress = campaign(plan, tmp_path / "cluster.db", executor)
    campaign(plan, tmp_path / "threads.db", Threads(2))
    assert (progress.finished, progress.failed) == (len(plan.distinct), 0)
    seconds = sum(run.scenario.simulated_seconds for run in plan.distinct.values())
    assert progress.simulated_seconds == pytest.approx(seconds)
    assert results(plan, tmp_path / "cluster.db") == results(plan, tmp_path / "threads.db")


def test_a_worker_that_is_killed_costs_time_only(
    plan: Plan, client: Client, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill_one(progress: Progress) -> None:
        if progress.finished and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    with Store.writable(str(tmp_path / "store.db")) as store:
        executor = Cluster(client, "two workers")
        progress = run_campaign(missing_runs(plan, store), store, executor, kill_one)
        assert missing_runs(plan, store) == []
    assert killed
    assert (progress.finished, progress.failed) == (len(plan.distinct), 0)


class Deadly(WorkerPlugin):
    """Makes workers die of runs with all of some words in their scenario."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self.words = words

    def setup(self, worker: object) -> None:
        del worker
        module: Any = importlib.import_module("longfat.running.cluster")
        execute = module.execute

        def deadly(resolved: list[str], *others: Any, **named: Any) -> None:
            if any(all(word in scenario for word in self.words) for scenario in resolved):
                os._exit(1)
            execute(resolved, *others, **named)

        module.execute = deadly


def test_a_run_that_kills_its_workers_fails_and_the_others_are_kept(
    plan: Plan, tmp_path: Path
) -> None:
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    words = ('"z":0.5', '"replication":1')
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers) as client,
    ):
        client.register_plugin(Deadly(words))
        progress = campaign(plan, tmp_path / "store.db", Cluster(client, "a worker"))
        # Dask cannot close a worker that it is just starting anew.
        client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
    scenarios = [run.scenario for run in plan.distinct.values()]
    (deadly,) = (
        scenario for scenario in scenarios if all(word in scenario.resolved for word in words)
    )
    # With it at the worker was another run, which died with it as often.
    assert (progress.failed, progress.finished) == (1, len(plan.distinct))
    with Store.readable(str(tmp_path / "store.db")) as store:
        failures = store.failures([deadly.run_id])
    assert set(failures.values()) == {"every worker that tried the run died"}


def test_when_the_scheduler_is_lost_what_has_ended_is_stored(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    workers = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")

    def lose_it(progress: Progress) -> None:
        if progress.finished:
            # How long Dask looks for the scheduler before it gives up, and we hear of it.
            monkeypatch.setattr(client, "_timeout", 1)
            workers.close()

    with (
        Client(workers.scheduler_address) as client,
        Store.writable(str(path)) as store,
        pytest.raises(LongfatError, match="the scheduler is lost"),
    ):
        run_campaign(missing_runs(plan, store), store, Cluster(client, "here"), lose_it)
    with Store.writable(str(path)) as store:
        left = missing_runs(plan, store)
        assert 0 < len(left) < len(plan.distinct)
        run_campaign(left, store, Threads(2), ignore)
        assert missing_runs(plan, store) == []


def test_a_worker_with_another_engine_is_refused() -> None:
    with pytest.raises(LongfatError, match=r"a worker has engine .*, and this is 0\.0\.0"):
        run_portion([], NO_LIMITS, "0.0.0")


def test_the_command_line_starts_a_cluster_and_ends_it(
    longfat: Longfat, study_folder: Path
) -> None:
    done = longfat("study", "run", study_folder, "--quick", "--cluster", "local:1", "--json")
    assert json.loads(done.stdout)["failed"] == 0, done.stderr
    again = longfat("study", "run", study_folder, "--quick", "--json")
    assert json.loads(again.stdout)["finished"] == 0


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nowhere", "expected local[:WORKERS], ssh:HOST[,HOST...], slurm[:JOBS]"),
        ("local:0", "expected a positive number after the colon"),
        ("ssh:", "expected local[:WORKERS]"),
        ("scheduler.json", "there is no such file"),
        ("tcp://127.0.0.1:1", "no scheduler answers there"),
    ],
)
def test_a_bad_address_is_one_message(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_SECONDS", 0.5)
    with pytest.raises(LongfatError) as caught, cluster_at(address):
        pass
    assert str(caught.value).startswith(f"--cluster {address}: ")
    assert message in str(caught.value)


def test_a_queue_without_settings_says_whose_settings_are_missing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dask-jobqueue leaves half an object to be collected
        with pytest.raises(LongfatError, match="Dask's settings for slurm"), cluster_at("slurm:2"):
            pass
        gc.collect()


def test_machines_that_cannot_be_reached_are_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(_hosts: list[str]) -> Any:
        raise RuntimeError("Cluster failed to start: no such host")

    monkeypatch.setattr(distributed, "SSHCluster", unreachable)
    with (
        pytest.raises(LongfatError, match="^--cluster ssh:far: .*no such host"),
        cluster_at("ssh:far"),
    ):
        pass


def test_without_dask_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(LongfatError, match=r"pip install 'longfat\[cluster\]'"),
        cluster_at("local:2"),
    ):
        pass


def test_threads_and_a_cluster_exclude_each_other(longfat: Longfat, study_folder: Path) -> None:
    done = longfat("study", "run", study_folder, "--jobs", "2", "--cluster", "local:2")
    assert done.returncode == 2
    assert "--jobs counts threads of this process" in done.stderr


def test_a_study_on_threads_imports_no_dask(study_folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from longfat.cli.program import main\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not {'dask', 'distributed'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", code, "study", "run", str(study_folder), "--quick"]
    subprocess.run([*command, "--store", str(tmp_path / "s.db")], check=True)

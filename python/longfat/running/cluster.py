"""Execution of runs on a Dask cluster instead of this process's threads.

Portions of runs go to the workers, and their outcomes return to the one process that writes the
store: workers need only longfat, no store and no shared disk. Workers can be lost at any time
without losing a stored run.
"""

import importlib
import math
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat import _engine
from longfat.base.errors import Interrupted, LongfatError
from longfat.base.extras import need
from longfat.base.stopping import requested_stop
from longfat.running.execution import EngineLimits, More, Outcome, Report, execute

if TYPE_CHECKING:
    from distributed import Client, Future

PORTION_SECONDS = 5.0
"""Target duration of a task in seconds: long compared with Dask's overhead of milliseconds, and
short compared with the work that may be lost with a worker."""

PORTIONS_PER_CORE = 2
"""Portions per core: one in progress and one queued at the worker, so that the core never idles."""

REPORT_EVERY_SECONDS = 0.2
"""Interval at which outcomes are collected, leases renewed and stop signals checked, in seconds."""

PATIENCE_SECONDS = 60.0
"""Timeout of the scheduler's answer in seconds."""

QUEUES = {
    "slurm": "SLURMCluster",
    "pbs": "PBSCluster",
    "sge": "SGECluster",
    "lsf": "LSFCluster",
    "htcondor": "HTCondorCluster",
    "oar": "OARCluster",
}
"""Batch systems, each with its cluster class in dask-jobqueue."""

FORMS = (
    "local[:WORKERS], ssh:HOST[,HOST...], "
    + ", ".join(f"{name}[:JOBS]" for name in QUEUES)
    + ", the tcp:// or tls:// address of a scheduler, or its scheduler file (*.json)"
)
"""Valid forms of an address, for messages."""


@contextmanager
def cluster_at(address: str) -> Iterator["Cluster"]:
    """Connect to the cluster at an address, which may also start a cluster for the block.

    Raises `LongfatError` if Dask is not installed, for an address of no known form, for workers
    that do not start, and for a scheduler that does not answer.
    """
    client_class = _import("distributed").Client
    with _quiet(), _started(address) as target:
        try:
            client = client_class(timeout=PATIENCE_SECONDS, **target)
        except (OSError, TimeoutError, ValueError) as error:
            raise LongfatError(
                f"--cluster {address}: no scheduler answers there: {error}"
            ) from None
        with client:
            yield Cluster(client, address)


class Cluster:
    """Workers of a Dask cluster as an executor; `cores` is the total of all workers."""

    ahead_seconds = PORTIONS_PER_CORE * PORTION_SECONDS

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address
        self.cores = self._count_cores()

    def execute(
        self, resolved: Sequence[str], report: Report, more: More, limits: EngineLimits
    ) -> None:
        """Run a batch on the workers, roughly in the given order.

        Raises `Interrupted` after a stop signal, and `LongfatError` if the scheduler is lost or a
        worker has another version of longfat; all outcomes received before have been reported.
        """
        batch = _Batch(self._client, limits)
        batch.add(resolved)
        with requested_stop() as requested:
            try:
                while batch.is_open:
                    if requested:
                        raise Interrupted(requested[0])
                    self.cores = self._count_cores()
                    batch.submit(self.cores)
                    report(batch.collect(), batch.simulated_seconds)
                    if batch.in_progress < PORTIONS_PER_CORE * self.cores:
                        batch.add(more(batch.in_progress))
            except _lost_scheduler() as error:
                raise LongfatError(
                    f"--cluster {self._address}: the scheduler is lost: {error}"
                ) from None
            finally:
                batch.cancel()

    def _count_cores(self) -> int:
        """Return the number of threads of all workers, at least 1, since workers may still join.

        A client that has lost its scheduler reports no workers.
        """
        workers = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        threads: int = sum(worker["nthreads"] for worker in workers)
        return max(1, threads)


class _Batch:
    """The runs at the cluster, in portions that take about `PORTION_SECONDS`."""

    def __init__(self, client: "Client", limits: EngineLimits) -> None:
        self.simulated_seconds = 0.0
        self._client = client
        self._limits = limits
        self._resolved: list[str] = []
        self._waiting: deque[int] = deque()
        self._portions: dict[Future[Any], list[int]] = {}
        # Suspects: runs whose worker died, perhaps because of another run there.
        self._suspects: deque[int] = deque()
        self._on_trial = False
        self._seconds_per_run: float | None = None

    @property
    def is_open(self) -> bool:
        """True if a run waits or is in progress."""
        return bool(self._waiting or self._portions or self._suspects)

    @property
    def in_progress(self) -> int:
        """Number of portions at the workers."""
        return len(self._portions)

    def add(self, resolved: Sequence[str]) -> None:
        """Append runs to the queue."""
        self._waiting.extend(range(len(self._resolved), len(self._resolved) + len(resolved)))
        self._resolved += resolved

    def submit(self, cores: int) -> None:
        """Submit portions until every core has one in progress and one queued.

        A suspect runs alone: if its worker dies again, it is the cause.
        """
        if self._on_trial:
            return
        if self._suspects:
            if not self._portions:
                self._on_trial = True
                self._hand_out([self._suspects.popleft()])
            return
        while self._waiting and self.in_progress < PORTIONS_PER_CORE * cores:
            size = self._portion(cores)
            self._hand_out([self._waiting.popleft() for _ in range(size)])

    def collect(self) -> list[Outcome]:
        """Return the outcomes received within `REPORT_EVERY_SECONDS`."""
        wait = _import("distributed").wait
        try:
            done = wait(
                list(self._portions), timeout=REPORT_EVERY_SECONDS, return_when="FIRST_COMPLETED"
            ).done
        except TimeoutError:
            return []
        return [outcome for future in done for outcome in self._outcomes(future)]

    def cancel(self) -> None:
        """Cancel the portions at the workers."""
        if self._portions and self._client.status == "running":
            self._client.cancel(list(self._portions))
        self._portions.clear()

    def _portion(self, cores: int) -> int:
        """Return how many runs to submit: a portion's worth, or a fair share of the last ones."""
        if self._seconds_per_run is None:
            return 1
        fair_share = math.ceil(len(self._waiting) / (PORTIONS_PER_CORE * cores))
        return max(1, min(fair_share, int(PORTION_SECONDS / max(self._seconds_per_run, 1e-6))))

    def _hand_out(self, indices: list[int]) -> None:
        resolved = [self._resolved[index] for index in indices]
        # Not pure: Dask must not merge two tasks with equal scenarios.
        future = self._client.submit(
            run_portion, resolved, self._limits, _engine.ENGINE_VERSION, pure=False
        )
        self._portions[future] = indices

    def _outcomes(self, future: "Future[Any]") -> list[Outcome]:
        indices = self._portions.pop(future)
        was_on_trial, self._on_trial = self._on_trial, False
        killed_worker = _import("distributed").KilledWorker
        try:
            outcomes, simulated_seconds = future.result()
        except killed_worker:
            return self._after_deaths(indices, was_on_trial)
        except ModuleNotFoundError as error:
            raise LongfatError(f"a worker cannot import longfat: {error}") from None
        self.simulated_seconds += simulated_seconds
        taken = [(outcome.ended - outcome.started).total_seconds() for outcome in outcomes]
        self._seconds_per_run = sum(taken) / len(taken)
        return [
            Outcome(indices[out.index], out.record, out.failure, out.started, out.ended)
            for out in outcomes
        ]

    def _after_deaths(self, indices: list[int], was_on_trial: bool) -> list[Outcome]:
        """Isolate the run that kills workers, after several died with this portion, and fail it."""
        if was_on_trial:
            now = datetime.now(UTC)
            return [Outcome(indices[0], None, "every worker that tried the run died", now, now)]
        if len(indices) > 1:
            for index in indices:
                self._hand_out([index])
        else:
            self._suspects += indices
        return []


def run_portion(
    resolved: list[str], limits: EngineLimits, engine_version: str
) -> tuple[list[Outcome], float]:
    """Run a portion at a worker; returns the outcomes and the total of simulated seconds.

    Uses one thread: Dask gives a worker as many portions at a time as it has threads, and the
    engine releases the interpreter lock. Raises `LongfatError` if the worker's engine is of another
    version.
    """
    if engine_version != _engine.ENGINE_VERSION:
        raise LongfatError(
            f"a worker has engine {_engine.ENGINE_VERSION}, and this is {engine_version}; "
            "install the same longfat on all machines"
        )
    outcomes: list[Outcome] = []
    simulated = [0.0]

    def collect(finished: list[Outcome], simulated_seconds: float) -> None:
        outcomes.extend(finished)
        simulated[0] = simulated_seconds

    execute(resolved, 1, collect, limits=limits)
    return outcomes, simulated[0]


@contextmanager
def _started(address: str) -> Iterator[dict[str, Any]]:
    """Yield the arguments with which a client connects; stops a cluster that it has started."""
    kind, _, rest = address.partition(":")
    if address.startswith(("tcp://", "tls://")):
        yield {"address": address}
    elif address.endswith(".json"):
        if not Path(address).is_file():
            raise LongfatError(f"--cluster {address}: there is no such file")
        yield {"scheduler_file": address}
    elif kind == "local":
        workers = _count(address, rest) if rest else None
        with _import("distributed").LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster:
            yield {"address": cluster}
    elif kind == "ssh" and rest:
        hosts = ["localhost", *rest.split(",")]
        ssh_cluster = _import("distributed").SSHCluster
        try:
            cluster = ssh_cluster(hosts)
        except (OSError, RuntimeError) as error:  # also where asyncssh is missing
            raise LongfatError(f"--cluster {address}: {error}") from None
        with cluster:
            yield {"address": cluster}
    elif kind in QUEUES:
        queue = getattr(_import("dask_jobqueue"), QUEUES[kind])
        try:
            cluster = queue()
        except ValueError as error:
            raise LongfatError(
                f"--cluster {address}: Dask's settings for {kind}: {error}"
            ) from None
        with cluster:
            cluster.scale(jobs=_count(address, rest) if rest else 1)
            yield {"address": cluster}
    else:
        raise LongfatError(f"--cluster {address}: expected {FORMS}")


def _count(address: str, text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise LongfatError(f"--cluster {address}: expected a positive number after the colon")


def _import(module: str) -> Any:
    """Import a module of the extra `cluster`, only on demand."""
    need("cluster", "--cluster", module)
    return importlib.import_module(module)


def _lost_scheduler() -> tuple[type[BaseException], ...]:
    distributed = _import("distributed")
    return (distributed.CancelledError, distributed.comm.CommClosedError)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log messages about workers that join and leave."""
    import logging

    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)

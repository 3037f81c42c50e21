"""A campaign: simulate the planned runs that the store does not have, and store them."""

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from longfat.base.errors import Interrupted, LongfatError
from longfat.base.stopping import requested_stop
from longfat.running.execution import Executor, Outcome, Progress
from longfat.running.limits import Limits
from longfat.store import RunResult, Store
from longfat.store.schema import DONE
from longfat.studies.cost import CostEstimator
from longfat.studies.plan import Plan, PlannedRun, Series

SPEAK_EVERY_SECONDS = 1.0
"""Interval between heartbeats of this process in the store, in seconds."""

POLL_SECONDS = 1.0
"""Interval between queries for runs that other processes have leased, in seconds."""

LARGEST_PORTION = 1000
"""Most runs that are leased at a time."""


def missing_runs(plan: Plan, store: Store) -> list[PlannedRun]:
    """Return the distinct planned runs that are not done, longest first.

    A long run that starts last would keep one core busy while the others idle.
    """
    missing = missing_series(plan, store)
    if not missing:
        return []
    costs = CostEstimator(store.mean_wall_seconds())
    missing.sort(key=lambda series: costs.seconds(series.first), reverse=True)
    return [run for series in missing for run in series.runs]


def missing_series(plan: Plan, store: Store) -> list[Series]:
    """Return the distinct planned runs that are not done, as series.

    A failed run counts as missing: its cause may have been fixed.
    """
    done = {
        series: {number for number, status in statuses.items() if status == DONE}
        for series, statuses in store.statuses(plan.hashes).items()
    }
    return plan.left(done)


def run_campaign(
    missing: Sequence[PlannedRun],
    store: Store,
    executor: Executor,
    show: Callable[[Progress], None],
    limits: Limits | None = None,
) -> Progress:
    """Simulate the missing runs and store each shortly after it ends.

    Several processes may do this at once with one store: they share the runs, and each waits until
    all are done. `show` is called about ten times a second. A failed run is stored as failed and
    does not stop the others; one that exceeds a limit fails (`limits` default to the machine's).
    Raises `Interrupted` after a stop signal, and `LongfatError` if the store cannot be written or
    contradicts a run; finished runs are kept in either case. Raises `StoreGone` if the store is no
    longer where it was opened.
    """
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse({run.scenario.hash: run.scenario.resolved for run in missing}.values())
    if not missing:
        return Progress(0, 0.0)
    campaign = _Campaign(missing, store, executor, show)
    try:
        with requested_stop() as requested:
            while not campaign.is_over:
                if requested:
                    raise Interrupted(requested[0])
                if first := campaign.begin():
                    executor.execute(first, campaign.keep, campaign.more, limits.of_engine)
                else:
                    campaign.wait()
    finally:
        # If even this fails, the leases expire once this process has ended.
        with suppress(LongfatError):
            store.release()
    store.confirm()
    return campaign.progress


class _Campaign:
    """Leases runs, passes them to the executor and stores them as they end."""

    def __init__(
        self,
        missing: Sequence[PlannedRun],
        store: Store,
        executor: Executor,
        show: Callable[[Progress], None],
    ) -> None:
        simulated_seconds = sum(run.scenario.simulated_seconds for run in missing)
        self.progress = Progress(len(missing), simulated_seconds)
        self._store = store
        self._cores = executor.cores
        self._show = show
        self._runs = {run.scenario.run_id: run for run in missing}
        self._unleased = list(self._runs)
        self._failed_before = frozenset(store.failures(self._unleased))
        self._costs = CostEstimator(store.mean_wall_seconds())
        self._ahead_seconds = executor.cores * executor.ahead_seconds
        self._written = 0.0
        # The runs of the current batch, and the seconds simulated before it.
        self._batch: list[PlannedRun] = []
        self._simulated_before = 0.0
        store.work(executor.cores)

    @property
    def is_over(self) -> bool:
        """True if every run has ended, here or in another process."""
        return self.progress.finished + self.progress.elsewhere == self.progress.runs

    def begin(self) -> list[str]:
        """Return the first scenarios of a batch; empty if others have leased all that remain."""
        self._simulated_before = self.progress.simulated_seconds
        self._batch = []
        return self._lease()

    def more(self, waiting: int) -> list[str]:
        """Return further scenarios for a batch of which `waiting` runs wait for a core."""
        if not self._unleased:
            return []
        if waiting == 0:
            self._ahead_seconds *= 2  # runs are shorter than estimated
        return self._lease()

    def keep(self, outcomes: Sequence[Outcome], simulated_seconds: float) -> None:
        """Store new outcomes; without any, write only a heartbeat now and then."""
        results = [self._result(outcome) for outcome in outcomes]
        if results or time.monotonic() - self._written >= SPEAK_EVERY_SECONDS:
            self._store.write(results)
            self._written = time.monotonic()
        self.progress.finished += len(results)
        self.progress.failed += sum(result.record is None for result in results)
        self.progress.simulated_seconds = self._simulated_before + simulated_seconds
        self._show(self.progress)

    def wait(self) -> None:
        """Wait a moment for the runs that other processes have leased."""
        self._show(self.progress)
        time.sleep(POLL_SECONDS)

    def _lease(self) -> list[str]:
        leased = self._store.lease(self._unleased, self._portion(), self._failed_before)
        self.progress.elsewhere += len(leased.ended)
        settled = {*leased.mine, *leased.ended}
        self._unleased = [run_id for run_id in self._unleased if run_id not in settled]
        runs = [self._runs[run_id] for run_id in leased.mine]
        self._batch += runs
        return [run.scenario.resolved for run in runs]

    def _portion(self) -> int:
        """Return how many runs to lease: work for a short time, but at least one per core."""
        seconds, count = 0.0, 0
        for run_id in itertools.islice(self._unleased, LARGEST_PORTION):
            if count >= self._cores and seconds >= self._ahead_seconds:
                break
            seconds += self._costs.seconds(self._runs[run_id].scenario)
            count += 1
        return count

    def _result(self, outcome: Outcome) -> RunResult:
        scenario = self._batch[outcome.index].scenario
        return RunResult(scenario, outcome.started, outcome.ended, outcome.record, outcome.failure)

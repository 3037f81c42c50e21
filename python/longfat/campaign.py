"""A campaign: the planned runs that the store does not have yet go through the engine into it."""

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from longfat.cost import estimate_seconds
from longfat.errors import Interrupted, LongfatError
from longfat.execution import Outcome, Progress, execute, requested_stop
from longfat.limits import Limits
from longfat.plan import Plan, PlannedRun
from longfat.store import RunResult, Store
from longfat.store.schema import DONE

SPEAK_EVERY_SECONDS = 1.0
"""How often the store hears that this process lives."""

POLL_SECONDS = 1.0
"""How often to ask for runs that other processes have taken on."""

LEASE_AHEAD_SECONDS = 2.0
"""Work that each thread has waiting: it lasts from one report of the engine to the next, and is
all that others wait for when this process is killed."""

LARGEST_PORTION = 1000
"""Runs to lease at a time at most."""


def missing_runs(plan: Plan, store: Store) -> list[PlannedRun]:
    """The distinct planned runs that are not done, those that take longest first.

    A long run that starts last would keep one core busy while the others idle. A failed run
    counts as missing: what made it fail may have been mended.
    """
    statuses = store.statuses(list(plan.distinct))
    missing = [run for run_id, run in plan.distinct.items() if statuses.get(run_id) != DONE]
    mean_wall_seconds = store.mean_wall_seconds()
    return sorted(missing, key=lambda run: estimate_seconds(run, mean_wall_seconds), reverse=True)


def run_campaign(
    missing: Sequence[PlannedRun],
    store: Store,
    jobs: int,
    show: Callable[[Progress], None],
    limits: Limits | None = None,
) -> Progress:
    """Run what is missing on `jobs` threads; each finished run is in the store a moment later.

    Several processes may do this at once with one store: they share the runs, and each waits
    until all are done. `show` is told about ten times a second. A failed run is stored as such
    and does not stop the others; one that exceeds a limit fails (the machine's limits, unless
    others are given). Raises `Interrupted` after SIGINT or SIGTERM, and `LongfatError`
    when the store cannot be written or contradicts a run; what finished before is kept in either
    case.
    """
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse({run.scenario.hash: run.scenario.resolved for run in missing}.values())
    campaign = _Campaign(missing, store, jobs, show)
    try:
        with requested_stop() as requested:
            while not campaign.is_over:
                if requested:
                    raise Interrupted(requested[0])
                if first := campaign.begin():
                    execute(first, jobs, campaign.keep, campaign.more, limits.of_engine)
                else:
                    campaign.wait()
    finally:
        # Where even this cannot be written, others will notice that this process has ended.
        with suppress(LongfatError):
            store.release()
    return campaign.progress


class _Start(NamedTuple):
    """When a run started, by the clock of the day and by one that only measures."""

    moment: datetime
    seconds: float


class _Campaign:
    """Leases runs, hands them to the engine and writes them as they end, with when they started.

    The engine keeps no clock, but it starts runs in the order given, the next one as soon as one
    ends; so starts and ends are known to the interval of its reports.
    """

    def __init__(
        self,
        missing: Sequence[PlannedRun],
        store: Store,
        jobs: int,
        show: Callable[[Progress], None],
    ) -> None:
        simulated_seconds = sum(run.scenario.simulated_seconds for run in missing)
        self.progress = Progress(len(missing), simulated_seconds)
        self._store = store
        self._jobs = jobs
        self._show = show
        self._runs = {run.scenario.run_id: run for run in missing}
        self._unleased = list(self._runs)
        self._failed_before = frozenset(store.failures(self._unleased))
        self._mean_wall_seconds = store.mean_wall_seconds()
        self._ahead_seconds = jobs * LEASE_AHEAD_SECONDS
        self._written = 0.0
        # Of the batch that the engine has in hand: its runs, when those in progress started,
        # how many have, and what had been simulated before it.
        self._batch: list[PlannedRun] = []
        self._started: dict[int, _Start] = {}
        self._begun = 0
        self._simulated_before = 0.0
        store.work(jobs)

    @property
    def is_over(self) -> bool:
        """Whether every run has ended, here or elsewhere."""
        return self.progress.finished + self.progress.elsewhere == self.progress.runs

    def begin(self) -> list[str]:
        """The first scenarios of a batch; empty when others work on all that is left."""
        self._simulated_before = self.progress.simulated_seconds
        self._batch = []
        self._started = {}
        self._begun = 0
        first = self._lease()
        self._start(self._jobs)
        return first

    def more(self, waiting: int) -> list[str]:
        """Further scenarios for a batch in which so many wait for a thread."""
        if waiting >= self._jobs or not self._unleased:
            return []
        if waiting == 0:
            self._ahead_seconds *= 2  # runs are shorter than estimated
        more = self._lease()
        self._start(self._jobs - len(self._started))
        return more

    def keep(self, outcomes: Sequence[Outcome], simulated_seconds: float) -> None:
        """Make what has ended durable; without anything new, only speak up from time to time."""
        by_start = sorted(outcomes, key=lambda outcome: outcome.index)
        results = [self._result(outcome) for outcome in by_start]
        if results or time.monotonic() - self._written >= SPEAK_EVERY_SECONDS:
            self._store.write(results)
            self._written = time.monotonic()
        self.progress.finished += len(results)
        self.progress.failed += sum(result.record is None for result in results)
        self.progress.simulated_seconds = self._simulated_before + simulated_seconds
        self._show(self.progress)

    def wait(self) -> None:
        """Give others a moment for the runs that they have taken on."""
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
        """How many runs to lease: work for a moment, but one for each thread at least."""
        seconds, count = 0.0, 0
        for run_id in itertools.islice(self._unleased, LARGEST_PORTION):
            if count >= self._jobs and seconds >= self._ahead_seconds:
                break
            seconds += estimate_seconds(self._runs[run_id], self._mean_wall_seconds)
            count += 1
        return count

    def _result(self, outcome: Outcome) -> RunResult:
        """The result of a run that has just ended; the next one waiting starts in its place."""
        start = self._started.pop(outcome.index)
        ended = start.moment + timedelta(seconds=time.monotonic() - start.seconds)
        self._start(1)
        scenario = self._batch[outcome.index].scenario
        return RunResult(scenario, start.moment, ended, outcome.record, outcome.failure)

    def _start(self, count: int) -> None:
        """Note when the next runs of the batch start; those that start wait for nothing else."""
        begun = self._begun
        for index in range(begun, min(begun + count, len(self._batch))):
            self._started[index] = _Start(datetime.now(UTC), time.monotonic())
            self._begun += 1

"""A campaign: the planned runs that the store does not have yet go through the engine into it."""

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from longfat.cost import estimate_seconds
from longfat.execution import Outcome, Progress, execute
from longfat.plan import Plan, PlannedRun
from longfat.store import RunResult, Store
from longfat.store.schema import DONE

SPEAK_EVERY = timedelta(seconds=1)
"""How often the store hears that the runs in progress still are."""


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
) -> Progress:
    """Run what is missing on `jobs` threads; each finished run is in the store a moment later.

    `show` is told about ten times a second. A failed run is stored as such and does not stop the
    others. Raises `Interrupted` after SIGINT or SIGTERM, and `LongfatError` when the store
    cannot be written or contradicts a run; what finished before is kept in either case.
    """
    recorder = _Recorder(missing, store, jobs, show)
    try:
        execute([run.scenario.resolved for run in missing], jobs, recorder.keep)
    finally:
        store.write([], in_progress=[])
    return recorder.progress


class _Recorder:
    """Writes runs to the store as they end, with when they started.

    The engine keeps no clock, but it starts runs in the order given, the next one as soon as one
    ends; so starts and ends are known to the interval of its reports.
    """

    def __init__(
        self,
        runs: Sequence[PlannedRun],
        store: Store,
        jobs: int,
        show: Callable[[Progress], None],
    ) -> None:
        self.progress = Progress(len(runs), sum(run.scenario.simulated_seconds for run in runs))
        self._runs = runs
        self._store = store
        self._show = show
        self._waiting = iter(range(len(runs)))
        self._started: dict[int, datetime] = {}
        now = datetime.now(UTC)
        self._start(jobs, now)
        self._write([], now)

    def keep(self, outcomes: Sequence[Outcome], simulated_seconds: float) -> None:
        """Make what has ended durable; without anything new, only speak up from time to time."""
        now = datetime.now(UTC)
        by_start = sorted(outcomes, key=lambda outcome: outcome.index)
        results = [self._result(outcome, now) for outcome in by_start]
        if results or now - self._written >= SPEAK_EVERY:
            self._write(results, now)
        self.progress.finished += len(results)
        self.progress.failed += sum(result.record is None for result in results)
        self.progress.simulated_seconds = simulated_seconds
        self._show(self.progress)

    def _result(self, outcome: Outcome, now: datetime) -> RunResult:
        """The result of a run that has just ended; the next one waiting starts in its place."""
        started = self._started.pop(outcome.index)
        self._start(1, now)
        scenario = self._runs[outcome.index].scenario
        return RunResult(scenario, started, now, outcome.record, outcome.failure)

    def _start(self, count: int, now: datetime) -> None:
        for index in itertools.islice(self._waiting, count):
            self._started[index] = now

    def _write(self, results: Sequence[RunResult], now: datetime) -> None:
        in_progress = [self._runs[index].scenario.run_id for index in self._started]
        self._store.write(results, in_progress)
        self._written = now

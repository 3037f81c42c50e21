"""Stored runs simulated again, and what came out set beside what is stored."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from longfat import _engine
from longfat.base.errors import CheckFailed, LongfatError
from longfat.records.record import Record
from longfat.running.execution import (
    Driver,
    Outcome,
    Progress,
    Watch,
    execute,
    execute_watched,
    refuse_other_driver,
)
from longfat.running.limits import Limits
from longfat.store import Store, StoredRun
from longfat.studies.plan import Plan


@dataclass(frozen=True)
class Repetition:
    """A stored run, and how it ended this time: with a record or with the message of a failure."""

    stored: StoredRun
    record: Record | None
    failure: str | None

    @property
    def differences(self) -> list[str]:
        """What came out otherwise than it is stored, a line each; empty for the same run.

        Equal means equal to the last bit. A metric that did not exist when the run was stored is
        no difference: it changes no number that anyone has read.
        """
        if self.record is None or self.stored.metrics is None:
            same = self.record is None and self.failure == self.stored.failure
            return [] if same else [f"stored as {_end(self.stored)}, now {_end(self)}"]
        now = {"fingerprint": self.record["fingerprint"], **self.record["metrics"]}
        stored = {"fingerprint": self.stored.fingerprint, **self.stored.metrics}
        return [
            f"{name}: stored {value}, now {now.get(name, 'missing')}"
            for name, value in stored.items()
            if name not in now or now[name] != value
        ]


def _end(run: StoredRun | Repetition) -> str:
    return "done" if run.failure is None else f"failed: {run.failure}"


def repeat(
    runs: Sequence[StoredRun],
    jobs: int,
    show: Callable[[Progress], None],
    limits: Limits | None = None,
    watch: Watch | None = None,
    driver: Driver | None = None,
) -> list[Repetition]:
    """Simulate stored runs again on `jobs` threads; the repetitions in the order of the runs.

    A single run can be asked for traces and packets on the way (`watch`). Raises `DriverUnfit` when
    the `driver` asked for cannot do it, `LongfatError` for a run of another engine version and for
    one that is estimated to exceed a limit (the machine's, unless others are given), `CheckFailed`
    for a row that is not the run it is named after, and `Interrupted` after a signal.
    """
    for run in runs:
        refuse_strangers(run)
    limits = Limits.of_machine() if limits is None else limits
    limits.refuse(run.scenario.resolved for run in runs)
    progress = Progress(len(runs), sum(run.scenario.simulated_seconds for run in runs))
    outcomes: dict[int, Outcome] = {}

    def collect(finished: list[Outcome], simulated_seconds: float) -> None:
        outcomes.update((outcome.index, outcome) for outcome in finished)
        progress.finished = len(outcomes)
        progress.failed = sum(outcome.record is None for outcome in outcomes.values())
        progress.simulated_seconds = simulated_seconds
        show(progress)

    scenarios = [run.scenario.resolved for run in runs]
    chosen = driver or "fast"
    if watch is None:
        execute(scenarios, jobs, collect, limits=limits.of_engine, driver=chosen)
    else:
        (scenario,) = scenarios
        execute_watched(scenario, watch, collect, limits.of_engine, chosen)
    for outcome in outcomes.values():
        refuse_other_driver(outcome.record, driver)
    return [
        Repetition(run, outcomes[index].record, outcomes[index].failure)
        for index, run in enumerate(runs)
    ]


def refuse_strangers(run: StoredRun) -> None:
    """Raise `LongfatError` for a run that this engine cannot repeat.

    Another model may come out with other numbers and be right: comparing them would prove nothing.
    A row whose scenario has another name than the row was changed by hand.
    """
    if run.model != _engine.MODEL:
        raise LongfatError(
            f"run {run.run_id} was made by engine {run.engine}; this is model {_engine.MODEL}, "
            "whose numbers may rightly differ. To repeat it, install "
            f"longfat {run.engine.partition('+')[0]}; to run its scenario with this engine, print "
            "it with --scenario into a file"
        )
    if run.scenario.run_id != run.run_id:
        raise CheckFailed(
            f"run {run.run_id}: the scenario stored with it is that of run {run.scenario.run_id}; "
            "the row was changed after it was written"
        )


def check_other_builds(plan: Plan, store: Store, jobs: int) -> int:
    """Make sure that this engine may go on with runs that other builds of its model made.

    A run of each other build is repeated, the shortest one. Returns how many; raises
    `CheckFailed` when one comes out differently: the engine was changed and kept its model number.
    """
    repetitions = repeat(store.cheapest_of_other_builds(plan.hashes), jobs, lambda _progress: None)
    for repetition in repetitions:
        if repetition.differences:
            differences = "\n".join(f"  {difference}" for difference in repetition.differences)
            raise CheckFailed(
                f"{store.name}: another build of model {_engine.MODEL} made the stored runs. Run "
                f"{repetition.stored.run_id} does not come out as it is stored:\n"
                f"{differences}\nnothing was run, so that results do not mix; use the engine that "
                "made them, or another store (--store)"
            )
    return len(repetitions)


def sample(run_ids: Sequence[str], size: int, seed: int) -> list[str]:
    """`size` of the runs (all, if there are fewer), the same ones whenever the seed is the same."""
    ordered = sorted(run_ids)
    return sorted(random.Random(seed).sample(ordered, min(size, len(ordered))))

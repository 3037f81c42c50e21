"""Repetition of stored runs, and the comparison of their results with the stored ones."""

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
    """A stored run and its repetition, which gave a record or the message of a failure."""

    stored: StoredRun
    record: Record | None
    failure: str | None

    @property
    def differences(self) -> list[str]:
        """Return a line for each difference from the stored run; empty if they agree.

        Numbers must be equal to the last bit. A metric that did not exist when the run was stored
        is no difference: no published number changes.
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
    """Simulate stored runs again on `jobs` threads; returns the repetitions in order.

    `watch` asks for traces and a packet capture of a single run. Raises `DriverUnfit` if the
    requested `driver` does not support the scenario, `LongfatError` for a run of another engine
    version and for one that is estimated to exceed a limit (`limits` default to the machine's), and
    `Interrupted` after a stop signal.
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

    Another model may rightly give other numbers, so that a comparison would prove nothing.
    """
    if run.model != _engine.MODEL:
        raise LongfatError(
            f"run {run.run_id} was made by engine {run.engine}; this is model {_engine.MODEL}, "
            "whose numbers may rightly differ. To repeat it, install "
            f"longfat {run.engine.partition('+')[0]}; to run its scenario with this engine, print "
            "it with --scenario into a file"
        )


def check_other_builds(plan: Plan, store: Store, jobs: int) -> int:
    """Check that this engine reproduces runs that other builds of its model stored.

    Repeats the shortest run of each other build and returns their number. Raises `CheckFailed` if
    one differs: the engine was changed without a new model number.
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
    """Draw `size` of the runs (all if there are fewer); reproducible by `seed`."""
    ordered = sorted(run_ids)
    return sorted(random.Random(seed).sample(ordered, min(size, len(ordered))))

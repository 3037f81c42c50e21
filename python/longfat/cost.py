"""What runs will cost: from stored runs of the same scenario, otherwise from a rough rate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from longfat.plan import PlannedRun

# Of the order of what one core does on a fully loaded 155.52 Mbit/s bottleneck. It matters only
# before the first run of a scenario is stored, and then mostly for which runs go first.
ROUGH_SECONDS_PER_SIMULATED_SECOND = 0.05


@dataclass(frozen=True)
class Cost:
    """Seconds of one core, and how many of the runs were estimated from stored ones."""

    core_seconds: float
    measured_runs: int
    rough_runs: int


def estimate_seconds(run: PlannedRun, mean_wall_seconds: Mapping[str, float]) -> float:
    """The seconds of one core that a run will take."""
    measured = mean_wall_seconds.get(run.scenario.hash)
    if measured is not None:
        return measured
    return run.scenario.simulated_seconds * ROUGH_SECONDS_PER_SIMULATED_SECOND


def estimate(runs: Iterable[PlannedRun], mean_wall_seconds: Mapping[str, float]) -> Cost:
    """The cost of several runs."""
    planned = list(runs)
    measured = sum(run.scenario.hash in mean_wall_seconds for run in planned)
    return Cost(
        core_seconds=sum(estimate_seconds(run, mean_wall_seconds) for run in planned),
        measured_runs=measured,
        rough_runs=len(planned) - measured,
    )

"""What runs will cost: from stored runs of the same scenario, otherwise what the engine guesses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from longfat import _engine
from longfat.studies.plan import PlannedRun


@dataclass(frozen=True)
class Cost:
    """Seconds of one core, and how many of the runs were estimated from stored ones."""

    core_seconds: float
    measured_runs: int
    rough_runs: int

    @property
    def reservation(self) -> str:
        """How many of the runs were only guessed, in words."""
        return f"({self.rough_runs} of them roughly, by the packets that full lines would carry)"


@dataclass
class CostEstimator:
    """What a run will take, by the mean wall seconds of stored runs, which are named by hash.

    Replications of a scenario that no store has are guessed once for all of them.
    """

    mean_wall_seconds: Mapping[str, float]
    _guessed: dict[str, float] = field(default_factory=dict)

    def seconds(self, run: PlannedRun) -> float:
        """The seconds of one core that a run will take."""
        name = run.scenario.hash
        measured = self.mean_wall_seconds.get(name)
        if measured is not None:
            return measured
        if name not in self._guessed:
            *_, self._guessed[name] = _engine.scenario_cost(run.scenario.resolved)
        return self._guessed[name]

    def cost(self, runs: Iterable[PlannedRun]) -> Cost:
        """The cost of several runs."""
        planned = list(runs)
        measured = sum(run.scenario.hash in self.mean_wall_seconds for run in planned)
        return Cost(
            core_seconds=sum(map(self.seconds, planned)),
            measured_runs=measured,
            rough_runs=len(planned) - measured,
        )

"""Estimated cost of runs: from stored runs of the scenario, otherwise by the engine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from longfat import _engine
from longfat.scenarios.scenario import Scenario
from longfat.studies.plan import Series


@dataclass(frozen=True)
class Cost:
    """CPU seconds, and how many runs were estimated from stored runs and roughly."""

    core_seconds: float
    measured_runs: int
    rough_runs: int

    @property
    def reservation(self) -> str:
        """The number of roughly estimated runs, in words."""
        return f"({self.rough_runs} of them roughly, from the packets that full links would carry)"


@dataclass
class CostEstimator:
    """Estimates the cost of runs from the mean wall seconds of stored runs, by scenario hash.

    The engine estimates a scenario without stored runs, once for all its replications.
    """

    mean_wall_seconds: Mapping[str, float]
    _guessed: dict[str, float] = field(default_factory=dict)

    def seconds(self, scenario: Scenario) -> float:
        """Return the estimated CPU seconds of a run."""
        name = scenario.hash
        measured = self.mean_wall_seconds.get(name)
        if measured is not None:
            return measured
        if name not in self._guessed:
            *_, self._guessed[name] = _engine.scenario_cost(scenario.resolved)
        return self._guessed[name]

    def cost(self, planned: Iterable[Series]) -> Cost:
        """Return the total cost of the runs of several series."""
        core_seconds, runs, measured_runs = 0.0, 0, 0
        for series in planned:
            count = len(series.numbers)
            core_seconds += count * self.seconds(series.first)
            runs += count
            measured_runs += count if series.first.hash in self.mean_wall_seconds else 0
        return Cost(core_seconds, measured_runs, rough_runs=runs - measured_runs)

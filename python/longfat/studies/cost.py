"""Estimated cost of runs: from stored runs of the scenario, otherwise by the engine."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import thread_time

from longfat import _engine
from longfat.scenarios.scenario import Scenario
from longfat.studies.plan import Series

ALWAYS_BEGUN = 32
"""So many scenarios are estimated by their beginning, and a declining share of further ones."""

TIMED_SECONDS = 0.03
"""CPU seconds for which the beginning of a run is simulated."""


@dataclass(frozen=True)
class Cost:
    """CPU seconds, and how many runs were estimated from stored runs and roughly."""

    core_seconds: float
    measured_runs: int
    rough_runs: int

    @property
    def reservation(self) -> str:
        """The number of roughly estimated runs, in words."""
        return f"({self.rough_runs} of them roughly, from the beginning of runs)"


@dataclass
class CostEstimator:
    """Estimates the cost of runs from the mean wall seconds of stored runs, by scenario hash.

    A scenario without stored runs is estimated once for all its replications: by the time that the
    beginning of a run takes on this machine, or at once, as if its lines were always busy. Of many
    scenarios a sample is begun, and its ratio to the second estimate corrects the others.
    """

    mean_wall_seconds: Mapping[str, float]
    _guessed: dict[str, float] = field(default_factory=dict)
    _begun: float = 0.0
    _begun_if_busy: float = 0.0

    def seconds(self, scenario: Scenario) -> float:
        """Return the estimated CPU seconds of a run."""
        name = scenario.hash
        measured = self.mean_wall_seconds.get(name)
        if measured is not None:
            return measured
        if name not in self._guessed:
            self._guessed[name] = self._guess(name, scenario.resolved)
        return self._guessed[name]

    def _guess(self, name: str, resolved: str) -> float:
        if_busy = _engine.scenario_seconds_if_busy(resolved)
        # A hash is as good as a draw, and chooses the same scenarios again.
        if int(name[:8], 16) * (len(self._guessed) + 1) < ALWAYS_BEGUN * 2**32:
            begun = _engine.scenario_seconds(resolved, TIMED_SECONDS, thread_time)
            if begun is not None:
                self._begun += begun
                self._begun_if_busy += if_busy
                return begun
        return if_busy * self._begun / self._begun_if_busy if self._begun_if_busy else if_busy

    def cost(self, planned: Iterable[Series]) -> Cost:
        """Return the total cost of the runs of several series."""
        core_seconds, runs, measured_runs = 0.0, 0, 0
        for series in planned:
            count = len(series.numbers)
            core_seconds += count * self.seconds(series.first)
            runs += count
            measured_runs += count if series.first.hash in self.mean_wall_seconds else 0
        return Cost(core_seconds, measured_runs, rough_runs=runs - measured_runs)

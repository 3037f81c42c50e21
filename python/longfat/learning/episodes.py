"""Episodes: many simulations in parallel that wait for decisions."""

import json
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError
from longfat.controls import Interval
from longfat.records.record import Record
from longfat.running.execution import Driver, usable_cores
from longfat.running.limits import Limits
from longfat.scenarios.scenario import Scenario, ScenarioSource, load_scenario

Floats = NDArray[np.float64]

Source = ScenarioSource | Callable[[np.random.Generator], ScenarioSource]
"""Scenario of the episodes of a place, or a function that draws one for each episode."""


class Step(NamedTuple):
    """Result of a step."""

    intervals: Floats
    """Measurements of each agent: shape (agents, 12), columns named by `Interval`."""
    over: list[bool]
    """For each place, True if its episode has ended and `begin` must start another."""


class Episodes:
    """Several places, each with a scenario; all advance together from decision to decision.

    The source of a place is a scenario (a file, dictionaries or `Scenario`), or a function that
    draws one for each episode from the random generator it is given. Each episode is another
    replication, whatever replication the scenario sets. Each connection with the control "learner"
    is an agent; all episodes of a place must have equally many. Every `interval_s` seconds an agent
    decides the power of two (from -1 to 1) by which its window changes, or its rate, according to
    `steers`. The last interval may be shorter. Not thread-safe.

    Raises `InvalidInput` for scenarios that are invalid or have no agents, and `LongfatError` for
    files that cannot be read and scenarios that are estimated to exceed `limits`.
    """

    def __init__(
        self,
        scenarios: Iterable[Source],
        *,
        interval_s: float = 0.1,
        steers: str = "window",
        jobs: int | None = None,
        limits: Limits | None = None,
        driver: Driver = "fast",
    ) -> None:
        self.interval_s = _seconds(interval_s)
        self._sources = _sources(scenarios)
        self._limits = Limits.of_machine() if limits is None else limits
        threads = usable_cores() if jobs is None else _whole(jobs, "jobs is", least=1)
        try:
            self._engine = _engine.Episodes(
                len(self._sources), threads, self.interval_s, str(steers), driver
            )
        except ValueError as error:
            raise InvalidInput([str(error)]) from None
        self._begun = [0] * self.places
        self._seeds: list[int | None] = [None] * self.places
        self._rngs = [np.random.default_rng(place) for place in range(self.places)]
        self._capacities_bytes = np.zeros(self.places)
        self._first = [self._begin(place) for place in range(self.places)]
        self.agents = [len(intervals) for intervals in self._first]
        self._going = [True] * self.places

    @property
    def places(self) -> int:
        """Number of scenarios that advance together."""
        return len(self._sources)

    def reset(self, seed: int | None = None) -> Floats:
        """Begin an episode in each place; returns the intervals, shape (all agents, 12).

        With a seed the scenario in place p has the seed `seed` + p, and the sequence of episodes is
        reproducible; without one the next replications follow.
        """
        if seed is not None:
            seed = _whole(seed, "a seed is", least=0)
            self._seeds = [seed + place for place in range(self.places)]
            self._rngs = [np.random.default_rng(own) for own in self._seeds]
            self._begun = [0] * self.places
        return np.concatenate([self.begin(place) for place in range(self.places)])

    def begin(self, place: int) -> Floats:
        """Begin the next episode in a place; returns the intervals, shape (its agents, 12)."""
        self._check_places([place])
        self._going[place] = False
        intervals = self._begin(place)
        if len(intervals) != self.agents[place]:
            agents = f"{len(intervals)} agents in place {place}, where there were"
            expected = "expected as many in each episode, so none with flows that come and go"
            raise InvalidInput([f"{agents} {self.agents[place]} before; {expected}"])
        self._going[place] = True
        return intervals

    def step(self, decisions: ArrayLike, places: Sequence[int] | None = None) -> Step:
        """Apply a decision of each agent and simulate an interval.

        `decisions` has shape (agents,), for the agents of `places` in order; by default of all
        places whose episode has not ended.
        """
        going = [place for place, goes in enumerate(self._going) if goes]
        chosen = going if places is None else self._check_places(places)
        powers = as_decisions(decisions, sum(self.agents[place] for place in chosen))
        if ended := sorted(set(chosen) - set(going)):
            raise InvalidInput([f"the episode in place {ended[0]} is over: begin another"])
        try:
            intervals = _numbers(self._engine.step(chosen, powers.tolist()))
        except RuntimeError as error:
            raise LongfatError(str(error)) from None
        for place in chosen:
            self._going[place] = not self._engine.is_over(place)
            self._capacities_bytes[place] = self._engine.capacity_bytes(place)
        return Step(intervals, [not goes for goes in self._going])

    def finish(self, place: int) -> Record:
        """Run the episode in a place to its end without further decisions; returns its record."""
        self._check_places([place])
        self._going[place] = False
        try:
            return Record(json.loads(self._engine.finish(place)))
        except (RuntimeError, ValueError) as error:
            raise LongfatError(str(error)) from None

    def capacity_bytes(self) -> Floats:
        """Return the bottleneck's capacity in the last interval in bytes; shape (all agents,).

        It accounts for the length of the interval and for the path's rate within it.
        """
        return np.repeat(self._capacities_bytes, self.agents)

    def _begin(self, place: int) -> Floats:
        scenario = self._next(place)
        self._limits.refuse([scenario.resolved])
        try:
            intervals = _numbers(self._engine.begin(place, scenario.resolved))
        except RuntimeError as error:
            raise LongfatError(str(error)) from None
        self._begun[place] += 1
        self._capacities_bytes[place] = self._engine.capacity_bytes(place)
        return intervals

    def _next(self, place: int) -> Scenario:
        """Return the next replication of the scenario in a place."""
        source, seed = self._sources[place], self._seeds[place]
        scenario = source if isinstance(source, Scenario) else _loaded(source(self._rngs[place]))
        if seed is not None:
            own = {"seed": seed, "replication": self._begun[place]}
        else:  # places with equal scenarios get different replications
            own = {"replication": self._begun[place] * self.places + place}
        return Scenario(json.dumps(scenario.settings | own))

    def _check_places(self, places: Sequence[int]) -> list[int]:
        """Return the places in order. Raises `InvalidInput` for one out of range or given twice."""
        chosen = sorted(places)
        if chosen and not 0 <= chosen[0] <= chosen[-1] < self.places:
            raise InvalidInput([f"places go from 0 to {self.places - 1}, not {chosen}"])
        if len(set(chosen)) < len(chosen):
            raise InvalidInput([f"expected each place once, not {chosen}"])
        return chosen


def _sources(
    scenarios: Iterable[Source],
) -> list[Scenario | Callable[[np.random.Generator], ScenarioSource]]:
    if isinstance(scenarios, Scenario | str | Path | Mapping) or not isinstance(
        scenarios, Iterable
    ):
        raise InvalidInput(["expected a list of scenarios, one for each place"])
    sources = [source if callable(source) else _loaded(source) for source in scenarios]
    if not sources:
        raise InvalidInput(["no scenarios: expected one for each place"])
    return sources


def _loaded(scenario: object) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    if not isinstance(scenario, str | Path | Mapping):
        what = "None" if scenario is None else f"an object of type {type(scenario).__name__}"
        expected = "expected the path of a file, dictionaries or a Scenario"
        raise InvalidInput([f"{what} is no scenario: {expected}, or a function that draws one"])
    return load_scenario(scenario)


def _seconds(interval_s: object) -> float:
    if not isinstance(interval_s, Real):
        raise InvalidInput([f"interval_s is a number of seconds, not {interval_s!r}"])
    return float(interval_s)


def as_decisions(decisions: ArrayLike, agents: int) -> Floats:
    """Convert decisions to one number per agent. Raises `InvalidInput` for anything else."""
    expected = f"expected a decision for each of {agents} agents"
    try:
        powers = np.asarray(decisions, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput([f"{expected}, not {decisions!r}"]) from None
    if powers.size != agents or powers.shape not in {(), (agents,), (agents, 1)}:
        raise InvalidInput([f"{expected}, not {_shaped(powers)}"])
    if not np.isfinite(powers).all():
        raise InvalidInput([f"{expected}, not numbers that are not finite"])
    return powers.reshape(-1)


def _shaped(powers: Floats) -> str:
    return str(powers.size) if powers.ndim < 2 else f"{powers.size} in the shape {powers.shape}"


def _whole(number: SupportsIndex, what: str, *, least: int) -> int:
    try:
        whole = operator.index(number)
    except TypeError:
        whole = least - 1
    if whole < least:
        raise InvalidInput([f"{what} a whole number from {least} on, not {number!r}"])
    return whole


def _numbers(raw: bytes) -> Floats:
    return np.frombuffer(raw).reshape(-1, len(Interval._fields))

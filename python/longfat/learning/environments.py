"""Gymnasium environments: paths on which agents learn congestion control."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from longfat.base.errors import InvalidInput
from longfat.base.extras import need
from longfat.learning.episodes import Episodes, Source, as_decisions
from longfat.learning.signals import power, relative

need("learning", "an environment (longfat.learning.Episodes does without)")
import gymnasium  # noqa: E402
from gymnasium.spaces import Box  # noqa: E402
from gymnasium.vector import AutoresetMode, VectorEnv  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

Floats = NDArray[np.float64]

Observe = Callable[[Floats], Floats]
"""Maps intervals, shape (agents, 12), to observations, shape (agents, any)."""

Reward = Callable[[Floats, Floats], Floats]
"""Maps intervals and the bottlenecks' capacities in them, in bytes, to rewards, shape (agents,)."""

Observations = NDArray[np.float32]
Actions = NDArray[np.float32]
Flags = NDArray[np.bool_]


class PathEnvironments(VectorEnv[Observations, Actions, NDArray[Any]]):
    """Many paths in parallel: each agent of each scenario is a sub-environment.

    For `scenarios`, `interval_s` and `steers` see `Episodes`. An action is the power of two by
    which the window, or the rate, changes. An episode lasts as long as its scenario and is then
    truncated, not terminated; the next step begins another one (`AutoresetMode.NEXT_STEP`). In
    `infos`, `intervals` has the raw intervals with their units, and at the end of an episode
    `record` has the record of its run.

    Raises as `Episodes` does.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 (Gymnasium's)

    def __init__(
        self,
        scenarios: Iterable[Source],
        *,
        interval_s: float = 0.1,
        steers: str = "window",
        observe: Observe = relative,
        reward: Reward = power,
        jobs: int | None = None,
    ) -> None:
        self.episodes = Episodes(scenarios, interval_s=interval_s, steers=steers, jobs=jobs)
        self.num_envs = sum(self.episodes.agents)
        self._places = np.repeat(np.arange(self.episodes.places), self.episodes.agents)
        self._observe, self._reward = observe, reward
        self._intervals = self.episodes.reset()
        self._ended = np.zeros(self.num_envs, dtype=bool)
        seen = self._seen()
        self.single_observation_space = Box(-np.inf, np.inf, seen.shape[1:], np.float32)
        self.single_action_space = Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 (Gymnasium's)
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin all episodes; only the first of a list of seeds counts.

        Observations (agents, any).
        """
        first = seed[0] if isinstance(seed, list) else seed
        super().reset(seed=first)
        self._intervals = self.episodes.reset(first)
        self._ended[:] = False
        return self._seen(), {"intervals": self._intervals}

    def step(self, actions: ArrayLike) -> tuple[Observations, Floats, Flags, Flags, dict[str, Any]]:
        """Apply the actions, shape (agents, 1), and simulate an interval.

        Where an episode had ended, ignores the action and begins the next one, with reward 0.
        """
        decisions = as_decisions(actions, self.num_envs)
        begun, going = self._ended.copy(), ~self._ended
        intervals = np.empty_like(self._intervals)
        for place in np.unique(self._places[begun]):
            intervals[self._places == place] = self.episodes.begin(int(place))
        places = np.unique(self._places[going]).tolist()
        over = [False] * self.episodes.places
        if places:
            intervals[going], over = self.episodes.step(decisions[going], places)
        self._intervals = intervals
        rewards = np.where(going, self._rewards(), 0.0)
        self._ended = np.asarray(over)[self._places] & going
        return (
            self._seen(),
            rewards,
            np.zeros(self.num_envs, dtype=bool),
            self._ended.copy(),
            {"intervals": intervals} | self._records(),
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Do nothing: there are no resources to close."""

    def _seen(self) -> Observations:
        seen = np.asarray(self._observe(self._intervals), dtype=np.float32)
        if seen.ndim < 2 or len(seen) != self.num_envs:
            shape = f"({self.num_envs}, any), a row for each agent"
            raise InvalidInput([f"observe gives the shape {shape}; not {seen.shape}"])
        return seen

    def _rewards(self) -> Floats:
        capacity_bytes = self.episodes.capacity_bytes()
        rewards = np.asarray(self._reward(self._intervals, capacity_bytes), dtype=np.float64)
        if rewards.shape != (self.num_envs,):
            shape = f"({self.num_envs},), a number for each agent"
            raise InvalidInput([f"reward gives the shape {shape}; not {rewards.shape}"])
        return rewards

    def _records(self) -> dict[str, Any]:
        """Return the records of ended episodes, with Gymnasium's mask of their environments."""
        if not self._ended.any():
            return {}
        records = np.full(self.num_envs, None, dtype=object)
        for place in np.unique(self._places[self._ended]):
            record = self.episodes.finish(int(place))
            for agent in np.flatnonzero(self._places == place):
                records[agent] = record
        return {"record": records, "_record": self._ended.copy()}


class PathEnvironment(gymnasium.Env[Observations, Actions]):
    """One path with one agent; otherwise as `PathEnvironments`.

    Raises `InvalidInput` for a scenario with several agents, and as `Episodes` does.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (Gymnasium's)

    def __init__(
        self,
        scenario: Source,
        *,
        interval_s: float = 0.1,
        steers: str = "window",
        observe: Observe = relative,
        reward: Reward = power,
    ) -> None:
        self._paths = PathEnvironments(
            [scenario],
            interval_s=interval_s,
            steers=steers,
            observe=observe,
            reward=reward,
            jobs=1,
        )
        if self._paths.num_envs != 1:
            agents = f"{self._paths.num_envs} agents in one environment"
            raise InvalidInput([f"{agents}: PathEnvironments has one for each of them"])
        self.observation_space = self._paths.single_observation_space
        self.action_space = self._paths.single_action_space

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode. Observation: shape (any,)."""
        super().reset(seed=seed)
        observations, infos = self._paths.reset(seed=seed, options=options)
        return observations[0], _single(infos)

    def step(self, action: Actions) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Apply an action, shape (1,), and simulate an interval."""
        observations, rewards, _, truncated, infos = self._paths.step(action)
        return observations[0], float(rewards[0]), False, bool(truncated[0]), _single(infos)


def _single(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: values[0] for name, values in infos.items() if not name.startswith("_")}

"""Environments for learned congestion control, and trained policies in studies."""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import NormalizeObservation, RecordEpisodeStatistics, vector

import longfat
from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError
from longfat.controls import Interval
from longfat.learning import (
    RELATIVE,
    Episodes,
    PathEnvironment,
    PathEnvironments,
    column,
    power,
    relative,
)
from longfat.running.limits import Limits

EXAMPLES = Path(__file__).parents[2] / "examples" / "learning"


def path(
    duration: str = "4 s", control: str = "learner", connections: int = 1, delay: str = "9 ms"
) -> dict[str, Any]:
    """10 Mbit/s, a round trip of 20 ms, a buffer of its product."""
    return {
        "schema_version": 1,
        "duration": duration,
        "framing": "packet",
        "topology": {
            "kind": "n-source",
            "sources": connections,
            "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
            "bottleneck": {"rate": "10 Mbit/s", "delay": delay},
        },
        "port": {"buffer": "1 BDP"},
        "loss": {"kind": "random", "probability": 0.002},
        "tcp": {
            "preset": "linux-like",
            "flavor": {"kind": "external", "control": control, "recovery": "rack-tlp"},
        },
    }


def decide(intervals: np.ndarray) -> np.ndarray:
    """A rule, for intervals of shape (agents, 12)."""
    seen = relative(intervals)
    return 0.4 - seen[..., 0] - 4 * seen[..., 1]


class Rule:
    """The rule as a control."""

    interval_s = 0.05

    def decide(self, interval: Interval) -> float:
        return float(decide(np.array(interval)))


def played(environment: PathEnvironment, seed: int) -> tuple[list[float], Any]:
    """The rewards of an episode, and its record."""
    _, infos = environment.reset(seed=seed)
    rewards = []
    while True:
        action = decide(infos["intervals"])
        _, reward, _, truncated, infos = environment.step(np.array([action], dtype=np.float32))
        rewards.append(reward)
        if truncated:
            return rewards, infos["record"]


@pytest.mark.filterwarnings("ignore:.*probably too.*")
def test_an_environment_is_what_gymnasium_expects() -> None:
    check_env(PathEnvironment(path()), skip_render_check=True)


def test_the_numbers_of_the_engine_have_the_names_that_python_gives_them() -> None:
    assert list(Interval._fields) == _engine.INTERVAL_NAMES


def test_decisions_of_an_agent_and_of_the_same_policy_as_a_control_make_the_same_run() -> None:
    longfat.use_control("rule", Rule)
    for steers in ("window", "rate"):
        Rule.steers = steers  # type: ignore[attr-defined]
        longfat.use_control("rule", Rule, version=steers)
        record = longfat.run(path(control="rule") | {"replication": 3})
        episodes = Episodes([path()], interval_s=0.05, steers=steers)
        intervals = [episodes.reset() for _ in range(3)][-1]
        while True:
            intervals, over = episodes.step(decide(intervals))
            if over[0]:
                break
        finished = episodes.finish(0)
        assert finished["replication"] == record["replication"] == 3
        assert finished["fingerprint"] == record["fingerprint"]
        assert finished["flows"][0]["segments_retransmitted"] > 0


def test_the_same_seed_is_the_same_sequence_of_episodes_and_another_is_another() -> None:
    environment = PathEnvironment(path())
    first = [played(environment, seed=1), played(environment, seed=2), played(environment, seed=1)]
    (rewards, record), (other_rewards, _), (same_rewards, same_record) = first
    assert rewards == same_rewards != other_rewards
    assert record["fingerprint"] == same_record["fingerprint"]


def test_many_environments_go_on_as_each_would_alone() -> None:
    together = PathEnvironments([path("2 s"), path("3 s"), path("2 s", connections=2)], jobs=2)
    assert together.num_envs == 4, "an environment for each agent"
    _, infos = together.reset(seed=5)
    rewards, ends = np.zeros(4), []
    for step in range(1, 31):
        actions = decide(infos["intervals"])[:, np.newaxis]
        observations, reward, terminated, truncated, infos = together.step(actions)
        assert observations.shape == (4, len(RELATIVE))
        assert not terminated.any()
        if step < 20:
            rewards += reward
        if truncated.any():
            ends.append((step, np.flatnonzero(truncated).tolist()))
            assert infos["_record"].tolist() == truncated.tolist()
            assert infos["record"][truncated][0]["flows"]
    # 2 s of 0.1 s, the first of which passes before the first decision.
    assert ends == [(19, [0, 2, 3]), (29, [1])]
    alone, _ = played(PathEnvironment(path("2 s")), seed=5)
    assert sum(alone) == pytest.approx(rewards[0])


def test_after_its_end_an_episode_begins_again_with_a_reward_of_nothing() -> None:
    environments = PathEnvironments([path("1 s")])
    environments.reset(seed=1)
    rewards, ends = [], []
    for _ in range(25):
        _, reward, _, truncated, _ = environments.step(np.zeros((1, 1)))
        rewards.append(float(reward[0]))
        ends.append(bool(truncated[0]))
    assert [step for step, over in enumerate(ends, start=1) if over] == [9, 19]
    assert [rewards[9], rewards[19]] == [0.0, 0.0]
    assert min(rewards[5:9]) > 0.1


def test_wrappers_of_gymnasium_go_around_environments() -> None:
    alone = NormalizeObservation(RecordEpisodeStatistics(PathEnvironment(path("1 s"))))
    alone.reset(seed=1)
    steps = [alone.step(np.zeros(1, dtype=np.float32)) for _ in range(9)]
    assert [truncated for *_, truncated, _ in steps] == [False] * 8 + [True]
    assert steps[-1][4]["episode"]["l"] == 9
    together = vector.RecordEpisodeStatistics(PathEnvironments([path("1 s")] * 2))
    together.reset(seed=1)
    rewards = [together.step(np.zeros((2, 1), dtype=np.float32)) for _ in range(9)]
    infos = rewards[-1][4]
    assert infos["episode"]["r"] == pytest.approx(sum(reward for _, reward, *_ in rewards))
    in_turn = SyncVectorEnv([lambda: PathEnvironment(path("1 s"))] * 2)
    in_turn.reset(seed=[1, 2])
    *_, infos = [in_turn.step(np.zeros((2, 1))) for _ in range(9)][-1]
    assert infos["record"]["seed"].tolist() == [1, 2]


def test_a_place_may_draw_its_scenario_for_each_episode() -> None:
    drawn: list[float] = []

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        drawn.append(float(rng.uniform(5, 100)))
        return path("1 s", delay=f"{drawn[-1]:.1f} ms")

    episodes = Episodes([draw])
    drawn.clear()
    episodes.reset(seed=8)
    for _ in range(9):
        intervals, over = episodes.step([0.5])
    assert over == [True]
    assert intervals[0, 6] == pytest.approx(2 * (drawn[0] + 1) / 1e3, rel=0.3)
    episodes.begin(0)
    episodes.reset(seed=8)
    assert drawn[0] == drawn[2] != drawn[1]


def test_scenarios_that_are_drawn_differ_in_chance_as_well() -> None:
    def draw(_rng: np.random.Generator) -> dict[str, Any]:
        return path("2 s")

    def fingerprints() -> list[str]:
        while not all(episodes.step([0.1] * 2).over):
            pass
        return [episodes.finish(place)["fingerprint"] for place in range(2)]

    episodes = Episodes([draw] * 2)
    episodes.reset(seed=3)
    first = fingerprints()
    episodes.reset()
    assert len({*first, *fingerprints()}) == 4
    episodes.reset(seed=np.int64(3))  # type: ignore[arg-type]
    assert fingerprints() == first


def test_rewards_go_by_what_the_path_could_carry_in_the_interval() -> None:
    steps = "time_s,rate_bps\n0,10000000\n4,40000000\n"
    fast_at_last = path("9.5 s") | {"path": {"kind": "schedule", "steps": steps}, "loss": "none"}
    environment = PathEnvironments([fast_at_last], interval_s=1.0)
    _, infos = environment.reset(seed=1)
    rewards = []
    for _ in range(9):
        actions = 2 * decide(infos["intervals"])[:, np.newaxis]
        _, reward, _, truncated, infos = environment.step(actions)
        rewards.append(float(reward[0]))
    assert truncated.all()
    assert max(rewards) <= 1.0
    expected = power(infos["intervals"], 0.5 * 40e6 / 8)
    assert rewards[-1] == pytest.approx(expected[0]), "the last interval lasts for 0.5 s"


def test_power_is_one_where_the_line_is_full_and_the_queue_empty() -> None:
    full = Interval(1.0, 1e5, 0, 0, 50, 0.02, 0.02, 2e4, 2e4, 0, 0, 0)
    assert power(full, 1e5) == 1.0
    assert power(full._replace(round_trip_s=0.04), 1e5) == 0.5
    assert power(full._replace(lost_bytes=1e5 / 3), 1e5) == pytest.approx(0.75)
    assert power(Interval(*[0.0] * 12), 1e5) == 0.0
    assert power(full, 0.0) == 0.0, "while the path is interrupted"


def test_observations_have_no_units() -> None:
    seen = Interval(1.0, 60e3, 20e3, 6e3, 50, 0.15, 0.1, 80e3, 100e3, 0, 1, 2)
    expected = [0.5, 0.25, 0.1, 1.0, 0.8, 0.6, 0.5, 0.5]
    np.testing.assert_allclose(relative(seen), expected, atol=1e-12)
    assert column([seen, seen], "in_flight_bytes").tolist() == [80e3, 80e3]
    assert (relative(Interval(*[0.0] * 12)) == 0).all(), "nothing known is 0"


def test_the_policy_of_the_example_does_better_than_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    train = importlib.import_module("train")
    longfat.use_control("learned", EXAMPLES / "policy.py")
    learned = importlib.import_module("policy").WEIGHTS
    rng = np.random.default_rng(99)
    scores = train.score(np.stack([learned, np.zeros(9)]), [train.draw(rng) for _ in range(3)])
    assert scores[0] > scores[1] + 0.2


@pytest.mark.parametrize(
    ("scenarios", "settings", "message"),
    [
        ([], {}, "no scenarios"),
        (path(), {}, "expected a list of scenarios, one for each place"),
        ("path.toml", {}, "expected a list of scenarios, one for each place"),
        ([3], {}, "an object of type int is no scenario: expected the path of a file"),
        ([lambda _rng: None], {}, "None is no scenario: expected the path of a file"),
        ([path("1 s")], {"interval_s": 1.0}, "nothing to decide: the scenario lasts 1 s"),
        ([path()], {"interval_s": "100 ms"}, "interval_s is a number of seconds, not '100 ms'"),
        ([path()], {"jobs": -1}, "jobs is a whole number from 1 on, not -1"),
        ([path(control="classical")], {}, "nothing to decide: no connection has the flavor"),
        ([path(control="another")], {}, 'decided for is "learner", not "another"'),
        ([path(duration="many")], {}, "duration"),
        ([path()], {"interval_s": 0.0}, "interval_s is a number of seconds, a millionth at least"),
        ([path()], {"interval_s": 1e-12}, "a millionth at least and a million at most; not 0.0"),
        (
            [path()],
            {"interval_s": float("nan")},
            "interval_s is a number of seconds, a millionth at least",
        ),
        ([path()], {"steers": "mood"}, 'steers is "window" or "rate", not "mood"'),
    ],
)
def test_what_makes_no_episodes_is_refused(
    scenarios: Any, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        Episodes(scenarios, **settings)


def test_decisions_that_do_not_fit_are_refused() -> None:
    episodes = Episodes([path("0.3 s")] * 2)
    with pytest.raises(InvalidInput, match="a decision for each of 2 agents, not 3"):
        episodes.step([0.0, 0.0, 0.0])
    with pytest.raises(InvalidInput, match="each of 2 agents, not numbers that are not finite"):
        episodes.step([0.0, float("nan")])
    with pytest.raises(InvalidInput, match=r"each of 2 agents, not \['up', 'down'\]"):
        episodes.step(["up", "down"])
    with pytest.raises(InvalidInput, match=r"each of 2 agents, not 4 in the shape \(2, 2\)"):
        PathEnvironments([path()] * 2).step(np.zeros((2, 2)))
    with pytest.raises(InvalidInput, match=r"expected each place once, not \[0, 0\]"):
        episodes.step([0.0, 0.0], places=[0, 0])
    for ask in (episodes.begin, episodes.finish, lambda place: episodes.step([0.0], [place])):
        with pytest.raises(InvalidInput, match=r"places go from 0 to 1, not \[2\]"):
            ask(2)
    with pytest.raises(InvalidInput, match="a seed is a whole number from 0 on, not 1.5"):
        episodes.reset(1.5)  # type: ignore[arg-type]
    for _ in range(2):
        episodes.step([0.0, 0.0])
    with pytest.raises(InvalidInput, match="the episode in place 1 is over: begin another"):
        episodes.step([0.0], places=[1])
    with pytest.raises(InvalidInput, match="2 agents in one environment"):
        PathEnvironment(path(connections=2))


def test_observations_and_rewards_have_a_row_for_each_agent() -> None:
    with pytest.raises(InvalidInput, match=r"observe gives the shape \(2, any\).*; not \(5,\)"):
        PathEnvironments([path()] * 2, observe=lambda _: np.zeros(5))
    environments = PathEnvironments([path()] * 2, reward=lambda intervals, _: intervals)
    with pytest.raises(InvalidInput, match=r"reward gives the shape \(2,\).*; not \(2, 12\)"):
        environments.step(np.zeros((2, 1)))


def test_flows_that_come_and_go_are_no_agents() -> None:
    traffic = {"kind": "flows", "interval": "100 ms", "size": {"kind": "fixed", "size": "9 kB"}}
    episodes = Episodes([path() | {"traffic": traffic}])
    with pytest.raises(InvalidInput, match="as many in each episode, so none with flows that come"):
        episodes.reset(seed=5)


def test_a_scenario_beyond_the_limits_is_refused_before_it_begins() -> None:
    with pytest.raises(LongfatError, match="--limit"):
        Episodes([path()], limits=Limits(events=1000))


def test_a_policy_that_decides_nothing_ends_its_run_in_words() -> None:
    class Lost(Rule):
        def decide(self, interval: Interval) -> float:
            return float("nan") if interval.end_s > 1 else 0.0

    longfat.use_control("lost", Lost)
    with pytest.raises(
        LongfatError, match='"lost" failed: .*the power of two of the change, not nan'
    ):
        longfat.run(path(control="lost"))


@pytest.mark.parametrize(
    ("attribute", "given", "message"),
    [
        ("decide", lambda _self, _interval: None, "decide gives a number, .*, not None"),
        (
            "decide",
            lambda _self, _interval: np.array([0.1]),
            r"decide gives .*, not array\(\[0.1\]\)",
        ),
        ("decide", lambda _self, _interval: "up", "decide gives a number, .*, not 'up'"),
        ("interval_s", "100 ms", "interval_s is a number of seconds, not '100 ms'"),
        ("steers", 3, 'steers is "window" or "rate", not "3"'),
    ],
)
def test_an_invalid_answer_or_member_of_a_policy_is_refused_with_the_expected_one(
    attribute: str, given: object, message: str
) -> None:
    wrong = type("Wrong", (Rule,), {attribute: given})
    longfat.use_control("wrong", wrong, version=message)
    with pytest.raises(LongfatError, match=f'"wrong" failed: .*{message}'):
        longfat.run(path(control="wrong"))


def test_how_often_a_control_decides_may_be_a_parameter() -> None:
    asked: list[float] = []

    class Often:
        interval_s = 1.0

        def __init__(self, interval_s: float) -> None:
            self.interval_s = interval_s

        def decide(self, interval: Interval) -> float:
            asked.append(interval.end_s)
            return 0.0

    longfat.use_control("often", Often, version="1")
    scenario = path("1 s", control="often")
    scenario["tcp"]["flavor"]["parameters"] = {"interval_s": 0.25}
    longfat.run(scenario)
    assert asked == [0.25, 0.5, 0.75]


def test_a_control_that_decides_says_how_often() -> None:
    class Hasty:
        def decide(self, interval: Interval) -> float:
            return interval.losses

    with pytest.raises(InvalidInput, match="class Hasty is no control: it has no interval_s"):
        longfat.use_control("hasty", Hasty)
    with pytest.raises(InvalidInput, match="'learner' is the agent of longfat.learning"):
        longfat.use_control("learner", Rule)


def test_a_scenario_with_a_learner_is_no_run_without_somebody_who_decides() -> None:
    with pytest.raises(InvalidInput, match='"learner" waits for decisions from longfat.learning'):
        longfat.run(path())


def test_without_gymnasium_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "longfat.learning.environments")
    with pytest.raises(LongfatError, match=r"pip install 'longfat\[learning\]'"):
        importlib.import_module("longfat.learning.environments")

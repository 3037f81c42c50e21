"""Learn to control congestion: the cross-entropy method on a linear policy, in about a minute.

Each generation tries 48 sets of weights on the same few paths, drawn anew for each generation, and
goes on from the best eight. `python train.py policy.py` writes what was learned as a control.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from longfat.learning import Episodes, power, relative

GENERATIONS = 30
POPULATION = 48
ELITE = 8
PATHS = 4
INTERVAL_S = 0.1

CONTROL = '''"""A control that was learned by train.py: a decision every {interval} s."""

from longfat.controls import Interval
from longfat.learning import relative

WEIGHTS = {weights}


class Learned:
    """A linear policy: weights for what an interval has told, and for 1."""

    interval_s = {interval}

    def decide(self, interval: Interval) -> float:
        """The power of two by which the window changes."""
        seen: list[float] = [*relative(interval), 1.0]
        return sum(weight * number for weight, number in zip(WEIGHTS, seen, strict=True))
'''


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """A path: 2 to 20 Mbit/s, round trips of 20 to 600 ms, a buffer of half to two of its BDPs."""
    rate = 10 ** rng.uniform(0.3, 1.3)
    delay = 10 ** rng.uniform(1.0, 2.48)
    return {
        "schema_version": 1,
        "duration": "15 s",
        "framing": "packet",
        "topology": {
            "kind": "n-source",
            "sources": 1,
            "access": {"rate": "1 Gbit/s", "delay": "10 us"},
            "bottleneck": {"rate": f"{rate:.2f} Mbit/s", "delay": f"{delay:.1f} ms"},
        },
        "port": {"buffer": f"{rng.uniform(0.5, 2.0):.2f} BDP", "queue": "tail-drop"},
        "tcp": {
            "preset": "linux-like",
            "flavor": {"kind": "external", "control": "learner", "recovery": "rack-tlp"},
        },
    }


def score(weights: np.ndarray, paths: list[dict[str, Any]]) -> np.ndarray:
    """The mean reward of each set of weights, shape (sets,), on all of the paths."""
    episodes = Episodes([path for path in paths for _ in weights], interval_s=INTERVAL_S)
    each = np.tile(weights, (len(paths), 1))
    intervals = episodes.reset()
    rewards, over = [], [False]
    while not all(over):
        seen = np.column_stack([relative(intervals), np.ones(len(each))])
        intervals, over = episodes.step(np.sum(seen * each, axis=1))
        rewards.append(power(intervals, episodes.capacity_bytes()))
    by_path = np.mean(rewards, axis=0).reshape(len(paths), -1)
    by_weights: np.ndarray = by_path.mean(axis=0)
    return by_weights


def main(target: Path) -> None:
    """Learn, and write a control to `target`."""
    rng = np.random.default_rng(1)
    mean, spread = np.zeros(9), np.ones(9)
    for generation in range(1, GENERATIONS + 1):
        weights = rng.normal(mean, spread, (POPULATION, len(mean)))
        scores = score(weights, [draw(rng) for _ in range(PATHS)])
        elite = weights[np.argsort(scores)[-ELITE:]]
        mean, spread = elite.mean(axis=0), elite.std(axis=0) + 0.3 / generation
        if generation % 10 == 0:
            print(
                f"generation {generation}: power {scores.mean():.2f}, the best {scores.max():.2f}"
            )
    learned = [round(float(weight), 3) for weight in mean]
    target.write_text(CONTROL.format(interval=INTERVAL_S, weights=learned))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "policy.py"))

"""What was learned beside others, each alone on ten paths on which nothing was learned."""

from pathlib import Path
from typing import Any

import numpy as np
from train import draw

import longfat

LEARNED = {"kind": "external", "control": "learned", "recovery": "rack-tlp"}
FLAVORS: dict[str, Any] = {
    "learned": LEARNED,
    "bbr3": "bbr3",
    "bbr": "bbr",
    "cubic": "cubic",
}


def outcome(path: dict[str, Any], flavor: object) -> tuple[float, float, float]:
    """Efficiency, the mean queueing delay in seconds, and network power, of a whole run."""
    path = path | {"tcp": path["tcp"] | {"flavor": flavor}}
    metrics = longfat.run(path)["metrics"]
    efficiency, waiting_s = metrics["efficiency"], metrics["mean_queueing_delay_s"]
    delay_ms = float(path["topology"]["bottleneck"]["delay"].removesuffix(" ms"))
    round_trip_s = 2 * delay_ms / 1e3
    return efficiency, waiting_s, efficiency * round_trip_s / (round_trip_s + waiting_s)


def main() -> None:
    """Print a table."""
    longfat.use_control("learned", Path(__file__).with_name("policy.py"))
    rng = np.random.default_rng(2026)
    paths = [draw(rng) for _ in range(10)]
    print("| flavor | efficiency | mean queueing delay | power |\n| --- | ---: | ---: | ---: |")
    for name, flavor in FLAVORS.items():
        efficiency, waiting_s, power = np.mean([outcome(path, flavor) for path in paths], axis=0)
        print(f"| {name} | {efficiency:.2f} | {waiting_s * 1e3:.0f} ms | {power:.2f} |")


if __name__ == "__main__":
    main()

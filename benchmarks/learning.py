"""Speed of the environments for learned congestion control.

    .venv/bin/python -m benchmarks.learning [--record FILE] [--splice PAGE] [--repetitions N]

A path of 20 Mbit/s and 52 ms with one agent that decides each 100 ms by a rule of one line, so that
only the environments are measured: as many in parallel as a row says, on all cores, the fastest of
some repetitions of a second each. `--record` stores the result, `--splice` puts the table of the
newest record into a page.
"""

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from benchmarks.recorded import Recorded

from longfat.learning import PathEnvironments
from longfat.running.execution import usable_cores

PLACES = (1, 8, 64)
INTERVAL_S = 0.1
SECONDS = 1.0
PATH: Mapping[str, Any] = {
    "schema_version": 1,
    "duration": "30 s",
    "framing": "packet",
    "topology": {
        "kind": "n-source",
        "sources": 1,
        "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "20 Mbit/s", "delay": "25 ms"},
    },
    "port": {"buffer": "1 BDP"},
    "tcp": {
        "preset": "linux-like",
        "flavor": {"kind": "external", "control": "learner", "recovery": "rack-tlp"},
    },
}


def decisions_per_second(places: int) -> float:
    """Return the decisions per second of wall time, of all environments together."""
    environments = PathEnvironments([PATH] * places, interval_s=INTERVAL_S)
    observations, _ = environments.reset(seed=1)
    steps, begun = 0, time.perf_counter()
    while (taken := time.perf_counter() - begun) < SECONDS:
        actions = 0.3 - observations[:, 0] - 5 * observations[:, 1]
        observations, *_ = environments.step(actions[:, np.newaxis])
        steps += 1
    return steps * places / taken


def measured(repetitions: int) -> dict[str, Any]:
    """Measure all numbers of environments in turn."""
    rates = [
        {places: decisions_per_second(places) for places in PLACES} for _ in range(repetitions)
    ]
    fastest = {str(places): round(max(rate[places] for rate in rates)) for places in PLACES}
    return {"cores": usable_cores(), "interval_s": INTERVAL_S, "decisions_per_second": fastest}


def page(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    lines = [
        f"| environments on {record['cores']} cores | decisions a second | simulated s a second |",
        "| ---: | ---: | ---: |",
    ]
    for places, rate in record["decisions_per_second"].items():
        lines.append(f"| {places} | {rate:,} | {rate * record['interval_s']:,.0f} |")
    return "\n".join(lines)


LEARNING = Recorded("learning", "python -m benchmarks.learning", measured, page, repetitions=5)

if __name__ == "__main__":
    sys.exit(LEARNING.main(__doc__))

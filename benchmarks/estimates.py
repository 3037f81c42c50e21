"""Estimates of runs beside what the runs took: generated scenarios, and many connections.

    .venv/bin/python -m benchmarks.estimates [--record FILE] [--splice PAGE] [--repetitions N]

The program `generated` of the crate `untrusted` draws N scenarios from the declarations, estimates
them, runs them under limits and compares. Runs with many connections are compared one by one: with
so many the estimate is from what lines can carry.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from benchmarks.profile import HERE, table
from benchmarks.recorded import Recorded

from longfat import _engine

FIRST_SEED = 12_026_000
"""Others than those of campaigns of faults."""

GENERATED = HERE.parent / "target" / "release" / "generated"
BUILD = "cargo build --quiet --release --package longfat-untrusted --bin generated"

SCENARIO = """\
schema_version = 1
duration = "{duration}"
framing = "packet"
port.buffer = "1000 packets"
tcp.preset = "linux-6.12"
traffic = {traffic}

[topology]
kind = "n-source"
sources = {sources}
access = {{ rate = "1 Gbit/s", delay = "1 ms" }}
bottleneck = {{ rate = "{rate}", delay = "20 ms" }}
"""

MANY = {
    "100,000 transfers without end": (100_000, '"infinite"'),
    "100,000 transfers of 14 kB": (100_000, '{ kind = "finite", size = "14 kB" }'),
    "a transfer of 14 kB each 10 us": (
        1,
        '{ kind = "flows", interval = "10 us", size = { kind = "fixed", size = "14 kB" } }',
    ),
    "a transfer of 14 kB each 3 us": (
        1,
        '{ kind = "flows", interval = "3 us", size = { kind = "fixed", size = "14 kB" } }',
    ),
}
RATES = ("10 Mbit/s", "10 Gbit/s")
DURATIONS = ("10 ms", "1 s")


def measured(count: int) -> dict[str, object]:
    """Compare the estimates of `count` generated scenarios, and of runs with many connections."""
    subprocess.run(BUILD.split(), cwd=HERE.parent, check=True)
    seeds = ["--from", str(FIRST_SEED), "--count", str(count)]
    done = subprocess.run([GENERATED, *seeds], stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout.splitlines()[-1])
    return {
        "scenarios": count,
        "generated": {of: said[of] for of in ("events", "memory")},
        "many": [*many()],
    }


def many() -> Iterator[dict[str, Any]]:
    """Yield estimated and simulated events of runs with many connections."""
    for (name, (sources, traffic)), rate, duration in product(MANY.items(), RATES, DURATIONS):
        text = SCENARIO.format(duration=duration, rate=rate, sources=sources, traffic=traffic)
        resolved = _engine.resolve_scenario(text.encode(), name, [])
        estimated, *_ = _engine.scenario_cost(resolved)
        if_busy, *_ = _engine.scenario_cost_if_busy(resolved)
        yield {
            "transfers": name,
            "bottleneck": rate,
            "duration": duration,
            "estimated": round(estimated),
            "if_busy": round(if_busy),
            "simulated": events(resolved),
        }


def events(resolved: str) -> int:
    """Return the events of a run."""
    outcomes: list[str] = []
    _engine.run_batch([resolved], 1, lambda ended, _: outcomes.extend(text for _, text in ended))
    counted: int = json.loads(outcomes[0])["record"]["work"]["events"]
    return counted


def page(record: Mapping[str, Any]) -> str:
    """Return the tables of a record."""
    generated = record["generated"]
    rows = [
        [
            of,
            f"{found['runs']:,}",
            f"{found['median']:.2f}",
            f"{found['p99']:.2f}",
            f"{found['beyond_ten']:,}",
            f"{1 / found['lowest']:.3g}",
            f"{found['highest']:.3g}",
        ]
        for of, found in generated.items()
    ]
    header = [
        "estimate of", "runs", "median factor", "99 %", "beyond 10", "at worst too low",
        "at worst too high",
    ]  # fmt: skip
    busiest = [
        [
            each["transfers"],
            each["bottleneck"],
            each["duration"],
            f"{each['simulated']:,}",
            f"{each['estimated'] / each['simulated']:.2g}",
            f"{each['if_busy'] / each['simulated']:.2g}",
        ]
        for each in record["many"]
    ]
    many_header = [
        "many connections", "bottleneck", "duration", "events", "estimated / simulated",
        "from the lines alone",
    ]  # fmt: skip
    return (
        f"Of {record['scenarios']:,} generated scenarios:\n\n{table(header, rows)}\n\n"
        f"With many connections, one run each:\n\n{table(many_header, busiest)}"
    )


ESTIMATES = Recorded("estimates", "python -m benchmarks.estimates", measured, page, 26_000)

if __name__ == "__main__":
    sys.exit(ESTIMATES.main(__doc__))

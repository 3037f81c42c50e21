"""Cost of a run by number of connections: time per packet-hop, set-up, memory.

    cargo build --release --package longfat-bindings --example run_scenario
    .venv/bin/python -m benchmarks.connections [--record FILE] [--splice PAGE] [--repetitions N]

All send without end through one bottleneck of 10 Gbit/s and begin within half a second. A million,
more than there may be hosts, are of a hundred hosts that begin one after another until the run
ends, and share the lines of their hosts. The time is user CPU time without set-up, which is the
time of a run of a microsecond; the minimum of some repetitions. Memory is the peak of the process,
including its results and some 10 MB of the watcher. `--record` stores the result, `--splice` puts
the table of the newest record into a page without measuring anything.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.profile import HERE, Unmeasurable
from benchmarks.recorded import Recorded

PROGRAM = HERE.parent / "target" / "release" / "examples" / "run_scenario"
CONNECTIONS = (10, 100, 1_000, 10_000, 100_000)
SHARED = 1_000_000
"""Number of connections of the run in which they share lines, whose packets travel whole."""
HOSTS = 100
NEXT_TO = 100
"""Number of connections of the reference run."""
SETUP = "1 us"
SCENARIO = """\
schema_version = 1
duration = "{duration}"
framing = "{framing}"
port = {{ buffer = "{buffer}" }}
tcp = {{ mss = "1460 B", flavor = "newreno", receiver_window = "600000 B" }}
traffic = {traffic}

[topology]
kind = "n-source"
sources = {sources}
access = {{ rate = "10 Gbit/s", delay = "5 ms" }}
bottleneck = {{ rate = "10 Gbit/s", delay = "5 ms" }}
"""


ENDLESS = '{ kind = "infinite", start = "uniform(0 s, 500 ms)" }'


class Framing(NamedTuple):
    """A framing, with suitable settings."""

    kind: str
    seconds: float
    buffer: str

    def connections(self) -> tuple[int, ...]:
        """Return the numbers of connections."""
        return (*CONNECTIONS, SHARED) if self.kind == "packet" else CONNECTIONS

    def traffic(self, connections: int) -> str:
        """Return the traffic of so many connections."""
        if connections < SHARED:
            return ENDLESS
        interval = f'"{1e6 * self.seconds * HOSTS / connections:.0f} us"'
        size = '{ kind = "fixed", size = "100 MB" }'
        return f'{{ kind = "flows", interval = {interval}, size = {size} }}'


WATCHER = """
import os, subprocess, sys
program, scenario, record = sys.argv[1:]
with open(record, "w") as output:
    process = subprocess.Popen([program, scenario], stdout=output)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_utime, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Runs the program from a small process: peak memory includes that of the parent at the fork."""

FRAMINGS = (Framing("packet", 4, "25000 packets"), Framing("aal5", 1.5, "800000 cells"))


class Usage(NamedTuple):
    """Resources used by a run."""

    user_seconds: float
    peak_megabytes: float
    packet_hops: int
    driver: str


def run(framing: Framing, connections: int, duration: str, folder: Path) -> Usage:
    """Run a scenario in a process of its own."""
    scenario = folder / "many.toml"
    scenario.write_text(
        SCENARIO.format(
            duration=duration,
            framing=framing.kind,
            buffer=framing.buffer,
            traffic=framing.traffic(connections),
            sources=HOSTS if connections == SHARED else connections,
        )
    )
    record = folder / "record.json"
    watcher = [sys.executable, "-c", WATCHER, str(PROGRAM), str(scenario), str(record)]
    watched = subprocess.run(watcher, check=False, capture_output=True, text=True)
    if watched.returncode != 0:
        raise Unmeasurable(f"{PROGRAM} failed: {watched.stderr}")
    user_seconds, peak_kibibytes = watched.stdout.split()
    work = json.loads(record.read_text())["work"]
    megabytes = int(peak_kibibytes) * 1024 / 1e6
    return Usage(float(user_seconds), megabytes, work["packet_hops"], work["driver"])


def measured(repetitions: int) -> dict[str, Any]:
    """Measure all networks in turn; returns the minimum time of each."""
    if not PROGRAM.exists():
        raise Unmeasurable("build the example first: see the beginning of this file")
    runs = []
    with TemporaryDirectory() as folder:
        for framing in FRAMINGS:
            for connections in framing.connections():
                rounds = [
                    [
                        run(framing, connections, duration, Path(folder))
                        for duration in (f"{framing.seconds} s", SETUP)
                    ]
                    for _ in range(repetitions)
                ]
                wholes, setups = zip(*rounds, strict=True)
                whole, setup = min(wholes), min(setups)
                spent = whole.user_seconds - setup.user_seconds
                runs.append(
                    {
                        "framing": framing.kind,
                        "connections": connections,
                        "driver": whole.driver,
                        "packet_hops": whole.packet_hops,
                        "ns_per_packet_hop": round(1e9 * spent / whole.packet_hops, 1),
                        "setup_ms": round(1e3 * setup.user_seconds, 1),
                        "waiting_megabytes": round(setup.peak_megabytes, 1),
                        "megabytes": round(whole.peak_megabytes, 1),
                    }
                )
    return {"runs": runs}


def page(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    head = [
        *("framing", "connections", "ns per packet-hop", f"of that with {NEXT_TO}"),
        *("set-up, ms", "MB before any begins", "MB at most"),
    ]
    lines = [f"| {' | '.join(head)} |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    runs = record["runs"]
    alike = {run["framing"]: run for run in runs if run["connections"] == NEXT_TO}
    for one in runs:
        ratio = one["ns_per_packet_hop"] / alike[one["framing"]]["ns_per_packet_hop"]
        cells = [
            *(f"`{one['framing']}`", f"{one['connections']:,}"),
            *(f"{one['ns_per_packet_hop']:.0f}", f"{ratio:.1f}", f"{one['setup_ms']:.0f}"),
            *(f"{one['waiting_megabytes']:.0f}", f"{one['megabytes']:.0f}"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


MANY = Recorded("connections", "python -m benchmarks.connections", measured, page, repetitions=3)

if __name__ == "__main__":
    sys.exit(MANY.main(__doc__))

"""Cost of a packet in longfat, ns-2 and ns-3, on the same dumbbell.

`python -m benchmarks.peers.measure --record FILE` runs `dumbbell.toml`, `dumbbell.tcl` and, with
`--ns3 PROGRAM`, `dumbbell.cc` in turn, then the short flows of `web.toml` and `web.tcl`, and stores
as JSON the user CPU seconds, with set-up apart, the packets and, if valgrind is installed, the
instructions. `--page FILE` prints the table of a record, `--splice PAGE` puts it into a page. Needs
`ns` (Debian's ns2) and

    cargo build --release --package longfat-bindings --example run_scenario
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from longfat.report.splice import spliced

HERE = Path(__file__).parent
PROGRAM = HERE.parent.parent / "target" / "release" / "examples" / "run_scenario"
COMMAND = "python -m benchmarks.peers.measure --page"
SOURCES = (5, 15, 100)
FLAVORS = ("newreno", "sack")
BULK, WEB = "bulk", "short flows"
WEB_SECONDS = 12.0
"""Time within which all but the longest flows of `web.toml` end."""
STARTS_WITHIN_MICROSECONDS = 100_000
"""Time from the first connection's start to about the last one's."""
SETUP_SECONDS = 1e-6
"""Duration of a run that only measures set-up."""
LEAST_SECONDS = 0.2
"""Shortest user time measured at once: the system counts in ticks of some milliseconds."""
MOST_RUNS = 10
HOPS = 3
"""Links from a sender to its receiver; as many back."""


@dataclass(frozen=True)
class Case:
    """One dumbbell: the TCP, the number of connections, and the simulated seconds."""

    flavor: str
    sources: int
    seconds: float
    load: str = BULK

    def shortened(self, seconds: float) -> "Case":
        """Return the case with another number of simulated seconds."""
        return replace(self, seconds=seconds)


@dataclass(frozen=True)
class Tool:
    """A simulator: its command for a case, and how to read the packet-hops from its output."""

    name: str
    command: Callable[[Case], list[str]]
    packet_hops: Callable[[str], int]
    seconds: float
    repetitions: int
    counts_instructions: bool
    loads: tuple[str, ...] = (BULK, WEB)

    def seconds_of(self, case: Case) -> float:
        """Return the seconds to simulate: enough to exceed set-up, which grows with the sources."""
        if case.load == WEB:
            return case.seconds
        return self.seconds * max(1.0, case.sources / SOURCES[1])


@dataclass
class Cost:
    """Cost of a case with a tool: medians of repetitions."""

    tool: str
    flavor: str
    sources: int
    seconds: float
    repetitions: int
    packet_hops: int
    user_seconds: float
    setup_user_seconds: float
    instructions_per_packet_hop: float | None = None
    load: str = BULK
    all_user_seconds: list[float] = field(default_factory=list)

    @property
    def nanoseconds_per_packet_hop(self) -> float:
        """User CPU time without set-up."""
        return (self.user_seconds - self.setup_user_seconds) / self.packet_hops * 1e9

    @property
    def is_lost_in_setup(self) -> bool:
        """True if the time without set-up is a small difference of large numbers."""
        return self.user_seconds < 1.5 * self.setup_user_seconds


def _ours(case: Case, *overrides: str) -> list[str]:
    starts = [f"traffic.stagger={STARTS_WITHIN_MICROSECONDS // case.sources} us"]
    return [
        str(PROGRAM),
        str(HERE / ("dumbbell.toml" if case.load == BULK else "web.toml")),
        f"duration={case.seconds * 1e6:.0f} us",
        f"topology.sources={case.sources}",
        f"tcp.flavor={case.flavor}",
        *(starts if case.load == BULK else []),
        *overrides,
    ]


def _our_packet_hops(output: str) -> int:
    work = json.loads(output)["work"]
    return int(work["packet_hops"])


def _their_packet_hops(output: str) -> int:
    """Return the packet-hops of data sent and acknowledgments received.

    A dropped packet crossed one link; packets in flight at the end count as dropped.
    """
    data, acknowledgments = map(int, output.split())
    return data + (HOPS - 1 + HOPS) * acknowledgments


def _ns2(headers: str) -> Callable[[Case], list[str]]:
    scripts = {BULK: HERE / "dumbbell.tcl", WEB: HERE / "web.tcl"}
    return lambda case: [
        *("ns", str(scripts[case.load]), headers, case.flavor, str(case.sources)),
        f"{case.seconds:f}",
    ]


def tools(ns3: str | None, seconds: float, repetitions: int) -> Iterator[Tool]:
    """Yield the simulators to measure; the slow ns-3 a fifth as long and once."""
    in_cells = ("framing=aal5", "port.buffer=16000 cells")
    yield Tool("longfat", _ours, _our_packet_hops, seconds, repetitions, True)
    yield Tool(
        "longfat, in cells",
        lambda case: _ours(case, *in_cells),
        _our_packet_hops,
        seconds,
        repetitions,
        True,
    )
    for name, headers in (("ns-2, lean headers", "lean"), ("ns-2", "all")):
        yield Tool(name, _ns2(headers), _their_packet_hops, seconds, repetitions, True)
    if ns3:
        yield Tool(
            "ns-3",
            lambda case: [ns3, case.flavor, str(case.sources), f"{case.seconds:f}"],
            _their_packet_hops,
            seconds / 5,
            1,
            False,
            (BULK,),
        )


def run(command: list[str]) -> tuple[str, float]:
    """Return the output of a command, and its user CPU seconds."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with code {process.returncode}")
        output.seek(0)
        return output.read(), usage.ru_utime


def run_long_enough(command: list[str]) -> tuple[str, float]:
    """Return the output of a command, and its user CPU seconds, a mean of runs if it is short."""
    output, taken = run(command)
    runs = 1
    while taken < LEAST_SECONDS and runs < MOST_RUNS:
        taken += run(command)[1]
        runs += 1
    return output, taken / runs


def instructions(command: list[str]) -> int:
    """Count the instructions of a command with valgrind."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    process = subprocess.run([*tool, *command], capture_output=True, text=True, check=True)
    collected = re.search(r"Collected : (\d+)", process.stderr)
    if collected is None:
        sys.exit(f"valgrind printed no count:\n{process.stderr}")
    return int(collected[1])


def instructions_per_packet_hop(tool: Tool, case: Case) -> float:
    """Return the instructions without set-up, of a run of two seconds."""
    short, setup = case.shortened(2.0), case.shortened(SETUP_SECONDS)
    packet_hops = tool.packet_hops(run(tool.command(short))[0])
    return (instructions(tool.command(short)) - instructions(tool.command(setup))) / packet_hops


def measure(case: Case, all_tools: list[Tool]) -> Iterator[Cost]:
    """Measure every tool on one case, in turn, so that other load affects all."""
    all_tools = [tool for tool in all_tools if case.load in tool.loads]
    taken: dict[str, list[tuple[float, float]]] = {tool.name: [] for tool in all_tools}
    hops: dict[str, int] = {}
    for repetition in range(max(tool.repetitions for tool in all_tools)):
        for tool in (tool for tool in all_tools if repetition < tool.repetitions):
            output, whole = run_long_enough(tool.command(case.shortened(tool.seconds_of(case))))
            hops[tool.name] = tool.packet_hops(output)
            _, setup = run_long_enough(tool.command(case.shortened(SETUP_SECONDS)))
            taken[tool.name].append((whole, setup))
    for tool in all_tools:
        wholes, setups = zip(*taken[tool.name], strict=True)
        cost = Cost(
            tool.name,
            case.flavor,
            case.sources,
            tool.seconds_of(case),
            tool.repetitions,
            hops[tool.name],
            statistics.median(wholes),
            statistics.median(setups),
            load=case.load,
            all_user_seconds=list(wholes),
        )
        counted = case.sources == min(SOURCES) and case.load == BULK
        if tool.counts_instructions and counted and shutil.which("valgrind"):
            cost.instructions_per_packet_hop = instructions_per_packet_hop(tool, case)
        yield cost


def page(costs: list[Cost]) -> str:
    """Return a table of cost per packet-hop with every tool, its ratio to longfat's, and set-up."""
    header = [
        *("TCP", "sources", "simulator", "ns per packet-hop", "of longfat's"),
        *("instructions per packet-hop", "user CPU, s", "of it set-up"),
    ]
    rows = []
    ours = {(c.flavor, c.sources, c.load): c for c in costs if c.tool == "longfat"}
    for cost in costs:
        own = cost.nanoseconds_per_packet_hop
        least = ours[cost.flavor, cost.sources, cost.load].nanoseconds_per_packet_hop
        counted = cost.instructions_per_packet_hop
        rows.append(
            [
                *(cost.flavor, _sources(cost), cost.tool),
                "lost in set-up" if cost.is_lost_in_setup else f"{own:.0f}",
                "" if cost.is_lost_in_setup else f"{own / least:.1f}",
                "" if counted is None else f"{counted:.0f}",
                f"{cost.user_seconds:.3f}",
                f"{cost.setup_user_seconds:.3f}",
            ]
        )
    lines = [header, ["---", "---:", "---", *["---:"] * 5], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _sources(cost: Cost) -> str:
    return str(cost.sources) if cost.load == BULK else f"{cost.sources}, {cost.load}"


def _read(record: Path) -> list[Cost]:
    return [Cost(**cost) for cost in json.loads(record.read_text())["costs"]]


def _keep(record: Path, costs: list[Cost]) -> None:
    machine = {"platform": platform.platform(), "cores": os.cpu_count(), "load": os.getloadavg()}
    content = {
        "date": datetime.now(tz=UTC).date().isoformat(),
        **machine,
        "costs": [asdict(cost) for cost in costs],
    }
    record.write_text(json.dumps(content, indent=1) + "\n")


def main() -> int:
    """Measure and store, or show a record."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", type=Path, help="measure, and keep the costs in this file")
    parser.add_argument("--ns3", metavar="PROGRAM", help="dumbbell.cc, built")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds simulated")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--page", type=Path, metavar="RECORD", help="show this record")
    parser.add_argument("--splice", metavar="PAGE", type=Path, help="put its table into a page")
    options = parser.parse_args()
    if options.record:
        all_tools = list(tools(options.ns3, options.seconds, options.repetitions))
        costs: list[Cost] = []
        cases = [Case(flavor, n, options.seconds) for flavor in FLAVORS for n in SOURCES]
        for case in [*cases, Case(FLAVORS[0], SOURCES[1], WEB_SECONDS, WEB)]:
            costs += measure(case, all_tools)
            _keep(options.record, costs)
    shown = options.page or options.record
    if shown is None:
        parser.error("--record FILE to measure, or --page FILE to show")
    table = page(_read(shown))
    if options.splice:
        before = options.splice.read_text()
        options.splice.write_text(spliced(before, COMMAND, table, str(options.splice)))
    else:
        print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

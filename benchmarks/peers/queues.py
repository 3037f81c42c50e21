"""Comparison of queue disciplines with ns-3, under equal TCP traffic.

`python -m benchmarks.peers.queues --ns3 PROGRAM --record FILE` runs `queues.toml` and `queues.cc`
(README.md says how to build it) with each discipline and numbers of sources, and stores as JSON the
utilization of the bottleneck and the mean wait of packets, after a warm-up, in several runs with
different starts of the connections; with `--only` measures some disciplines and takes the others
from FILE. `--page FILE` prints the table of a record, `--splice PAGE` puts it into a page.
"""

import argparse
import json
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from longfat.report.splice import spliced
from longfat.running.run import run
from longfat.scenarios.scenario import load_scenario

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.peers.queues --page"
DISCIPLINES = ("tail-drop", "codel", "fq-codel", "pie")
SOURCES = (4, 8)
WARM_UP_SECONDS = 20
SECONDS = 80
STARTS_WITHIN_MILLISECONDS = (700, 900, 1100, 1300)
"""Seeds of the runs, for disciplines that draw."""
RUNS = {"fq-codel": 4}
"""Runs with this discipline, instead of 2: on FQ-CoDel the starts have most influence."""
RATE_BPS = 40e6
OURS: dict[str, dict[str, str]] = {
    # ns-3's CoDel is Linux's.
    "codel": {"port.queue.square_root": "newton"},
    # ns-3's PIE is active however short the queue, as ours is where the buffer is no limit.
    # ns-3's quantum is the largest packet of the line, which all packets of data are.
    "fq-codel": {"port.queue.quantum": "1502 B"},
    "pie": {"port.buffer": "unlimited", "port.queue.mean_packet": "1502 B"},
}
"""Further settings that make a discipline equal to that of ns-3."""


@dataclass(frozen=True)
class Outcome:
    """Utilization of the link and mean wait in s, between warm-up and end."""

    utilization: float
    mean_wait_s: float


@dataclass(frozen=True)
class Pair:
    """A discipline with a number of sources, in longfat and in ns-3."""

    discipline: str
    sources: int
    here: tuple[Outcome, ...]
    """One outcome for each of the first STARTS_WITHIN_MILLISECONDS."""
    ns3: tuple[Outcome, ...]


def main() -> None:
    """Compare, or show a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", type=Path, metavar="PROGRAM", help="queues.cc, built")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the results here")
    parser.add_argument("--only", nargs="+", choices=DISCIPLINES, help="these disciplines")
    parser.add_argument("--page", type=Path, metavar="RECORD", help="show this record")
    parser.add_argument("--splice", metavar="PAGE", type=Path, help="put its table into a page")
    options = parser.parse_args()
    if options.page is None and (options.ns3 is None or options.record is None):
        parser.error("--ns3 PROGRAM and --record FILE to compare, or --page FILE to show")
    if options.page is None:
        write(options.record, measured(options.record, options.ns3, options.only))
    table = page(read(options.page or options.record))
    if options.splice:
        before = options.splice.read_text()
        options.splice.write_text(spliced(before, COMMAND, table, str(options.splice)))
    else:
        print(table, end="")


def measured(record: Path, ns3: Path, only: list[str] | None) -> list[Pair]:
    """Measure all pairs, or those of some disciplines and take the others from a record."""
    new = compared(ns3, only or DISCIPLINES)
    kept = [pair for pair in read(record) if pair.discipline not in only] if only else []
    place = {case: number for number, case in enumerate(cases(DISCIPLINES))}
    return sorted(new + kept, key=lambda pair: place[pair.discipline, pair.sources])


def cases(disciplines: Sequence[str]) -> list[tuple[str, int]]:
    """Return these disciplines with all numbers of sources."""
    return [(discipline, sources) for sources in SOURCES for discipline in disciplines]


def compared(ns3: Path, disciplines: Sequence[str]) -> list[Pair]:
    """Compare these disciplines with all numbers of sources; ns-3 takes most time, on all cores."""
    all_cases = cases(disciplines)
    runs = [(*case, number) for case in all_cases for number in range(runs_of(case[0]))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(runs, pool.map(lambda run: in_ns3(ns3, *run), runs), strict=True))
    return [
        Pair(
            *case,
            here=tuple(here(*case, number) for number in range(runs_of(case[0]))),
            ns3=tuple(outcomes[*case, number] for number in range(runs_of(case[0]))),
        )
        for case in all_cases
    ]


def runs_of(discipline: str) -> int:
    """Return the number of compared runs."""
    return RUNS.get(discipline, 2)


def in_ns3(program: Path, discipline: str, sources: int, number: int) -> Outcome:
    """Return the outcome of ns-3."""
    starts = STARTS_WITHIN_MILLISECONDS[number] / 1000
    arguments = [discipline, sources, starts, WARM_UP_SECONDS, SECONDS, number + 1]
    command = [str(program.resolve()), *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    carried, wait, _dropped = done.stdout.split()
    return Outcome(8 * int(carried) / RATE_BPS / (SECONDS - WARM_UP_SECONDS), float(wait))


def here(discipline: str, sources: int, number: int) -> Outcome:
    """Return longfat's outcome: a run to the end minus one to the end of the warm-up."""
    settings: dict[str, str | int] = {
        "topology.sources": sources,
        "traffic.stagger": f"{1000 * STARTS_WITHIN_MILLISECONDS[number] // sources} us",
        "port.queue.kind": discipline,
        "replication": number,
        **OURS.get(discipline, {}),
    }
    first, whole = (
        run(load_scenario(HERE / "queues.toml", {**settings, "duration": f"{seconds} s"}))
        for seconds in (WARM_UP_SECONDS, SECONDS)
    )
    sent, waited, busy = (
        end - start for start, end in zip(totals(first), totals(whole), strict=True)
    )
    return Outcome(busy / (SECONDS - WARM_UP_SECONDS), waited / sent)


def totals(record: dict) -> tuple[float, float, float]:  # type: ignore[type-arg]
    """Return packets that left the bottleneck, their total wait and its busy time in seconds."""
    port = record["ports"][0]
    sent = port["cells_out"]
    seconds = record["scenario"]["duration_ps"] / 1e12
    return sent, sent * record["metrics"]["mean_queueing_delay_s"], seconds * port["utilization"]


def mean(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the means of several outcomes."""
    return Outcome(
        fmean(outcome.utilization for outcome in outcomes),
        fmean(outcome.mean_wait_s for outcome in outcomes),
    )


def write(file: Path, pairs: list[Pair]) -> None:
    """Write the results to a file."""
    file.write_text(json.dumps([asdict(pair) for pair in pairs], indent=2) + "\n")


def read(file: Path) -> list[Pair]:
    """Read the results from a file."""

    def outcomes(rows: list[dict[str, float]]) -> tuple[Outcome, ...]:
        return tuple(Outcome(**row) for row in rows)

    return [
        Pair(row["discipline"], row["sources"], outcomes(row["here"]), outcomes(row["ns3"]))
        for row in json.loads(file.read_text())
    ]


def page(pairs: list[Pair]) -> str:
    """Return the means as a Markdown table, with the shortest and the longest wait in ms."""
    lines = [
        "| discipline | sources | utilization | in ns-3 | wait, ms | in ns-3 | difference |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for pair in pairs:
        here, ns3 = mean(pair.here), mean(pair.ns3)
        lines.append(
            f"| `{pair.discipline}` | {pair.sources} | {here.utilization:.3f} | "
            f"{ns3.utilization:.3f} | {waits(pair.here)} | {waits(pair.ns3)} | "
            f"{here.mean_wait_s / ns3.mean_wait_s - 1:+.1%} |"
        )
    return "\n".join(lines) + "\n"


def waits(outcomes: Sequence[Outcome]) -> str:
    """Format the mean of several waits in ms, with the shortest and the longest."""
    all_ms = [1e3 * outcome.mean_wait_s for outcome in outcomes]
    return f"{fmean(all_ms):.2f} ({min(all_ms):.2f} to {max(all_ms):.2f})"


if __name__ == "__main__":
    main()

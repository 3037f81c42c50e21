"""What a queue discipline makes of the same TCP traffic here and in ns-3.

`python -m benchmarks.peers.queues --ns3 PROGRAM --record FILE` runs `queues.toml` and `queues.cc`
(README.md says how to build it) with each discipline and numbers of sources, and keeps as JSON how
busy the bottleneck was and for how long packets waited on the mean, after a warm-up. `--page FILE`
prints the table of a record, `--splice PAGE` puts it into a page.
"""

import argparse
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from longfat.report.splice import spliced
from longfat.scenario import load_scenario, run

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.peers.queues --page"
DISCIPLINES = ("tail-drop", "codel", "fq-codel", "pie")
SOURCES = (4, 8)
WARM_UP_SECONDS = 20
SECONDS = 140
STARTS_WITHIN_MILLISECONDS = 1000
REPLICATIONS = 2
"""With other draws, where a discipline draws."""
RATE_BPS = 40e6


@dataclass(frozen=True)
class Outcome:
    """Between warm-up and end: share of the time that the line was busy, and mean wait in s."""

    utilization: float
    mean_wait_s: float


@dataclass(frozen=True)
class Pair:
    """A discipline with a number of sources, here and in ns-3."""

    discipline: str
    sources: int
    here: Outcome
    ns3: Outcome


def main() -> None:
    """Compare, or show a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ns3", type=Path, metavar="PROGRAM", help="queues.cc, built")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the results here")
    parser.add_argument("--page", type=Path, metavar="RECORD", help="show this record")
    parser.add_argument("--splice", metavar="PAGE", type=Path, help="put its table into a page")
    options = parser.parse_args()
    if options.page is None and (options.ns3 is None or options.record is None):
        parser.error("--ns3 PROGRAM and --record FILE to compare, or --page FILE to show")
    if options.page is None:
        write(options.record, compared(options.ns3))
    table = page(read(options.page or options.record))
    if options.splice:
        before = options.splice.read_text()
        options.splice.write_text(spliced(before, COMMAND, table, str(options.splice)))
    else:
        print(table, end="")


def compared(ns3: Path) -> list[Pair]:
    """All disciplines and numbers of sources; ns-3 takes most of the time, one core for each."""
    cases = [(discipline, sources) for sources in SOURCES for discipline in DISCIPLINES]
    with ThreadPoolExecutor() as pool:
        theirs = list(pool.map(lambda case: in_ns3(ns3, *case), cases))
    return [
        Pair(*case, mean([here(*case, number) for number in range(REPLICATIONS)]), outcome)
        for case, outcome in zip(cases, theirs, strict=True)
    ]


def in_ns3(program: Path, discipline: str, sources: int) -> Outcome:
    """What ns-3 makes of it."""
    outcomes = []
    for number in range(1, REPLICATIONS + 1):
        arguments = [discipline, sources, WARM_UP_SECONDS, SECONDS, number]
        command = [str(program.resolve()), *map(str, arguments)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        carried, wait, _dropped = done.stdout.split()
        bits = 8 * int(carried)
        outcomes.append(Outcome(bits / RATE_BPS / (SECONDS - WARM_UP_SECONDS), float(wait)))
    return mean(outcomes)


def here(discipline: str, sources: int, replication: int) -> Outcome:
    """What longfat makes of it: a run to the end less one to the end of the warm-up."""
    first, whole = (
        run(load_scenario(HERE / "queues.toml", settings))
        for settings in (
            {
                "duration": f"{seconds} s",
                "topology.sources": sources,
                "traffic.stagger": f"{STARTS_WITHIN_MILLISECONDS // sources} ms",
                "port.queue": discipline,
                "replication": replication,
            }
            for seconds in (WARM_UP_SECONDS, SECONDS)
        )
    )
    sent, waited, busy = (
        end - start for start, end in zip(totals(first), totals(whole), strict=True)
    )
    return Outcome(busy / (SECONDS - WARM_UP_SECONDS), waited / sent)


def totals(record: dict) -> tuple[float, float, float]:  # type: ignore[type-arg]
    """Packets that left the bottleneck, the seconds that they waited, and those it was busy."""
    port = record["ports"][0]
    sent = port["cells_out"]
    seconds = record["scenario"]["duration_ps"] / 1e12
    return sent, sent * record["metrics"]["mean_queueing_delay_s"], seconds * port["utilization"]


def mean(outcomes: list[Outcome]) -> Outcome:
    """The means of several."""
    return Outcome(
        fmean(outcome.utilization for outcome in outcomes),
        fmean(outcome.mean_wait_s for outcome in outcomes),
    )


def write(file: Path, pairs: list[Pair]) -> None:
    """Keep the results."""
    file.write_text(json.dumps([asdict(pair) for pair in pairs], indent=2) + "\n")


def read(file: Path) -> list[Pair]:
    """The results that a file has."""
    return [
        Pair(row["discipline"], row["sources"], Outcome(**row["here"]), Outcome(**row["ns3"]))
        for row in json.loads(file.read_text())
    ]


def page(pairs: list[Pair]) -> str:
    """The results as a Markdown table; waits in ms."""
    lines = [
        "| discipline | sources | utilization | in ns-3 | mean wait, ms | in ns-3 | difference |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for pair in pairs:
        difference = pair.here.mean_wait_s / pair.ns3.mean_wait_s - 1
        lines.append(
            f"| `{pair.discipline}` | {pair.sources} | {pair.here.utilization:.3f} | "
            f"{pair.ns3.utilization:.3f} | {1e3 * pair.here.mean_wait_s:.2f} | "
            f"{1e3 * pair.ns3.mean_wait_s:.2f} | {difference:+.1%} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()

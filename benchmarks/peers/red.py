"""Comparison of RED with that of ns-2, under equal TCP traffic.

`python -m benchmarks.peers.red --record FILE` runs `red.toml`, with RED as the paper and as ns-2
reads its figure, and `red.tcl`, with several seeds and starts of the connections, and stores
goodput, drops and mean queue as JSON. `--page FILE` prints the table of a record, `--splice PAGE`
puts it into a page.
"""

import argparse
import json
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from longfat.report.splice import spliced
from longfat.running.run import run
from longfat.scenarios.scenario import load_scenario

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.peers.red --page"
SOURCES = 20
WARM_UP_SECONDS = 20
SECONDS = 80
STARTS_WITHIN_MILLISECONDS = (700, 900, 1100, 1300, 1500, 1700, 1900, 2100)
"""Each run has its own starts and its own seed."""
PAPER, OF_NS2, NS2 = "here, as figure 2 has it", "here, as ns-2 has it", "ns-2"
READINGS = {
    PAPER: {},
    OF_NS2: {
        "port.queue.spacing": "uniform-after-wait",
        "port.queue.short_queue": "let-in",
        "port.queue.first_above_minimum": "let-in",
        "port.queue.samples_after_idle": "idle-time-and-arrival",
    },
}


@dataclass(frozen=True)
class Outcome:
    """Goodput in bit/s, packets dropped and mean waiting packets, between warm-up and end."""

    goodput_bps: float
    packets_dropped: int
    mean_queue_packets: float


Record = dict[str, tuple[Outcome, ...]]
"""The outcomes of all runs, by where they come from."""


def main() -> None:
    """Compare, or show a record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the results here")
    parser.add_argument("--page", type=Path, metavar="RECORD", help="show this record")
    parser.add_argument("--splice", metavar="PAGE", type=Path, help="put its table into a page")
    options = parser.parse_args()
    if options.page is None and options.record is None:
        parser.error("--record FILE to compare, or --page FILE to show")
    if options.page is None:
        write(options.record, compared())
    table = page(read(options.page or options.record))
    if options.splice:
        before = options.splice.read_text()
        options.splice.write_text(spliced(before, COMMAND, table, str(options.splice)))
    else:
        print(table, end="")


def compared() -> Record:
    """Run all."""
    runs = range(len(STARTS_WITHIN_MILLISECONDS))
    ours = {name: tuple(here(settings, n) for n in runs) for name, settings in READINGS.items()}
    return {**ours, NS2: tuple(in_ns2(number) for number in runs)}


def here(settings: dict[str, str], number: int) -> Outcome:
    """Return longfat's outcome."""
    changed: dict[str, str | int] = {
        "duration": f"{SECONDS} s",
        "measure.from": f"{WARM_UP_SECONDS} s",
        "traffic.stagger": f"{1000 * STARTS_WITHIN_MILLISECONDS[number] // SOURCES} us",
        "replication": number + 1,
        **settings,
    }
    record = run(load_scenario(HERE / "red.toml", changed))
    port = record["ports"][0]
    goodput_bps = record["metrics"]["goodput_bps"]
    return Outcome(goodput_bps, port["packets_dropped"], port["mean_queue_cells"])


def in_ns2(number: int) -> Outcome:
    """Return the outcome of ns-2."""
    within = STARTS_WITHIN_MILLISECONDS[number] / 1000
    arguments = [within, WARM_UP_SECONDS, SECONDS, number + 1]
    command = ["ns", str(HERE / "red.tcl"), *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    goodput, dropped, queue = done.stdout.split()
    return Outcome(float(goodput), int(dropped), float(queue))


def write(file: Path, record: Record) -> None:
    """Write the results to a file."""
    rows = {name: [asdict(outcome) for outcome in outcomes] for name, outcomes in record.items()}
    file.write_text(json.dumps(rows, indent=2) + "\n")


def read(file: Path) -> Record:
    """Read the results from a file."""
    rows = json.loads(file.read_text())
    return {name: tuple(Outcome(**row) for row in of_name) for name, of_name in rows.items()}


def page(record: Record) -> str:
    """Return the means as a Markdown table, with the least and the most of the runs."""
    lines = [
        "| RED | goodput, Mbit/s | packets dropped | mean queue, packets |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, outcomes in record.items():
        columns = (
            spread([outcome.goodput_bps / 1e6 for outcome in outcomes], 2),
            spread([outcome.packets_dropped for outcome in outcomes], 0),
            spread([outcome.mean_queue_packets for outcome in outcomes], 1),
        )
        lines.append(f"| {name} | {' | '.join(columns)} |")
    return "\n".join(lines) + "\n"


def mean(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the means of several outcomes."""
    return Outcome(
        fmean(outcome.goodput_bps for outcome in outcomes),
        round(fmean(outcome.packets_dropped for outcome in outcomes)),
        fmean(outcome.mean_queue_packets for outcome in outcomes),
    )


def spread(numbers: Sequence[float], decimals: int) -> str:
    """Format the mean of several numbers, with the least and the most."""
    least, most = min(numbers), max(numbers)
    return f"{fmean(numbers):.{decimals}f} ({least:.{decimals}f} to {most:.{decimals}f})"


if __name__ == "__main__":
    main()

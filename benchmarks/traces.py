"""What all traces of a run cost: instructions and user CPU time, with them over without.

    .venv/bin/python -m benchmarks.traces [--record FILE] [--splice PAGE] [--repetitions N]

Each scenario of `benchmarks/scenarios` is run with every trace that `longfat run --trace` leaves
and without, 20 s long, by a small program that does nothing else: under valgrind's callgrind, and
for its user CPU time, the least of some repetitions; and by `longfat run`, which has an interpreter
to start either way. `--record` keeps the result, `--splice`
puts the table of the newest record into a page without measuring anything. Needs valgrind and the
release build of an example:

    cargo build --release --package longfat-trace --example watch_scenario
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.profile import (
    HERE,
    Unmeasurable,
    compiler,
    counted,
    object_to_machine,
)

from longfat.report.splice import spliced

PROGRAM = HERE.parent / "target" / "release" / "examples" / "watch_scenario"
BUILD = "cargo build --release --package longfat-trace --example watch_scenario"
COMMAND = "python -m benchmarks.traces"
LONG = "20 s"
"""Long enough that a process's start is not most of it."""


@dataclass(frozen=True)
class Cost:
    """The cost of one scenario without traces and with all of them."""

    without: float
    with_all: float

    @property
    def ratio(self) -> float:
        """How many times as much it is with them."""
        return self.with_all / self.without


def instructions(scenario: Path) -> Cost:
    """Instructions of a long run.

    Raises `Unmeasurable` where they cannot be counted.
    """
    object_to_machine(PROGRAM, BUILD)

    def count(watched: str) -> int:
        command = [str(PROGRAM), str(scenario), watched, f"duration={LONG}"]
        return sum(counted(command)[1].values())

    with TemporaryDirectory() as folder:
        return Cost(count("unwatched"), count(folder))


def user_seconds(scenario: Path, repetitions: int) -> Cost:
    """User CPU time of a long run."""
    with TemporaryDirectory() as folder:
        command = [str(PROGRAM), str(scenario)]
        length = f"duration={LONG}"
        return _least([[*command, "unwatched", length], [*command, folder, length]], repetitions)


def command_seconds(scenario: Path, repetitions: int) -> Cost:
    """User CPU time of a long run by `longfat run`, with its interpreter's start."""
    with TemporaryDirectory() as folder:
        program = Path(sys.executable).with_name("longfat")
        command = [str(program), "run", str(scenario), "--set", f"duration={LONG}"]
        return _least([command, [*command, "--trace", folder]], repetitions)


def _least(commands: list[list[str]], repetitions: int) -> Cost:
    """The commands in turn, so that what else goes on burdens both."""
    rounds = [[_user_seconds(command) for command in commands] for _ in range(repetitions)]
    return Cost(*(min(times) for times in zip(*rounds, strict=True)))


def _user_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measured(repetitions: int) -> dict[str, object]:
    """All scenarios, with the date and how busy the machine was before."""
    load = os.getloadavg()[0]
    scenarios = {}
    for scenario in sorted((HERE / "scenarios").glob("*.toml")):
        costs = {
            "instructions": instructions(scenario),
            "user_s": user_seconds(scenario, repetitions),
            "command_user_s": command_seconds(scenario, repetitions),
        }
        scenarios[scenario.stem] = {name: asdict(cost) for name, cost in costs.items()}
        ratios = (f"{name} {cost.ratio:.2f}" for name, cost in costs.items())
        print(f"{scenario.stem}: {', '.join(ratios)}", file=sys.stderr)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "compiler": compiler(),
        "load": load,
        "cores": os.cpu_count(),
        "repetitions": repetitions,
        "scenarios": scenarios,
    }


def page(record: dict[str, dict[str, dict[str, dict[str, float]]]]) -> str:
    """The table of a record."""
    seconds = "user CPU time | the same of `longfat run`"
    lines = [f"| scenario, {LONG} | instructions | {seconds} |", "| --- | ---: | ---: | ---: |"]
    for name, costs in record["scenarios"].items():
        kinds = ("instructions", "user_s", "command_user_s")
        ratios = (f"{Cost(**costs[kind]).ratio:.2f}" for kind in kinds)
        lines.append(f"| `{name}` | {' | '.join(ratios)} |")
    return "\n".join(lines)


def latest_record() -> Path:
    """The newest record that is kept.

    Raises `Unmeasurable` if there is none.
    """
    records = sorted((HERE / "record").glob("*-traces.json"))
    if not records:
        raise Unmeasurable("there is no record; --record makes one")
    return records[-1]


def main() -> int:
    """Measure, or show what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", metavar="FILE", type=Path, help="keep the result in FILE")
    parser.add_argument(
        "--splice", metavar="PAGE", type=Path, help="put the newest record's table into a page"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="of each long run")
    options = parser.parse_args()
    try:
        if options.splice:
            text = page(json.loads(latest_record().read_text()))
            before = options.splice.read_text()
            options.splice.write_text(spliced(before, COMMAND, text, str(options.splice)))
            return 0
        subprocess.run(BUILD.split(), cwd=HERE.parent, check=True)
        record = json.dumps(measured(options.repetitions), indent=2)
    except Unmeasurable as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return 2
    if options.record:
        options.record.write_text(record + "\n")
    else:
        print(record)
    return 0


if __name__ == "__main__":
    sys.exit(main())

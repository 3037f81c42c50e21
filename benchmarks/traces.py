"""Cost of all traces of a run: ratio of instructions and user CPU time with and without them.

    .venv/bin/python -m benchmarks.traces [--record FILE] [--splice PAGE] [--repetitions N]

Each scenario of `benchmarks/scenarios` is run with every trace that `longfat run --trace` leaves
and without, 20 s long, by a small program that does nothing else: under valgrind's callgrind, and
for its user CPU time, the minimum of some repetitions; and by `longfat run`, which starts an
interpreter in both cases. `--record` stores the result, `--splice` puts the table of the newest
record into a page without measuring anything. Needs valgrind and the release build of an example:

    cargo build --release --package longfat-bindings --example watch_scenario
"""

import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.profile import HERE, compiler, counted, object_to_machine
from benchmarks.recorded import Recorded

PROGRAM = HERE.parent / "target" / "release" / "examples" / "watch_scenario"
BUILD = "cargo build --release --package longfat-bindings --example watch_scenario"
LONG = "20 s"
"""Duration that makes the start of the process negligible."""


@dataclass(frozen=True)
class Cost:
    """Cost of one scenario without traces and with all of them."""

    without: float
    with_all: float

    @property
    def ratio(self) -> float:
        """Ratio of the cost with traces to that without."""
        return self.with_all / self.without


def instructions(scenario: Path) -> Cost:
    """Count the instructions of a long run. Raises `Unmeasurable` if that is impossible."""
    object_to_machine(PROGRAM, BUILD)
    with TemporaryDirectory() as folder:
        command = [str(PROGRAM), str(scenario)]
        length = f"duration={LONG}"
        return Cost(_count([*command, "unwatched", length]), _count([*command, folder, length]))


def command_instructions(scenario: Path) -> Cost:
    """Count those of a long `longfat run`, including the interpreter's start, as `instructions`."""
    object_to_machine()
    with TemporaryDirectory() as folder:
        command = [sys.executable, *_command(scenario)]
        return Cost(_count(command), _count([*command, "--trace", folder]))


def _count(command: list[str]) -> int:
    return sum(counted(command)[1].values())


def user_seconds(scenario: Path, repetitions: int) -> Cost:
    """Measure the user CPU time of a long run."""
    with TemporaryDirectory() as folder:
        command = [str(PROGRAM), str(scenario)]
        length = f"duration={LONG}"
        return _least([[*command, "unwatched", length], [*command, folder, length]], repetitions)


def command_seconds(scenario: Path, repetitions: int) -> Cost:
    """Measure the user CPU time of a long `longfat run`, including the interpreter's start."""
    with TemporaryDirectory() as folder:
        command = _command(scenario)
        return _least([command, [*command, "--trace", folder]], repetitions)


def _command(scenario: Path) -> list[str]:
    program = Path(sys.executable).with_name("longfat")
    return [str(program), "run", str(scenario), "--set", f"duration={LONG}"]


def _least(commands: list[list[str]], repetitions: int) -> Cost:
    """Run the commands in turn, so that other load affects both."""
    rounds = [[_user_seconds(command) for command in commands] for _ in range(repetitions)]
    return Cost(*(min(times) for times in zip(*rounds, strict=True)))


def _user_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def measured(repetitions: int) -> dict[str, object]:
    """Measure all scenarios; the result names the compiler.

    Raises `Unmeasurable` if instructions cannot be counted.
    """
    subprocess.run(BUILD.split(), cwd=HERE.parent, check=True)
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
    return {"compiler": compiler(), "scenarios": scenarios}


def page(record: Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]) -> str:
    """Return the table of a record."""
    seconds = "user CPU time | the same of `longfat run`"
    lines = [f"| scenario, {LONG} | instructions | {seconds} |", "| --- | ---: | ---: | ---: |"]
    for name, costs in record["scenarios"].items():
        kinds = ("instructions", "user_s", "command_user_s")
        ratios = (f"{Cost(**costs[kind]).ratio:.2f}" for kind in kinds)
        lines.append(f"| `{name}` | {' | '.join(ratios)} |")
    return "\n".join(lines)


TRACES = Recorded("traces", "python -m benchmarks.traces", measured, page, repetitions=5)

if __name__ == "__main__":
    sys.exit(TRACES.main(__doc__))

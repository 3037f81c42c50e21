"""Start-up time: help, and `longfat run` of a short and a longer LAN, compared with bare Python.

    .venv/bin/python -m benchmarks.startup [--record FILE] [--splice PAGE] [--repetitions N]

Wall time of whole processes, the minimum of some repetitions, all in turn. A plain short run does
not import the command line (`longfat.cli.start`); *with an option* is the same run with an option
without effect, which imports it. `--record` stores the result, `--splice` puts the table of the
newest record into a page without measuring anything.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.profile import HERE
from benchmarks.recorded import Recorded

BARE = "python -c pass"
LENGTHS = ("10 ms", "10 s")
NO_LIMIT = ("--limit", "events=none")


def commands(folder: Path) -> dict[str, list[str]]:
    """Return the commands to measure by name; writes their scenarios into `folder`."""
    program = str(Path(sys.executable).with_name("longfat"))
    lan = [
        line
        for line in (HERE / "scenarios" / "lan-5.toml").read_text().splitlines()
        if not line.startswith("duration")
    ]
    named = {
        BARE: [sys.executable, "-c", "pass"],
        "its libraries": [sys.executable, "-c", "import click, json"],
        "`longfat --help`": [program, "--help"],
    }
    for length in LENGTHS:
        scenario = folder / f"{length.replace(' ', '-')}.toml"
        scenario.write_text("\n".join([f'duration = "{length}"', *lan]))
        plain = [program, "run", str(scenario)]
        named[f"`longfat run`, {length}"] = plain
        named[f"`longfat run --json`, {length}"] = [*plain, "--json"]
        named[f"`longfat run` with an option, {length}"] = [*plain, *NO_LIMIT]
    return named


def milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Return the wall time of a whole process in ms."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return 1e3 * (time.perf_counter() - started)


def measured(repetitions: int) -> dict[str, object]:
    """Measure all commands in turn, so that other load affects all; returns the minimum of each."""
    # Without a writable bytecode cache Python would compile everything each time.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    with TemporaryDirectory() as folder:
        named = commands(Path(folder))
        rounds = [
            [milliseconds(command, environment) for command in named.values()]
            for _ in range(repetitions)
        ]
    least = [min(times) for times in zip(*rounds, strict=True)]
    return {
        "python": sys.version.split()[0],
        "ms": {name: round(time_ms, 2) for name, time_ms in zip(named, least, strict=True)},
    }


def page(record: Mapping[str, Mapping[str, float]]) -> str:
    """Return the table of a record."""
    times = record["ms"]
    lines = ["| LAN, 5 sources | ms | of Python alone |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {ms:.0f} | {ms / times[BARE]:.1f} |" for name, ms in times.items()]
    return "\n".join(lines)


STARTUP = Recorded("startup", "python -m benchmarks.startup", measured, page, repetitions=30)

if __name__ == "__main__":
    sys.exit(STARTUP.main(__doc__))

"""What it takes to start: `longfat run` of a short and a longer LAN beside Python alone.

    .venv/bin/python -m benchmarks.startup [--record FILE] [--splice PAGE] [--repetitions N]

Whole processes, wall time, the least of some repetitions, all in turn. Plainly asked, a short
simulation is done before the command line is loaded (`longfat.start`); *with an option* is the same
with one that asks for nothing else and for which it is loaded. `--record` keeps the result,
`--splice` puts the table of the newest record into a page without measuring anything.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.profile import HERE, Unmeasurable

from longfat.report.splice import spliced

COMMAND = "python -m benchmarks.startup"
BARE = "python -c pass"
LENGTHS = ("10 ms", "10 s")
NO_LIMIT = ("--limit", "events=none")


def commands(folder: Path) -> dict[str, list[str]]:
    """What is measured, by name; scenarios are written into `folder`."""
    program = str(Path(sys.executable).with_name("longfat"))
    lan = [
        line
        for line in (HERE / "scenarios" / "lan-5.toml").read_text().splitlines()
        if not line.startswith("duration")
    ]
    named = {BARE: [sys.executable, "-c", "pass"]}
    for length in LENGTHS:
        scenario = folder / f"{length.replace(' ', '-')}.toml"
        scenario.write_text("\n".join([f'duration = "{length}"', *lan]))
        plain = [program, "run", str(scenario)]
        named[f"`longfat run`, {length}"] = plain
        named[f"`longfat run --json`, {length}"] = [*plain, "--json"]
        named[f"`longfat run` with an option, {length}"] = [*plain, *NO_LIMIT]
    return named


def milliseconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Wall time of a whole process."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return 1e3 * (time.perf_counter() - started)


def measured(repetitions: int) -> dict[str, object]:
    """All commands, with the date and how busy the machine was before."""
    load = os.getloadavg()[0]
    # Where Python may not keep what it has compiled, it would compile everything each time.
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
        "date": datetime.now(UTC).date().isoformat(),
        "python": sys.version.split()[0],
        "load": load,
        "cores": os.cpu_count(),
        "repetitions": repetitions,
        "ms": {name: round(time_ms, 2) for name, time_ms in zip(named, least, strict=True)},
    }


def page(record: Mapping[str, Mapping[str, float]]) -> str:
    """The table of a record."""
    times = record["ms"]
    lines = ["| LAN, 5 sources | ms | of Python alone |", "| --- | ---: | ---: |"]
    lines += [f"| {name} | {ms:.0f} | {ms / times[BARE]:.1f} |" for name, ms in times.items()]
    return "\n".join(lines)


def latest_record() -> Path:
    """The newest record that is kept.

    Raises `Unmeasurable` if there is none.
    """
    records = sorted((HERE / "record").glob("*-startup.json"))
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
    parser.add_argument("--repetitions", type=int, default=30, help="of each command")
    options = parser.parse_args()
    try:
        if options.splice:
            text = page(json.loads(latest_record().read_text()))
            before = options.splice.read_text()
            options.splice.write_text(spliced(before, COMMAND, text, str(options.splice)))
            return 0
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

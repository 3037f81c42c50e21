"""Fuzz every target until it has had enough executions, and keep the counts.

Usage: ``python fuzz/campaign.py [--executions N] [--seconds S] [TARGET ...]``. Targets take turns
of S seconds each; it can be stopped and repeated at any time, and counts are added to the record.
"""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
RECORD = HERE.parent / "benchmarks/record/fuzzing.json"
FOUND = HERE / "found"
"""Texts that reached something new, beside those of `corpus`; a campaign goes on from them."""
ARTIFACTS = HERE / "artifacts"

HANG_SECONDS = 1
RESIDENT_MIB = 1024

ENOUGH = 10_000_000
"""Executions of a target."""

GENERATED = "generated"
"""Scenarios drawn from the declarations, by seed: the executions so far are the next seed."""
GENERATED_ENOUGH = 1_000_000
GENERATED_SLICE = 5_000

TARGETS = (
    "scenario",
    "study",
    "claims",
    "orbit",
    "trace",
    "scoreboard",
    "run",
    "reference_table",
    "measurement",
    GENERATED,
)

LONGEST = 400
"""The most bytes that are made up: short texts say what long ones can, and sooner."""


@dataclass
class Count:
    """What a target has gone through so far. Crashes and hangs are files in `artifacts`."""

    executions: int = 0
    seconds: int = 0
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    edges: int = 0
    last: str = ""


def main() -> None:
    """Give every target its turn until all have had enough."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--executions", type=int, default=ENOUGH)
    parser.add_argument("--seconds", type=int, default=60, help="length of a turn")
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    given = parser.parse_args()
    counts = read()
    programs = build(given.targets)
    enough = dict.fromkeys(given.targets, given.executions)
    enough[GENERATED] = min(given.executions, GENERATED_ENOUGH)
    while waiting := [name for name in given.targets if is_waiting(counts[name], enough[name])]:
        for name in waiting:
            if name == GENERATED:
                slice_of_seeds(programs[name], counts[name])
            else:
                turn(programs[name], name, counts[name], given.seconds)
            write(counts)
            print(f"{name}: {counts[name].executions:,} executions", flush=True)
    found = [file for count in counts.values() for file in (*count.crashes, *count.hangs)]
    sys.exit(f"to be mended: {' '.join(found)}" if found else 0)


def is_waiting(count: Count, enough: int) -> bool:
    """Whether a target needs a turn; one with something to be mended gets none."""
    return count.executions < enough and not count.crashes and not count.hangs


def build(targets: Sequence[str]) -> dict[str, list[str]]:
    """The command of each target, built. Nothing in the engine is unsafe: no sanitizer."""
    triple = "x86_64-unknown-linux-gnu"
    folder = Path(os.environ.get("CARGO_TARGET_DIR", HERE / "target")) / triple / "release"
    commands = {}
    for name in targets:
        if (script := HERE / f"{name}.py").exists():
            commands[name] = [sys.executable, str(script)]
            continue
        if name == GENERATED:
            cargo = ["cargo", "build", "--release", "--package", "longfat-untrusted"]
            subprocess.run([*cargo, "--bin", name], cwd=HERE.parent, check=True)
            target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
            commands[name] = [str(target / "release" / name)]
            continue
        cargo = ["cargo", "fuzz", "build", "--sanitizer", "none", "--target", triple, name]
        if not os.environ.get("LONGFAT_FUZZ_BUILT"):
            subprocess.run(cargo, cwd=HERE.parent, check=True)
        commands[name] = [str(folder / name)]
    return commands


def turn(program: Sequence[str], name: str, count: Count, seconds: int) -> None:
    """Fuzz for some seconds, and add up."""
    for folder in (FOUND / name, ARTIFACTS / name):
        folder.mkdir(parents=True, exist_ok=True)
    options = {
        "max_total_time": seconds,
        "timeout": HANG_SECONDS,
        "max_len": LONGEST,
        "rss_limit_mb": RESIDENT_MIB,
        "artifact_prefix": f"{ARTIFACTS / name}/",
        "print_final_stats": 1,
        "reload": 0,
    }
    before = set((ARTIFACTS / name).iterdir())
    flags = [f"-{option}={value}" for option, value in options.items()]
    corpora = [str(FOUND / name), str(HERE / "corpus" / name)]
    done = subprocess.run(
        [*program, *corpora, *flags], capture_output=True, text=True, errors="replace"
    )
    count.executions += number(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    count.seconds += seconds
    count.edges = number(r"cov: (\d+)", done.stderr)
    count.last = datetime.now(UTC).isoformat(timespec="seconds")
    for file in sorted(set((ARTIFACTS / name).iterdir()) - before):
        note(program, file, count)
    if done.returncode and not count.crashes and not count.hangs and "timeout" not in done.stderr:
        sys.exit(f"{name} ended with {done.returncode}:\n{done.stderr[-2000:]}")


def slice_of_seeds(program: Sequence[str], count: Count) -> None:
    """Examine the scenarios of the next seeds; those that fail are printed with their texts."""
    seeds = ["--from", str(count.executions), "--count", str(GENERATED_SLICE)]
    started = time.monotonic()
    done = subprocess.run([*program, *seeds], stdout=subprocess.PIPE, text=True)
    said = json.loads(done.stdout.splitlines()[-1])
    count.executions += said["executions"]
    count.seconds += round(time.monotonic() - started)
    count.crashes += [f"seed {seed}" for seed in said["failed"]]
    count.last = datetime.now(UTC).isoformat(timespec="seconds")


def note(program: Sequence[str], file: Path, count: Count) -> None:
    """Tell hangs from crashes, and from a machine that had other things to do for a second."""
    known = str(file.relative_to(HERE))
    if not file.name.startswith(("timeout-", "slow-unit-")):
        count.crashes.append(known)
    elif core_seconds(program, file) > HANG_SECONDS:
        count.hangs.append(known)
    else:
        file.unlink()


def core_seconds(program: Sequence[str], file: Path) -> float:
    """Seconds of a core that one text takes."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    subprocess.run([*program, str(file)], capture_output=True)
    return used() - before


def number(pattern: str, text: str) -> int:
    """The last number that a pattern finds; 0 without any."""
    found = re.findall(pattern, text)
    return int(found[-1]) if found else 0


def read() -> dict[str, Count]:
    """The counts so far, and zero for what has none."""
    known: Mapping[str, dict[str, object]] = (
        json.loads(RECORD.read_text()) if RECORD.exists() else {}
    )
    return {name: Count(**known.get(name, {})) for name in TARGETS}  # type: ignore[arg-type]


def write(counts: Mapping[str, Count]) -> None:
    """Keep the counts; the file is whole at any time."""
    text = json.dumps({name: asdict(count) for name, count in counts.items()}, indent=2)
    new = RECORD.with_suffix(".new")
    new.write_text(text + "\n")
    new.replace(RECORD)


if __name__ == "__main__":
    main()

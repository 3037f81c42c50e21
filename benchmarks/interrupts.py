"""Outcomes of Ctrl-C while `longfat run` starts: a SIGINT after 0 to 200 ms, in steps.

    .venv/bin/python -m benchmarks.interrupts [--record FILE] [--splice PAGE] [--repetitions N]

Each of N sweeps starts a process for each delay. On a busy machine everything takes longer: the
last delay of an outcome depends on the load, which the record has.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.profile import HERE, table
from benchmarks.recorded import Recorded

DELAYS_MS = range(201)

LENGTH = 'duration = "100000 s"'
"""Longer than the longest delay, whatever the machine."""

QUIET = "exit code 130, no message"
AT_WORK = "exit code 130, one message"
BY_PYTHON = "a traceback of Python"
BY_SYSTEM = "ended by the signal, no message"
IGNORED = "nothing: it goes on"
OTHER = "anything else"
OUTCOMES = {
    BY_SYSTEM: "before Python handles signals",
    BY_PYTHON: "while Python, and then the script that calls longfat, import modules",
    QUIET: "from the first modules of longfat on",
    AT_WORK: "once the run has begun",
    IGNORED: "in a callback of Python's own imports, whose exceptions it ignores",
    OTHER: "",
}

PATIENCE_SECONDS = 30
"""Time for an interrupted process to end on a busy machine."""


def measured(sweeps: int) -> dict[str, object]:
    """Count the outcomes of some sweeps, with the shortest and the longest delay of each."""
    # Without a writable bytecode cache Python would compile everything each time.
    environment = {
        name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
    }
    delays: dict[str, list[int]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "long.toml"
        lan = (HERE / "scenarios" / "lan-5.toml").read_text().splitlines()
        kept = [line for line in lan if not line.startswith("duration")]
        scenario.write_text("\n".join([LENGTH, *kept]))
        program = str(Path(sys.executable).with_name("longfat"))
        command = [program, "run", str(scenario), "--limit", "events=none"]
        interrupted(command, environment, 200)  # writes the bytecode
        for delay_ms in list(DELAYS_MS) * sweeps:
            delays[interrupted(command, environment, delay_ms)].append(delay_ms)
    return {
        "python": sys.version.split()[0],
        "outcomes": {
            outcome: {"times": len(of), "from_ms": min(of), "to_ms": max(of)}
            for outcome, of in sorted(delays.items())
        },
    }


def interrupted(command: Sequence[str], environment: Mapping[str, str], delay_ms: int) -> str:
    """Start a command, interrupt it after a delay, and return the outcome."""
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell ignores SIGINT in what it runs in the background.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    time.sleep(delay_ms / 1e3)
    process.send_signal(signal.SIGINT)
    try:
        _, talk = process.communicate(timeout=PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return IGNORED
    if "Traceback" in talk or "KeyboardInterrupt" in talk:
        return BY_PYTHON
    if process.returncode == -signal.SIGINT and not talk:
        return BY_SYSTEM
    if process.returncode == 128 + signal.SIGINT:
        return AT_WORK if talk else QUIET
    return OTHER


def page(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    found = record["outcomes"]
    rows = [
        [outcome, when, f"{found[outcome]['times']:,}",
         f"{found[outcome]['from_ms']} to {found[outcome]['to_ms']}"]
        for outcome, when in OUTCOMES.items()
        if outcome in found
    ]  # fmt: skip
    return table(["Ctrl-C ends in", "when", "times", "ms after the start"], rows)


INTERRUPTS = Recorded("interrupts", "python -m benchmarks.interrupts", measured, page, 3)

if __name__ == "__main__":
    sys.exit(INTERRUPTS.main(__doc__))

"""Cost of user controls: one window law in the engine, in C and in Python.

    .venv/bin/python -m benchmarks.controls [--record FILE] [--splice PAGE] [--repetitions N]

Each scenario is simulated with the flavor `newreno` and with `examples/controls/reno`, which give
identical packets: user CPU time of the process, the minimum of some repetitions, all in turn.
`--record` stores the result, `--splice` puts the table of the newest record into a page. Needs a
compiler (`cc`).
"""

import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.profile import HERE, Unmeasurable
from benchmarks.recorded import Recorded

import longfat
from longfat.controls import HEADER

EXAMPLES = HERE.parent / "examples" / "controls"
SCENARIOS = ("packets-5", "wan-5", "wan-5-large-packets")
DURATION = "100 s"
EXTERNAL = {"kind": "external", "control": "reno", "recovery": "newreno"}

Provide = Callable[[], object]


def library(folder: Path) -> Path:
    """Compile the example in C; returns its path. Raises `Unmeasurable` if that fails."""
    (folder / "longfat_control.h").write_text(HEADER)
    compiled = folder / "reno.so"
    command = ["cc", "-O2", "-shared", "-fPIC", f"-I{folder}", "-o", str(compiled)]
    try:
        subprocess.run([*command, str(EXAMPLES / "reno.c")], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Unmeasurable(f"{EXAMPLES / 'reno.c'} is not compiled: {error}") from None
    return compiled


def seconds(name: str, flavor: str | Mapping[str, Any]) -> tuple[float, str]:
    """Return the user CPU seconds of a run, and its fingerprint."""
    path = HERE / "scenarios" / f"{name}.toml"
    scenario = longfat.load_scenario(path, {"tcp.flavor": flavor, "duration": DURATION})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    record = longfat.run(scenario)
    taken = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
    return taken, record["fingerprint"]


def measured(repetitions: int) -> dict[str, Any]:
    """Measure all scenarios with all controls in turn."""
    with TemporaryDirectory() as folder:
        compiled = library(Path(folder))
        ways: dict[str, tuple[Provide, str | Mapping[str, Any]]] = {
            "ours": (lambda: None, "newreno"),
            "in C": (lambda: longfat.use_control("reno", compiled), EXTERNAL),
            "in Python": (lambda: longfat.use_control("reno", EXAMPLES / "reno.py"), EXTERNAL),
        }
        taken: dict[str, dict[str, list[float]]] = {
            name: {way: [] for way in ways} for name in SCENARIOS
        }
        for _ in range(repetitions):
            for name in SCENARIOS:
                fingerprints = set()
                for way, (provide, flavor) in ways.items():
                    provide()
                    spent, fingerprint = seconds(name, flavor)
                    taken[name][way].append(spent)
                    fingerprints.add(fingerprint)
                if len(fingerprints) != 1:
                    raise Unmeasurable(f"{name}: the controls are not the same")
    least = {
        name: {way: round(min(times), 3) for way, times in of_ways.items()}
        for name, of_ways in taken.items()
    }
    return {"duration": DURATION, "user_s": least}


def page(record: Mapping[str, Any]) -> str:
    """Return the table of a record."""
    lines = [
        f"| scenario, {record['duration']} | `newreno`, user CPU s | in C | in Python |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, of_ways in record["user_s"].items():
        ours = of_ways["ours"]
        ratios = [f"{of_ways[way] / ours:.1f} times" for way in ("in C", "in Python")]
        lines.append(f"| `{name}` | {ours:.2f} | {' | '.join(ratios)} |")
    return "\n".join(lines)


CONTROLS = Recorded("controls", "python -m benchmarks.controls", measured, page, repetitions=5)

if __name__ == "__main__":
    sys.exit(CONTROLS.main(__doc__))

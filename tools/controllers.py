"""Test every congestion control that comes with longfat in all situations.

Usage: ``python -m tools.controllers [--store FILE] [--jobs N] [--only NAME,...]``. Writes
`benchmarks/record/controllers.json`, of which `python -m tools.tables` makes the tables in
`docs/method/controllers.md`. A controller takes about 15 seconds of a core.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.studies.situations import shipped_controllers

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks/record/controllers.json"
PROGRAM = Path(sys.executable).parent / "longfat"

SETTINGS: Mapping[str, Sequence[str]] = {
    "dctcp": ["ecn=per-segment"],
    "prague": ["ecn=accurate-ace", "flavor.recovery=rack-tlp"],
}
"""Settings of controllers that answer to the share of marked bytes: an echo that conveys it.

Prague also has a recovery that leaves marks to it, as in the study `coexistence`.
"""


def main() -> None:
    """Test all controllers, or some again, and write the record."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", default="longfat.db")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--only", default=",".join(shipped_controllers()))
    arguments = parser.parse_args()
    known = json.loads(RECORD.read_text())["controllers"] if RECORD.exists() else {}
    for name in arguments.only.split(","):
        known[name] = tested(name, arguments.store, arguments.jobs)
    ordered = {name: known[name] for name in shipped_controllers() if name in known}
    record = {"engine": _engine.ENGINE_VERSION, "controllers": ordered}
    RECORD.write_text(json.dumps(record, indent=1) + "\n")


def tested(name: str, store: str, jobs: int | None) -> dict[str, Any]:
    """Return the settings of a controller and its verdicts by category and situation.

    Raises `subprocess.CalledProcessError` if longfat refuses it.
    """
    settings = SETTINGS.get(name, ())
    command = [str(PROGRAM), "test-controller", name, "--json", "--store", store]
    command += [word for setting in settings for word in ("--set", setting)]
    command += ["--jobs", str(jobs)] if jobs else []
    began = time.monotonic()
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command, stderr=process.stderr)
    verdicts: dict[str, dict[str, str]] = {}
    for found in json.loads(process.stdout)["situations"]:
        verdicts.setdefault(found["category"], {})[found["situation"]] = found["verdict"]
    failing = sum(verdict == "fails" for of in verdicts.values() for verdict in of.values())
    print(f"{name}: {failing} fail, {time.monotonic() - began:.0f} s", flush=True)
    return {"settings": list(settings), "verdicts": verdicts}


if __name__ == "__main__":
    main()

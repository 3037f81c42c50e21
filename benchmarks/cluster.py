"""Compare two Dask workers on this machine with two threads, with runs of `ubr-plus`.

Usage: ``python benchmarks/cluster.py [PAIRS]``. Threads and workers alternate, so that other load
affects both; throughput counts from the start of the first run to the end of the last, without the
start of the workers. The results are stored in `record/cluster.json`.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from sqlalchemy import create_engine, text

RUNS = ("ubr-plus", "--table", "2,3", "--replications", "4", "--where", "config = 'wan'")
WAYS = {"threads": ("--jobs", "2"), "workers": ("--cluster", "local:2")}
RECORD = Path(__file__).parent / "record/cluster.json"


def main() -> None:
    """Measure pairs; print and store the ratios of workers to threads."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    measured = [{way: measure(options) for way, options in WAYS.items()} for _ in range(pairs)]
    document = {
        "runs": measured[0]["threads"]["runs"],
        "pairs": measured,
        "throughput": median(measured, "runs_per_second"),
        "core_seconds": median(measured, "core_seconds"),
        "load": os.getloadavg()[0],
    }
    RECORD.write_text(json.dumps(document, indent=2) + "\n")
    print(json.dumps(document, indent=2))


def median(pairs: list[dict[str, dict[str, float]]], name: str) -> float:
    """Return the median of the ratios of workers to threads."""
    return statistics.median(pair["workers"][name] / pair["threads"][name] for pair in pairs)


def measure(options: tuple[str, ...]) -> dict[str, float]:
    """Run the study into a new store; returns runs per second, and CPU seconds of all processes."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "longfat.db"
        longfat = str(Path(sys.executable).with_name("longfat"))
        command = [longfat, "study", "run", *RUNS, *options, "--store", str(store)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(command)} failed")
        query = text("SELECT count(*), min(started_at), max(ended_at) FROM runs")
        with create_engine(f"sqlite:///{store}").connect() as connection:
            runs, started, ended = connection.execute(query).one()
    seconds = (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    return {
        "runs": runs,
        "runs_per_second": runs / seconds,
        "core_seconds": usage.ru_utime + usage.ru_stime,
    }


if __name__ == "__main__":
    main()

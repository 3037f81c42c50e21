"""Time and memory of verbs with a study of 100,000 stored runs.

The store is synthetic: the runs of `ubr-plus` in many replications, each with the record of one
real run of its number of sources, with slightly different metrics in each. Usage:
``python benchmarks/store_of_many_runs.py [RUNS]``; the results are stored in
`record/store-of-many-runs.json`.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from multiprocessing import get_context
from pathlib import Path

from longfat.running.run import run
from longfat.store import RunResult, Store
from longfat.studies.definition import load_study
from longfat.studies.plan import Plan, Selection, plan_design

STUDY = "ubr-plus"
PORTION = 1000
RECORD = Path(__file__).parent / "record/store-of-many-runs.json"
REPETITIONS = 3
NAMES = {"run": "resume"}


def main() -> None:
    """Fill a store, and measure each verb with it."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "longfat.db"
        # In a process of its own: otherwise its memory would count for the verbs, which it forks.
        with ProcessPoolExecutor(1, get_context("spawn")) as another:
            replications, distinct = another.submit(fill, store, runs).result()
        print(f"{distinct:,} stored runs, {store.stat().st_size / 2**20:,.0f} MiB")
        verbs = {}
        for verb in ("status", "compare", "run"):
            measured = [measure(verb, replications, store) for _ in range(REPETITIONS)]
            verbs[NAMES.get(verb, verb)] = min(measured, key=lambda one: one["core_seconds"])
    document = {"runs": distinct, "cores": os.cpu_count(), "verbs": verbs}
    RECORD.write_text(json.dumps(document, indent=2) + "\n")


def fill(store: Path, wanted: int) -> tuple[int, int]:
    """Put about `wanted` runs into a new store; returns replications per combination, and runs."""
    study = load_study(STUDY)
    combinations = len(plan_design(study, Selection(replications=0)).distinct)
    plan = plan_design(study, Selection(replications=wanted // combinations))
    results = list(synthetic(plan))
    with Store.writable(str(store)) as opened:
        for start in range(0, len(results), PORTION):
            opened.write(results[start : start + PORTION])
    return wanted // combinations, len(plan.distinct)


def synthetic(plan: Plan) -> Iterator[RunResult]:
    """Yield every run of a plan, with the record of a shorter run that has its flows."""
    records = {}
    chance = random.Random(1)
    now = datetime.now(UTC)
    for planned in plan.distinct.values():
        flows = planned.scenario.settings["topology"]["sources"]
        if flows not in records:
            short = {**planned.scenario.settings, "duration_ps": 10**9}
            records[flows] = run(short)
        record = records[flows]
        # Like real records: no two equal, and seventeen digits in each number.
        metrics = {
            name: value * chance.uniform(0.99, 1) for name, value in record["metrics"].items()
        }
        ended = now + timedelta(seconds=1)
        yield RunResult(planned.scenario, now, ended, {**record, "metrics": metrics}, None)


def measure(verb: str, replications: int, store: Path) -> dict[str, float]:
    """Measure a verb as a process, by the operating system's accounting."""
    arguments = [STUDY, "--replications", str(replications), "--store", str(store)]
    command = [str(Path(sys.executable).with_name("longfat")), "study", verb, *arguments]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    if status:
        sys.exit(f"{' '.join(command)} failed")
    cpu = usage.ru_utime + usage.ru_stime
    mib = usage.ru_maxrss / 1024
    print(f"{NAMES.get(verb, verb)}: {seconds:.2f} s ({cpu:.2f} s of a core), {mib:.0f} MiB")
    return {"seconds": seconds, "core_seconds": cpu, "mib": mib}


if __name__ == "__main__":
    main()

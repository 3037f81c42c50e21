"""This machine's kernel beside recordings of Linux and the model, in real time.

    .venv/bin/python -m benchmarks.kernel [--record FILE] [--splice PAGE] [--repetitions N]

N are the runs of each experiment. Needs root or user namespaces, and modprobe tcp_bbr for BBR; some
minutes for each repetition.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.profile import Unmeasurable, table
from benchmarks.recorded import Recorded

SHOWN = ("goodput", "first burst", "retransmissions", "mean queue", "period")
"""Measures that the page shows of every experiment."""

OUTSIDE = {"outside", "reversed"}


def measured(repetitions: int) -> dict[str, Any]:
    """Run all experiments that this kernel can have."""
    program = str(Path(sys.executable).with_name("longfat"))
    command = [program, "verify", "kernel", "--json", "--repetitions", str(repetitions)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode not in (0, 1):
        raise Unmeasurable(f"longfat verify kernel ended with exit code {ended.returncode}")
    document = json.loads(ended.stdout)
    (kernel,) = {
        run["kernel"]["release"] for each in document["recordings"] for run in each["runs"]
    }
    return {"kernel": kernel, **document}


def page(record: Mapping[str, Any]) -> str:
    """Return the tables of a record."""
    rows = record["recordings"]
    judged = [row for each in rows for row in each["measures"] if row["verdict"] != "not judged"]
    within = [
        sum(row[key] not in OUTSIDE for row in judged) for key in ("verdict", "verdict_of_longfat")
    ]
    whole = (
        f"Linux {record['kernel']}, {record['cores']} cores, which others of the machine shared: "
        f"their load before was {record['load']:.0f}. Runs of each experiment: "
        f"{record['repetitions']}. Of {len(judged)} measures that are judged, {within[0]} are "
        f"within their bands around the recordings, and {within[1]} within the same bands around "
        "the model."
    )
    each = [_of_recording(one) for one in rows if one["name"] == one["experiment"]]
    header = ["recorded / here / longfat", *SHOWN, "within", "p99 late, us"]
    outside = [
        [one["name"], row["measure"], *(_number(row[key]) for key in ("recorded", "kernel")),
         _number(row["longfat"]), _number(row["half_width"])]
        for one in rows for row in one["measures"] if row["verdict"] in OUTSIDE
    ]  # fmt: skip
    text = f"{whole}\n\n{table(header, each)}"
    if outside:
        columns = ["outside", "measure", "recorded", "here", "longfat", "band"]
        text += f"\n\n{table(columns, outside)}"
    return text


def _of_recording(one: Mapping[str, Any]) -> list[str]:
    by_name = {row["measure"]: row for row in one["measures"]}
    judged = [row for row in one["measures"] if row["verdict"] != "not judged"]
    within = sum(row["verdict"] not in OUTSIDE for row in judged)
    late = max(run["lateness"]["p99_s"] for run in one["runs"])
    return [
        one["name"],
        *(_three(by_name.get(name)) for name in SHOWN),
        f"{within} of {len(judged)}" if judged else "not judged",
        f"{1e6 * late:,.0f}",
    ]


def _three(row: Mapping[str, Any] | None) -> str:
    if row is None:
        return ""
    return " / ".join(_number(row[key]) for key in ("recorded", "kernel", "longfat"))


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"


KERNEL = Recorded("kernel", "python -m benchmarks.kernel", measured, page, 3)

if __name__ == "__main__":
    sys.exit(KERNEL.main(__doc__))

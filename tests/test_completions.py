import json
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.completions import in_short
from longfat.histogram import Histogram

FLOWS = """
schema_version = 1
duration = "5 s"
framing = "packet"

[topology]
kind = "n-source"
sources = 2
access = { rate = "1 Gbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "5 ms" }

[port]
buffer = "100 packets"

[traffic]
kind = "flows"
interval = "100 ms"
size = { kind = "bounded-pareto", smallest = "10 kB", largest = "1 MB", shape = 1.2 }
classes = ["1 kB", "100 kB"]
"""


def test_each_kind_has_its_counts_and_what_so_many_of_its_times_do_not_exceed(
    tmp_path: Path,
) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(FLOWS)
    kinds = {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}
    told = json.loads(in_short(kinds))
    short = told["flow up to 100 kB"]
    times = Histogram.of(kinds["flow up to 100 kB"]["times"])
    assert (short["asked"], short["delivered"]) == (
        kinds["flow up to 100 kB"]["asked"],
        times.count,
    )
    assert short["mean_s"] == pytest.approx(times.sum_us / times.count / 1e6)
    assert short["p95_s"] == times.quantile_seconds(0.95)
    assert short["p50_s"] <= short["p90_s"] <= short["p95_s"] <= short["p99_s"]


def test_a_kind_of_which_nothing_was_delivered_has_no_times(tmp_path: Path) -> None:
    file = tmp_path / "flows.toml"
    file.write_text(FLOWS)
    kinds = {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}
    assert json.loads(in_short(kinds))["flow up to 1 kB"] == {"asked": 0, "delivered": 0}

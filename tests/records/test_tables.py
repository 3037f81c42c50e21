"""The record of a run as tables."""

from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.records.tables import record_tables

SCENARIO = """
schema_version = 1
duration = "1 s"

[topology]
kind = "n-source"
sources = 2
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "10 ms" }

[framing]
kind = "ethernet"

[port]
buffer = "50 packets"
queue = "QUEUE"

[tcp]
mss = "1460 B"
receiver_window = "1 MB"

[traffic]
kind = "flows"
interval = "50 ms"
size = { kind = "fixed", size = "20 kB" }
"""


Tables = dict[str | None, list[dict[str, str]]]
"""The rows of each table by its title, each by its columns."""


def tables(folder: Path, queue: str) -> Tables:
    file = folder / "scenario.toml"
    file.write_text(SCENARIO.replace("QUEUE", queue))
    return {
        title: [dict(zip(header, row, strict=True)) for row in rows]
        for header, rows, title, _ in record_tables(run(load_scenario(file)))
    }


@pytest.mark.parametrize("queue", ["codel", "fq-codel", "cake", "pie", "red", "dualpi2"])
def test_a_queue_that_is_managed_is_a_table_with_its_delays_in_numbers(
    tmp_path: Path, queue: str
) -> None:
    found = tables(tmp_path, queue)
    (managed,) = found["queue of bottleneck"]
    assert managed["discipline"] == queue
    assert "policy" not in found["ports"][0], "a drop policy has no say where a queue is managed"
    quantiles = [float(managed[f"delay {word} s"]) for word in ("p50", "p95", "p99", "max")]
    assert quantiles == sorted(quantiles)
    assert quantiles[0] >= 0


def test_no_cell_of_any_table_is_a_document(tmp_path: Path) -> None:
    rows_of_tables = tables(tmp_path, "cake").values()
    found = [cell for rows in rows_of_tables for row in rows for cell in row.values()]
    assert not [cell for cell in found if cell.startswith(("{", "["))]


def test_what_was_asked_for_comes_with_the_times_that_it_took(tmp_path: Path) -> None:
    (flows,) = (row for row in tables(tmp_path, "codel")["completions"] if row["name"] == "flow")
    assert int(flows["delivered"]) <= int(flows["asked"])
    assert float(flows["time mean s"]) >= 20_000 * 8 / 10e6


def test_small_numbers_keep_their_digits(tmp_path: Path) -> None:
    metrics = {row["metric"]: row["value"] for row in tables(tmp_path, "codel")[None]}
    delay = metrics["mean_queueing_delay_s"]
    assert len(delay.lstrip("0.")) == 4


def test_metrics_count_packets_where_they_travel_whole(tmp_path: Path) -> None:
    whole = {row["metric"] for row in tables(tmp_path, "codel")[None]}
    assert {"max_queue_packets", "packet_loss_ratio"} <= whole
    assert not [name for name in whole if "cell" in name]
    cut = SCENARIO.replace("ethernet", "aal5").replace('queue = "QUEUE"\n', "")
    (tmp_path / "cells.toml").write_text(cut.replace("50 packets", "1000 cells"))
    _, metrics, *_ = next(iter(record_tables(run(load_scenario(tmp_path / "cells.toml")))))
    assert {"max_queue_cells", "cell_loss_ratio"} <= {name for name, _ in metrics}


def test_ports_count_packets_where_they_travel_whole(tmp_path: Path) -> None:
    file = tmp_path / "scenario.toml"
    file.write_text(SCENARIO.replace("QUEUE", "codel"))
    headers = [" ".join(header) for header, *_ in record_tables(run(load_scenario(file)))]
    assert any("max queue packets" in header for header in headers)
    assert not any("cells" in header for header in headers)

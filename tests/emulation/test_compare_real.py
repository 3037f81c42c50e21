"""Measured runs beside simulations: here runs that were simulated stand for the measured ones."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from longfat.emulation.comparison import Measure, Model, connections_of, measures, simulate
from longfat.records.record import Record
from longfat.running.run import run
from longfat.scenarios.scenario import Scenario, load_scenario
from tests.support import Longfat

MODEL = Model("linux-6.12", "cubic")

SCENARIO = """
schema_version = 1
duration = "6 s"
framing = { kind = "packet", header = "54 B" }
port.buffer = "32 packets"
connections = [{ GROUP, later = "100 ms" }, { flavor = "cubic", tcp.preset = "linux-6.12" }]
[topology]
kind = "n-source"
sources = 2
access = { rate = "1 Gbit/s", delay = "0.5 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "19 ms" }
"""

SIMULATED = (
    """tcp.preset = "linux-6.12", flavor = "cubic", traffic = { kind = "finite", size = "2 MB" }"""
)


def scenario(folder: Path, group: str) -> Scenario:
    path = folder / "scenario.toml"
    path.write_text(SCENARIO.replace("GROUP", group))
    return load_scenario(path)


def as_if_measured(folder: Path) -> Record:
    """The record of a simulated run, as if programs had sent its first connection."""
    simulated = run(scenario(folder, SIMULATED))
    flow = simulated["flows"][0]
    record = Record(copy.deepcopy(simulated))
    record["scenario"] = json.loads(scenario(folder, 'stack = "outside"').resolved)
    sent = {
        "began_s": flow["started_s"],
        "segments_retransmitted": flow["segments_retransmitted"],
        "mean_round_trip_s": flow["round_trips"]["mean_s"],
    }
    received = {"bytes": flow["bytes_delivered"], "latest_data_s": flow["finished_s"]}
    small = {"bytes": 300, "latest_data_s": 5.0}
    there: list[Any] = [{"sent": sent, "received": received}, {"sent": sent, "received": small}]
    record["emulation"] = {
        "seconds": 6.0,
        "kernel": {"release": "6.12", "default_control": "cubic"},
        "lateness": {"is_on_time": True},
        "tcp": [
            {"connection": 1, "address": f"10.0.0.1:{port}", "there": way, "back": None}
            for port, way in enumerate(there)
        ],
    }
    return record


def test_what_was_simulated_is_found_again(tmp_path: Path) -> None:
    record = as_if_measured(tmp_path)
    (connection,) = connections_of(record)
    assert (connection.group, connection.bytes) == (0, 2_000_000), "the small one is left out"
    found = list(measures([record], [simulate(record, MODEL, 0, 1)]))
    names = [one.name for one in found]
    assert names[0] == "tcp 1 seconds"
    assert "flow 2 goodput bps" in names
    assert {"bottleneck mean queue", "bottleneck dropped"} <= set(names)
    apart = {one.name: one.difference for one in found if abs(one.difference) > 1e-3}
    assert apart == {}


def test_another_control_is_told_from_the_measured_one(tmp_path: Path) -> None:
    record = as_if_measured(tmp_path)
    found = list(measures([record], [simulate(record, Model("linux-6.12", "bbr"), 0, 1)]))
    assert any(one.parts(0.05) for one in found)


def test_starts_are_spread_over_a_round_trip(tmp_path: Path) -> None:
    record = as_if_measured(tmp_path)
    began = [simulate(record, MODEL, start, 2)["flows"][0]["started_s"] for start in range(2)]
    assert began == pytest.approx([0.1, 0.12])


def test_ranges_part_if_they_are_further_apart_than_the_tolerance() -> None:
    assert not Measure("", [10, 12], [11.9, 15]).parts(0)
    assert Measure("", [10, 12], [12.1, 15]).parts(0)
    assert not Measure("", [10, 12], [12.1, 15]).parts(0.05)
    assert Measure("", [10, 12], [14, 15]).parts(0.05)
    assert Measure("", [0], [0]).difference == 0


def test_the_verb_prints_both_sides_and_strict_fails_where_they_part(
    longfat: Longfat, tmp_path: Path
) -> None:
    path = tmp_path / "measured.json"
    path.write_text(json.dumps(as_if_measured(tmp_path)))
    same = longfat("compare-real", str(path), "--starts", "1", "--strict")
    assert same.returncode == 0, same.stderr
    assert "tcp 1 goodput bps" in same.stdout
    other = longfat("compare-real", str(path), "--starts", "1", "--control", "bbr", "--strict")
    assert other.returncode == 3
    assert "--strict: the sides part in" in other.stderr
    document = json.loads(longfat("compare-real", str(path), "--starts", "2", "--json").stdout)
    assert document["control"] == "cubic"
    assert len(document["measures"][0]["simulated"]) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON"),
        ("[]", "no record of a run in real time"),
        ("{}", "longfat emulate"),
        ('{"emulation": {"tcp": []}}', "a record without flows, kernel"),
    ],
)
def test_what_is_no_record_is_refused(
    longfat: Longfat, tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "measured.json"
    path.write_text(text)
    ended = longfat("compare-real", str(path))
    assert ended.returncode == 2
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr

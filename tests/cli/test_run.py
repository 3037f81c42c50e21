import json
import os
import threading
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.scenarios.scenario import OverrideValue
from tests.support import Longfat

PCAPNG = b"\n\r\r\n"
"""First bytes of a capture."""


def test_json_is_the_record_with_its_remarks(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("run", scenario_file, "--json")
    assert process.returncode == 0
    assert process.stderr == ""
    assert json.loads(process.stdout) == {**run(scenario_file), "remarks": []}


def test_settings_and_seed_change_the_scenario(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat(
        "run", scenario_file, "--set", "topology.sources=3", "--set", "port.buffer = 500 cells",
        "--seed", "7", "--json",
    )  # fmt: skip
    record = json.loads(process.stdout)
    overrides: dict[str, OverrideValue] = {
        "topology.sources": 3,
        "port.buffer": "500 cells",
        "seed": 7,
    }
    assert record["scenario"] == load_scenario(scenario_file, overrides).settings
    assert record["seed"] == 7


def test_people_get_tables_on_stdout_and_talk_on_stderr(
    longfat: Longfat, scenario_file: Path
) -> None:
    process = longfat("run", scenario_file)
    assert process.returncode == 0
    for word in ("efficiency", "flow 2", "bottleneck", "goodput bps"):
        assert word in process.stdout
    assert "fingerprint" in process.stderr


def test_each_flow_and_every_metric_is_printed_when_asked_for(
    longfat: Longfat, scenario_file: Path
) -> None:
    many = ("--set", "topology.sources=12")
    brief, full = (longfat("run", scenario_file, *many, *more) for more in ((), ("--flows",)))
    for words in ("flow 12", "max_goodput_bps", "duplicate acknowledgments"):
        assert words not in brief.stdout
        assert words in full.stdout
    assert "--flows" in brief.stderr
    assert "--flows" not in full.stderr


def test_of_very_many_flows_it_is_said_how_many_are_left_out(
    longfat: Longfat, scenario_file: Path
) -> None:
    told = longfat("run", scenario_file, "--set", "topology.sources=120", "--flows").stderr
    assert "20 more flows: --json prints them all" in told


def test_of_several_managed_lines_it_is_said_which_one_results_are_of(longfat: Longfat) -> None:
    lot = Path(__file__).parents[2] / "examples" / "scenarios" / "parking-lot.toml"
    shown = longfat("run", lot, "--set", "duration=1 s").stderr
    assert "went: of the line middle; goodput_bps: of all connections" in " ".join(shown.split())


def test_a_resolved_scenario_can_be_run_again(
    longfat: Longfat, scenario_file: Path, tmp_path: Path
) -> None:
    record = json.loads(longfat("run", scenario_file, "--json").stdout)
    (tmp_path / "again.json").write_text(json.dumps(record["scenario"]))
    assert json.loads(longfat("run", "again.json", "--json").stdout) == record


def test_the_driver_is_in_the_record_and_changes_nothing_else(
    longfat: Longfat, scenario_file: Path
) -> None:
    records = {}
    for driver in ("fast", "events"):
        process = longfat("run", scenario_file, "--driver", driver, "--json")
        records[driver] = json.loads(process.stdout)
        assert records[driver]["work"].pop("driver") == driver
    assert records["fast"] == records["events"]


def test_a_scenario_that_the_fast_driver_does_not_know_is_handed_over_or_refused(
    longfat: Longfat, scenario_file: Path
) -> None:
    lossy = ("--set", "acknowledgment_loss={ kind = 'random', probability = 0.01 }")
    work = json.loads(longfat("run", scenario_file, *lossy, "--json").stdout)["work"]
    assert (work["driver"], work["handed_over"]) == ("events", "acknowledgments get lost")
    refused = longfat("run", scenario_file, *lossy, "--driver", "fast")
    assert refused.returncode == 2
    assert "--driver fast: acknowledgments get lost" in refused.stderr


def test_a_setting_can_be_what_a_file_has(longfat: Longfat, scenario_file: Path) -> None:
    steps = ["time_s,rate_bps", *(f"{step / 1e5:.5f},{10 + step % 7}e6" for step in range(9000))]
    schedule = scenario_file.with_name("measured.csv")
    schedule.write_text("\n".join(steps))
    assert schedule.stat().st_size > 100_000
    settings: dict[str, OverrideValue] = {
        "framing": "packet", "port.policy": "tail-drop", "port.buffer": "20 packets",
        "path.kind": "schedule",
    }  # fmt: skip
    words = [word for path, value in settings.items() for word in ("--set", f"{path}={value}")]
    process = longfat("run", scenario_file, *words, "--set", f"path.steps=@{schedule}", "--json")
    assert process.returncode == 0, process.stderr
    settings["path.steps"] = schedule.read_text()
    assert json.loads(process.stdout) == {
        **run(load_scenario(scenario_file, settings)),
        "remarks": [],
    }


def test_a_setting_in_a_file_that_is_not_there_is_refused_with_its_name(
    longfat: Longfat, scenario_file: Path
) -> None:
    process = longfat("run", scenario_file, "--set", "path.steps=@nowhere.csv")
    assert (process.returncode, process.stderr) == (2, "nowhere.csv: no such file or directory\n")


def test_an_error_in_a_setting_from_a_file_is_reported_with_its_name(
    longfat: Longfat, scenario_file: Path
) -> None:
    scenario_file.with_name("steps.csv").write_text("time_s,speed\n0,1\n")
    words = ["--set", "path.kind=schedule", "--set", "path.steps=@steps.csv"]
    process = longfat("run", scenario_file, *words)
    assert process.returncode == 2
    assert process.stderr.startswith("--set path.steps=@steps.csv: path.steps: line 1: unknown")


def test_a_long_setting_is_quoted_by_its_beginning(longfat: Longfat, scenario_file: Path) -> None:
    rows = "time_s,rate_bps\n" + "1,2\n" * 500
    process = longfat("run", scenario_file, "--set", f"path.steps={rows}")
    assert process.returncode == 2
    assert len(process.stderr.splitlines()) <= 2
    assert "--set path.steps=time_s,rate_bps...: path.steps" in process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "1", "--set", "seed=2"), "--seed: --set has a seed as well"),
        (
            ("--set", "port.policy.threshold=0.5", "--set", "port.policy=epd"),
            "--set: port.policy would undo port.policy.threshold: set it before",
        ),
        (("--trace", "t", "--trace-what", ","), "--trace-what: no trace is named"),
    ],
)
def test_settings_that_undo_each_other_are_refused(
    longfat: Longfat, scenario_file: Path, arguments: tuple[str, ...], message: str
) -> None:
    process = longfat("run", scenario_file, *arguments)
    assert process.returncode == 2
    assert message in process.stderr


@pytest.mark.parametrize("what", ["link", "pipe", "locked", "scenario", "traces"])
def test_a_capture_takes_the_place_of_nothing_but_a_capture(
    longfat: Longfat, scenario_file: Path, tmp_path: Path, what: str
) -> None:
    scenario = scenario_file.read_bytes()
    capture = tmp_path / "run.pcapng"
    if what == "link":
        (tmp_path / "link").symlink_to("run.pcapng")
        assert longfat("run", scenario_file, "--pcap", tmp_path / "link").returncode == 0
        assert (tmp_path / "link").is_symlink()
        assert capture.read_bytes()[:4] == PCAPNG
    elif what == "pipe":
        os.mkfifo(capture)
        read: list[bytes] = []
        reader = threading.Thread(target=lambda: read.append(capture.read_bytes()))
        reader.start()
        assert longfat("run", scenario_file, "--pcap", capture).returncode == 0
        reader.join()
        assert capture.is_fifo()
        assert read[0][:4] == PCAPNG
    elif what == "locked":
        capture.write_text("mine")
        capture.chmod(0o444)
        assert "read-only" in longfat("run", scenario_file, "--pcap", capture).stderr
        assert capture.read_text() == "mine"
    else:
        folder = tmp_path / "t"
        place = scenario_file if what == "scenario" else folder / "cwnd.parquet"
        process = longfat("run", scenario_file, "--trace", folder, "--pcap", place)
        assert process.returncode == 2
        assert "--pcap" in process.stderr
    assert scenario_file.read_bytes() == scenario

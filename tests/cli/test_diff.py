import json
from pathlib import Path

from tests.support import Longfat


def drops_more(scenario_file: Path) -> Path:
    smaller = scenario_file.with_name("smaller.toml")
    smaller.write_text(scenario_file.read_text().replace("200 cells", "100 cells"))
    return smaller


def test_a_run_does_not_part_from_itself(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("diff", scenario_file, scenario_file)
    assert process.returncode == 0
    assert "the scenarios are the same" in process.stderr
    assert "the runs do not part" in process.stderr
    document = json.loads(longfat("diff", scenario_file, scenario_file, "--json").stdout)
    assert document["settings"] == []
    assert document["divergence"] is None
    assert document["events_alike"] > 100
    assert document["compared_until_ps"] == 50 * 10**9


def test_two_buffers_part_at_the_first_cell_that_the_smaller_drops(
    longfat: Longfat, scenario_file: Path
) -> None:
    smaller = drops_more(scenario_file)
    document = json.loads(longfat("diff", scenario_file, smaller, "--json").stdout)
    assert document["settings"] == [{"path": "port.buffer_cells", "first": 200, "second": 100}]
    divergence = document["divergence"]
    assert divergence["after"][1][0]["what"] == "cell-dropped"
    assert divergence["after"][1][0]["time_ps"] == divergence["time_ps"]
    assert all(event["time_ps"] <= divergence["time_ps"] for event in divergence["before"])
    shown = longfat("diff", scenario_file, smaller)
    assert "port.buffer_cells" in shown.stdout
    assert "cell dropped" in shown.stdout
    assert f"in flow {divergence['flow']}" in shown.stderr


def test_settings_that_differ_are_told_as_scenarios_have_them(
    longfat: Longfat, scenario_file: Path
) -> None:
    opening = scenario_file.with_name("opening.json")
    opening.write_text(
        longfat("run", scenario_file, "--set", "tcp.handshake=true", "--scenario").stdout
    )
    shown = longfat("diff", scenario_file, opening)
    (row,) = (line.split() for line in shown.stdout.splitlines() if "tcp.handshake" in line)
    assert row == ["tcp.handshake", "false", "true"]


def test_a_stored_run_is_given_by_the_beginning_of_its_id(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    plan = json.loads(longfat("study", "plan", study_folder, "--quick", "--json").stdout)
    first, second = (run["run_id"] for run in plan["runs"][:2])
    document = json.loads(longfat("diff", first[:12], second[:12], "--json").stdout)
    assert document["runs"] == [first, second]
    assert document["settings"]


def test_what_is_no_run_is_named(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("diff", scenario_file, "0123abc")
    assert process.returncode == 2
    assert "no run is stored whose id begins with '0123abc'" in process.stderr
    missing = longfat("diff", scenario_file, "missing.toml")
    assert missing.returncode == 2
    assert "missing.toml" in missing.stderr

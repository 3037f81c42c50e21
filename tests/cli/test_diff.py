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


def test_settings_that_differ_are_printed_as_in_scenarios(
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


def test_one_setting_of_one_scenario_is_compared_without_a_copy(
    longfat: Longfat, scenario_file: Path
) -> None:
    name = scenario_file.name  # a short one, which no table breaks
    arguments = ("diff", name, name, "--set", "duration=20 ms")
    document = json.loads(
        longfat(*arguments, "--set-second", "port.buffer=100 cells", "--json").stdout
    )
    assert document["settings"] == [{"path": "port.buffer_cells", "first": 200, "second": 100}]
    assert document["compared_until_ps"] < 20 * 10**9
    shown = longfat(*arguments, "--set-second", "port.buffer=100 cells")
    assert f"{name} with port.buffer=100 cells" in " ".join(shown.stdout.split())
    alike = json.loads(longfat(*arguments, "--json").stdout)
    assert (alike["settings"], alike["compared_until_ps"]) == ([], 20 * 10**9)


def test_a_setting_that_undoes_another_of_the_second_scenario_is_refused(
    longfat: Longfat, scenario_file: Path
) -> None:
    settings = ("--set", "port.policy.z=0.5", "--set-second", "port.policy=epd")
    process = longfat("diff", scenario_file, scenario_file, *settings)
    assert process.returncode == 2
    assert "--set-second: port.policy would undo port.policy.z" in process.stderr


def test_nothing_is_set_in_a_stored_run(longfat: Longfat, study_folder: Path) -> None:
    longfat("study", "run", study_folder, "--quick")
    process = longfat("diff", "0", "1", "--set", "seed=2")
    assert process.returncode == 2
    assert "0 is a stored run and cannot be changed" in process.stderr


def test_runs_beyond_a_limit_are_not_compared(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("diff", scenario_file, scenario_file, "--limit", "events=1000")
    assert (process.returncode, process.stdout) == (2, "")
    assert "duration: a run would take about" in process.stderr
    many = ("--set-second", "topology.sources=100000", "--limit", "memory=1 MiB")
    process = longfat("diff", scenario_file, scenario_file, *many)
    assert (process.returncode, process.stdout) == (2, "")
    assert "of memory; the limit is 1 MiB" in process.stderr


def test_a_comparison_ends_at_its_limit_on_the_wall(longfat: Longfat, scenario_file: Path) -> None:
    long = ("--set", "duration=1000 s", "--limit", "wall=0.1 s", "--limit", "events=none")
    process = longfat("diff", scenario_file, scenario_file, *long)
    assert process.returncode == 1
    assert process.stderr == "stopped at its limit of 0.1 s (--limit wall=... raises it)\n"

import json
from pathlib import Path

import pytest

from tests.support import Longfat


def test_a_runs_ledger_sums_to_its_duration_to_the_picosecond(
    longfat: Longfat, scenario_file: Path
) -> None:
    record = json.loads(longfat("run", scenario_file, "--json").stdout)
    assert sum(entry["ps"] for entry in record["ledger"]) == record["scenario"]["duration_ps"]
    for entry in record["ledger"]:
        assert record["metrics"][f"share_{entry['cause']}"] == entry["share"]


def test_people_see_where_the_capacity_went_and_no_share_twice(
    longfat: Longfat, scenario_file: Path
) -> None:
    shown = longfat("run", scenario_file).stdout
    assert "capacity went to" in shown
    assert "idle slow start" in shown
    assert "share_" not in shown


def test_a_study_shows_the_ledger_of_each_combination_and_level(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder)
    document = json.loads(longfat("study", "compare", study_folder, "--ledger", "--json").stdout)
    assert len(document["rows"]) == 6
    for row in document["rows"]:
        assert sum(row["shares"].values()) == pytest.approx(1, abs=1e-12)
    shown = longfat("study", "compare", study_folder, "--ledger", "--by", "policy").stdout
    assert "idle timeout" in shown
    assert "fba" in shown
    markdown = longfat("study", "compare", study_folder, "--ledger", "--markdown").stdout
    assert markdown.splitlines()[2].startswith("| load | policy |")


def test_a_page_gets_the_ledger_between_the_comments_that_name_its_command(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder)
    command = "longfat study compare small --ledger --by load --markdown"
    page = tmp_path / "page.md"
    page.write_text(f"<!-- BEGIN: {command} -->\n<!-- END: {command} -->\n")
    longfat("study", "compare", study_folder, "--ledger", "--by", "load", "--splice", page)
    assert "| heavy |" in page.read_text()


def test_a_store_without_runs_says_how_to_get_them(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "compare", study_folder, "--ledger")
    assert process.returncode == 2
    assert "longfat study run" in process.stderr


def test_an_unknown_factor_is_refused_with_the_known_ones(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    process = longfat("study", "compare", study_folder, "--quick", "--ledger", "--by", "nothing")
    assert process.returncode == 2
    assert "--by: unknown factor 'nothing'; known: load, policy, z" in process.stderr


def test_a_ledger_is_compared_with_no_paper(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "compare", study_folder, "--ledger", "--within", "0.1")
    assert process.returncode == 2
    assert "leave out --within" in process.stderr

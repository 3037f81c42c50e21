"""study audit."""

import json
from pathlib import Path

import pytest

from tests.cli.test_claims import CLAIMS
from tests.conftest import STUDY
from tests.support import Longfat

ONE = ("--knob", "tcp.initial_window", "--replications", "1")


@pytest.fixture
def folder(study_folder: Path) -> Path:
    (study_folder / "claims.toml").write_text(CLAIMS)
    return study_folder


def test_the_plan_prints_runs_and_cost_and_runs_nothing(
    longfat: Longfat, folder: Path, tmp_path: Path
) -> None:
    process = longfat("study", "audit", folder, "--plan", *ONE)
    assert (process.returncode, process.stderr) == (0, "")
    assert "2 variations, 30 distinct runs, 30 missing; estimated cost" in process.stdout
    assert not (tmp_path / "longfat.db").exists()
    document = json.loads(longfat("study", "audit", folder, "--plan", "--json", *ONE).stdout)
    assert document["distinct_runs"] == document["missing_runs"] == 30
    assert document["estimated_core_seconds"] > 0
    assert [found["alternatives"][0]["alternative"] for found in document["variations"]] == [
        "4 MSS",
        "10 MSS",
    ]


def test_an_audit_runs_what_is_missing_and_prints_what_survives(
    longfat: Longfat, folder: Path
) -> None:
    process = longfat("study", "audit", folder, *ONE)
    assert process.returncode == 0, process.stderr
    assert "2 variations, 30 runs, 0 stored, 30 to run" in process.stderr
    for text in ("4 MSS", "S-1", "efficiency (table A)", "2 variations of 1 knob,"):
        assert text in process.stdout
    again = longfat("study", "audit", folder, *ONE)
    assert "30 stored, 0 to run" in again.stderr
    assert again.stdout == process.stdout


def test_runs_of_the_study_are_not_run_again(longfat: Longfat, folder: Path) -> None:
    assert longfat("study", "run", folder, "--replications", "1").returncode == 0
    process = longfat("study", "audit", folder, *ONE)
    assert "30 runs, 10 stored, 20 to run" in process.stderr


def test_an_audit_as_json_has_every_claim_under_every_variation(
    longfat: Longfat, folder: Path
) -> None:
    document = json.loads(longfat("study", "audit", folder, "--json", *ONE).stdout)
    assert [claim["id"] for claim in document["claims"]] == ["S-1", "S-2", "S-3"]
    assert [table["response"] for table in document["tables"]] == [
        "efficiency",
        "fairness",
        "efficiency",
    ]
    for variation in document["variations"]:
        assert variation.keys() >= {"alternatives", "combinations", "tables", "claims"}
        assert [claim["id"] for claim in variation["claims"]] == ["S-1", "S-2", "S-3"]
        for claim in variation["claims"]:
            assert claim["outcome"] in {"survives", "flips", "decided", "undecided", "no data"}


def test_without_running_an_audit_shows_what_is_stored(
    longfat: Longfat, folder: Path, tmp_path: Path
) -> None:
    process = longfat("study", "audit", folder, "--stored", *ONE)
    assert process.returncode == 0
    assert "30 of 30 runs have no result" in process.stderr
    assert not (tmp_path / "longfat.db").exists()
    process = longfat("study", "audit", folder, "--stored", "--plan")
    assert process.returncode == 2


def test_a_page_gets_the_audit_between_its_markers(
    longfat: Longfat, folder: Path, tmp_path: Path
) -> None:
    command = f"longfat study audit small --replications 1 --knob {ONE[1]} --markdown"
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n<!-- BEGIN: {command} -->\n<!-- END: {command} -->\nend\n")
    assert longfat("study", "audit", folder, *ONE, "--splice", page).returncode == 0
    markdown = longfat("study", "audit", folder, *ONE, "--markdown").stdout
    assert "| tcp.initial_window | 1 MSS | 4 MSS |" in markdown
    assert page.read_text() == (
        f"# Page\n<!-- BEGIN: {command} -->\n{markdown.strip()}\n<!-- END: {command} -->\nend\n"
    )


def test_pairs_come_after_single_knobs(longfat: Longfat, folder: Path) -> None:
    knobs = ("--knob", "tcp.timer_phase", "--knob", "tcp.handshake", "--replications", "0")
    process = longfat("study", "audit", folder, *knobs, "--pairs", "--plan", "--json")
    names = [
        [found["alternative"] for found in variation["alternatives"]]
        for variation in json.loads(process.stdout)["variations"]
    ]
    assert names == [
        ["per-connection"],
        ["from-start"],
        ["true"],
        ["per-connection", "true"],
        ["from-start", "true"],
    ]


def test_the_quick_part_is_the_audits_own_or_else_the_studys(
    longfat: Longfat, folder: Path
) -> None:
    def combinations() -> set[int]:
        process = longfat("study", "audit", folder, "--quick", "--plan", "--json", *ONE[:2])
        return {found["combinations"] for found in json.loads(process.stdout)["variations"]}

    assert combinations() == {4}
    own = "\n[audit.quick]\nreplications = 0\nwhere = \"policy = 'ubr'\"\n"
    (folder / "study.toml").write_text(STUDY + own)
    assert combinations() == {2}


def test_a_study_without_claims_is_audited_for_its_tables(
    longfat: Longfat, study_folder: Path
) -> None:
    process = longfat("study", "audit", study_folder, *ONE)
    assert process.returncode == 0
    assert "efficiency (table A)" in process.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--knob", "tcp.timer_fase"), "no knob 'tcp.timer_fase' is varied here; known: "),
        (("--table", "Z"), "small has no table 'Z'; its tables: A, B"),
        (("--where", "lode = 'light'"), "--where \"lode = 'light'\": no such column: lode"),
    ],
)
def test_bad_usage_is_one_message(
    longfat: Longfat, folder: Path, arguments: tuple[str, ...], expected: str
) -> None:
    process = longfat("study", "audit", folder, *arguments)
    assert process.returncode == 2
    assert process.stdout == ""
    assert expected in process.stderr
    assert "Traceback" not in process.stderr


def test_check_and_audit_tell_what_is_wrong_in_the_study_file(
    longfat: Longfat, folder: Path
) -> None:
    file = folder / "study.toml"
    file.write_text(STUDY + '\n[audit.keep]\n"tcp.handshak" = "none"\n')
    for command in (["check", file], ["study", "audit", folder]):
        process = longfat(*command)
        assert process.returncode == 2
        assert process.stdout == ""
        assert process.stderr == (
            f"{file}:{len(STUDY.splitlines()) + 3}:1: audit.keep: 'tcp.handshak' is no knob that "
            "the study leaves at its default; did you mean 'tcp.handshake'?\n"
        )

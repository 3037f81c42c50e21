"""study claims, and check and schema of files of claims."""

import json
from pathlib import Path

import pytest

from tests.support import Longfat

CLAIMS = '''\
schema_version = 1

[[claim]]
id = "S-1"
section = "1"
statement = "Throughput is a share of what there can be"
measure = "SELECT max(efficiency) FROM runs"
holds = "<= 1"

[[claim]]
id = "S-2"
statement = "FBA is perfect"
measure = """
SELECT min(efficiency) FROM runs
WHERE policy = 'fba'
"""
holds = "== 1"
note = "It is not."

[[claim]]
id = "S-3"
statement = "Tail drop is deterministic as well"
measure = "SELECT count(*) FROM deterministic WHERE policy = 'ubr'"
holds = "== 2"
'''


@pytest.fixture
def claims_file(study_folder: Path) -> Path:
    file = study_folder / "claims.toml"
    file.write_text(CLAIMS)
    return file


@pytest.fixture
def folder(longfat: Longfat, study_folder: Path, claims_file: Path) -> Path:
    """A study with claims, whose runs are in the store."""
    assert claims_file.exists()
    assert longfat("study", "run", study_folder).returncode == 0
    return study_folder


def test_claims_get_their_verdicts(longfat: Longfat, folder: Path) -> None:
    process = longfat("study", "claims", folder)
    assert (process.returncode, process.stderr) == (0, "")
    rows = [line for line in process.stdout.splitlines() if line.strip().startswith("S-")]
    assert [row.split()[0] for row in rows] == ["S-1", "S-2", "S-3"]
    assert "holds" in rows[0]
    assert "fails" in rows[1]
    assert "3 claims: 2 hold, 1 fails. Of 2 that hold in the paper's own numbers, 2 hold here." in (
        process.stdout
    )


def test_verdicts_as_json_have_the_fields_that_scripts_rely_on(
    longfat: Longfat, folder: Path
) -> None:
    document = json.loads(longfat("study", "claims", folder, "--json").stdout)
    assert document["replications"] == 2
    for claim in document["claims"]:
        assert claim.keys() >= {
            "id", "statement", "verdict", "measured", "criterion", "holds_in_paper",
        }  # fmt: skip
    assert [claim["verdict"] for claim in document["claims"]] == ["holds", "fails", "holds"]
    assert [claim["holds_in_paper"] for claim in document["claims"]] == [True, False, True]
    assert len(document["claims"][1]["by_replication"]) == 2


def test_without_runs_there_is_no_data_and_stderr_says_how_to_get_it(
    longfat: Longfat, study_folder: Path, claims_file: Path, tmp_path: Path
) -> None:
    assert claims_file.exists()
    process = longfat("study", "claims", study_folder)
    assert process.returncode == 0
    assert process.stdout.count("no data") == 3
    assert f"longfat study run {study_folder}\n" in process.stderr
    assert not (tmp_path / "longfat.db").exists()


def test_fewer_replications_can_be_asked_for(longfat: Longfat, folder: Path) -> None:
    process = longfat("study", "claims", folder, "--replications", "1", "--json")
    assert json.loads(process.stdout)["claims"][0]["verdict"] == "undecided"
    process = longfat("study", "claims", folder, "--replications", "0", "--json")
    assert json.loads(process.stdout)["claims"][0]["verdict"] == "holds"


def test_the_small_part_decides_the_claims_that_need_no_other_runs(
    longfat: Longfat, study_folder: Path, claims_file: Path
) -> None:
    light = "measure = \"SELECT avg(efficiency) FROM deterministic WHERE load = 'light'\""
    claim = f'[[claim]]\nid = "S-4"\nstatement = "It works"\n{light}\nholds = "<= 1"\n'
    claims_file.write_text(f"{CLAIMS}\n{claim}")
    missing = longfat("study", "claims", study_folder, "--quick")
    assert f"longfat study run {study_folder} --quick" in missing.stderr
    longfat("study", "run", study_folder, "--quick")
    process = longfat("study", "claims", study_folder, "--quick", "--strict")
    assert process.returncode == 0
    assert "1 claim: 1 holds" in process.stdout
    assert process.stderr == "3 claims left out: the small part has not all of their runs\n"
    document = json.loads(longfat("study", "claims", study_folder, "--quick", "--json").stdout)
    assert [(found["id"], found["verdict"]) for found in document["claims"]] == [("S-4", "holds")]
    other = longfat("study", "claims", study_folder, "--quick", "--only", "S-1")
    assert other.returncode == 2
    assert "the small part of small has not all runs" in other.stderr


@pytest.mark.parametrize(("only", "exit_code"), [("S-1,S-3", 0), ("S-2", 3)])
def test_verdicts_can_be_a_check(longfat: Longfat, folder: Path, only: str, exit_code: int) -> None:
    process = longfat("study", "claims", folder, "--strict", "--only", only)
    assert process.returncode == exit_code
    assert ("S-2: fails" in process.stderr) == (exit_code == 3)


def test_a_check_without_runs_does_not_pass(
    longfat: Longfat, study_folder: Path, claims_file: Path
) -> None:
    assert claims_file.exists()
    assert longfat("study", "claims", study_folder, "--strict").returncode == 3


def test_one_claim_is_explained(longfat: Longfat, folder: Path) -> None:
    process = longfat("study", "claims", folder, "--explain", "S-2")
    assert process.returncode == 0
    assert "S-1" not in process.stdout
    for text in ("WHERE policy = 'fba'", "each replication by itself: ", "It is not."):
        assert text in process.stdout


def test_a_page_gets_the_verdicts_between_its_markers(
    longfat: Longfat, folder: Path, tmp_path: Path
) -> None:
    command = "longfat study claims small --replications 1 --markdown"
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n<!-- BEGIN: {command} -->\n<!-- END: {command} -->\nend\n")
    chosen = ["study", "claims", folder, "--replications", "1"]
    assert longfat(*chosen, "--markdown", "--splice", page).returncode == 0
    markdown = longfat(*chosen, "--markdown").stdout
    assert "| S-3 |" in markdown
    assert page.read_text() == (
        f"# Page\n<!-- BEGIN: {command} -->\n{markdown.strip()}\n<!-- END: {command} -->\nend\n"
    )


@pytest.mark.parametrize(
    "options", ["--explain S-2", "--confidence 0.99", "--only S-1,S-2 --confidence 0.6"]
)
def test_the_markers_name_the_options_that_the_verdicts_rest_on(
    longfat: Longfat, folder: Path, tmp_path: Path, options: str
) -> None:
    page = tmp_path / "page.md"
    page.write_text("without markers")
    process = longfat("study", "claims", folder, *options.split(), "--splice", page)
    command = f"longfat study claims small {options} --markdown"
    assert f"<!-- BEGIN: {command} -->" in process.stderr


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('holds = "<= 1"', "", ":3:1: claim[0].holds: missing; expected a bound"),
        ('"<= 1"', '"1"', ":8:9: claim[0].holds: expected a bound"),
        ('"S-3"', '"S-1"', ":21:6: claim[2].id: a second claim with the id"),
        ("section", "sektion", "did you mean"),
        ("efficiency", "effciency", ":7:11: S-1: measure: no such column: effciency; did you mean"),
        ("'fba'", "'fbb'", ":13:11: S-2: measure: 'fbb' is no level of policy; known: ubr, fba"),
        ("policy = 'ubr'", "polcy = 'ubr'", "no such column: polcy; did you mean 'policy'?"),
        ("max(efficiency)", "efficiency", "yields several rows, not one number"),
        ("SELECT max(efficiency)", "SELECT 1, 2", "yields 2 columns, not one number"),
        ("SELECT max(efficiency) FROM runs", "DROP TABLE runs", "has to be one SELECT"),
        ("SELECT max(efficiency) FROM runs", "ATTACH 'x' AS y", "has to be one SELECT"),
        ('FROM runs"', "FROM runs WHERE load = 'light' AND 0\"", "no run of the study meets"),
    ],
)
def test_a_wrong_claim_is_reported_with_its_place_by_claims_and_by_check(
    longfat: Longfat,
    study_folder: Path,
    claims_file: Path,
    tmp_path: Path,
    old: str,
    new: str,
    expected: str,
) -> None:
    assert old in CLAIMS
    claims_file.write_text(CLAIMS.replace(old, new, 1))
    for command in (["study", "claims", study_folder], ["check", claims_file]):
        process = longfat(*command)
        assert process.returncode == 2
        assert process.stdout == ""
        assert process.stderr.startswith(f"{claims_file}:")
        assert expected in process.stderr
        assert "Traceback" not in process.stderr
    assert not (tmp_path / "longfat.db").exists()


def test_a_measure_that_runs_on_is_stopped(longfat: Longfat, claims_file: Path) -> None:
    table = ", ".join(f"({number})" for number in range(300))
    endless = (
        f"WITH n(i) AS (VALUES {table}) SELECT count(*) FROM n a, n b, n c, n d WHERE a.i > d.i"
    )
    claims_file.write_text(CLAIMS.replace("SELECT max(efficiency) FROM runs", endless))
    process = longfat("check", claims_file)
    assert process.returncode == 2
    assert ":7:11: S-1: measure: the measure ran for more than 1 s\n" in process.stderr


def test_good_claims_pass_the_check(longfat: Longfat, claims_file: Path) -> None:
    process = longfat("check", claims_file)
    assert (process.returncode, process.stdout) == (0, f"{claims_file}: a good file of claims\n")


@pytest.mark.parametrize("option", ["--only", "--explain"])
def test_an_unknown_claim_is_refused_with_the_known_ones(
    longfat: Longfat, study_folder: Path, claims_file: Path, option: str
) -> None:
    assert claims_file.exists()
    process = longfat("study", "claims", study_folder, option, "S-9")
    assert process.returncode == 2
    assert "no claim 'S-9'; known: S-1, S-2, S-3" in process.stderr


def test_a_study_without_claims_is_refused(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "claims", study_folder)
    assert process.returncode == 2
    assert "claims.toml: no such file, so small has no claims" in process.stderr

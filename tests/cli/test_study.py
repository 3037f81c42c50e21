import csv
import json
from pathlib import Path

import pytest

from tests.support import Longfat


def test_shipped_studies_are_listed(longfat: Longfat) -> None:
    assert "ubr-plus" in longfat("study", "list").stdout
    documents = json.loads(longfat("study", "list", "--json").stdout)["studies"]
    assert {"name", "title", "citation", "tables", "folder"} <= documents[0].keys()


def test_a_plan_counts_and_runs_nothing(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    process = longfat("study", "plan", study_folder)
    assert process.returncode == 0
    assert "distinct runs: 15" in process.stdout
    assert "missing runs: 15" in process.stdout
    assert not (tmp_path / "longfat.db").exists()


def test_a_plan_in_json_lists_every_run(longfat: Longfat, study_folder: Path) -> None:
    plan = json.loads(longfat("study", "plan", study_folder, "--json").stdout)
    assert (plan["factor_combinations"], plan["planned_runs"]) == (6, 18)
    assert len(plan["runs"]) == 18
    assert plan["runs"][0].items() >= {"load": "light", "replication": 0, "stored": False}.items()
    assert plan["estimated_core_seconds"] > 0


def test_a_study_is_run_once_and_then_compared(longfat: Longfat, study_folder: Path) -> None:
    first = longfat("study", "run", study_folder, "--json")
    assert first.returncode == 0
    assert json.loads(first.stdout).items() >= {"finished": 15, "failed": 0}.items()
    again = longfat("study", "run", study_folder, "--json")
    assert json.loads(again.stdout).items() >= {"stored_before": 15, "finished": 0}.items()

    process = longfat("study", "compare", study_folder, "--json")
    assert process.returncode == 0
    assert process.stderr == ""
    document = json.loads(process.stdout)
    assert [(table["table"], table["response"]) for table in document["tables"]] == [
        ("A", "efficiency"),
        ("A", "fairness"),
        ("B", "efficiency"),
    ]
    fairness = document["tables"][1]
    assert (fairness["rows"], fairness["compared"]) == (4, 3)
    assert all(entry["replications"] == 2 for entry in fairness["entries"])


def test_tables_are_printed_with_the_papers_value_and_ours(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder)
    lines = longfat("study", "compare", study_folder).stdout.splitlines()
    header = next(line for line in lines if "deterministic" in line)
    assert header.split() == ["load", "policy", "paper", "deterministic", "mean", "range", "n"]
    assert any("0.10?" in line for line in lines)
    assert any("policy ubr" in line for line in lines)


def test_only_the_chosen_part_runs(longfat: Longfat, study_folder: Path) -> None:
    options = ["--table", "A", "--where", "policy = 'ubr'", "--replications", "1"]
    process = longfat("study", "run", study_folder, *options, "--json")
    assert json.loads(process.stdout)["finished"] == 4
    quick = longfat("study", "run", study_folder, "--quick", "--json")
    assert json.loads(quick.stdout).items() >= {"stored_before": 2, "finished": 4}.items()


def test_status_counts_what_is_done_and_what_is_missing(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    process = longfat("study", "status", study_folder)
    assert process.stdout == "15 runs, 0 done, 0 running, 0 failed, 15 missing\n"
    assert not (tmp_path / "longfat.db").exists()
    longfat("study", "run", study_folder, "--quick")
    document = json.loads(longfat("study", "status", study_folder, "--json").stdout)
    assert document.items() >= {"done": 6, "running": 0, "failed": 0, "missing": 9}.items()


def test_missing_runs_show_as_dashes_and_stderr_says_how_to_get_them(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    options = ["--table", "B", "--where", "z < 0.9"]
    longfat("study", "compare", study_folder, *options)
    assert not (tmp_path / "longfat.db").exists()
    others = ["--table", "B", "--where", "z > 0.5", "--replications", "0", "--store", "my.db"]
    longfat("study", "run", study_folder, *others)
    process = longfat("study", "compare", study_folder, *options, "--store", "my.db")
    assert process.returncode == 0
    assert " - " in process.stdout
    repeated = f"longfat study run {study_folder} --table B --where 'z < 0.9' --store my.db\n"
    assert repeated in process.stderr


def test_the_store_can_be_chosen(longfat: Longfat, study_folder: Path, tmp_path: Path) -> None:
    longfat("study", "run", study_folder, "--quick", "--store", "other.db")
    url = f"sqlite:///{tmp_path}/other.db"
    document = longfat("study", "status", study_folder, "--quick", "--store", url, "--json")
    assert json.loads(document.stdout)["done"] == 6
    assert not (tmp_path / "longfat.db").exists()


def test_the_store_can_be_set_once_for_all(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder, "--quick", env={"LONGFAT_STORE": "mine.db"})
    assert (tmp_path / "mine.db").exists()


@pytest.mark.parametrize(("within", "exit_code"), [("1", 0), ("0.0001", 3)])
def test_a_comparison_can_be_a_check(
    longfat: Longfat, study_folder: Path, within: str, exit_code: int
) -> None:
    longfat("study", "run", study_folder)
    process = longfat("study", "compare", study_folder, "--within", within)
    assert process.returncode == exit_code
    assert ("is not within" in process.stderr) == (exit_code == 3)


def test_a_check_without_runs_does_not_pass(longfat: Longfat, study_folder: Path) -> None:
    assert longfat("study", "compare", study_folder, "--within", "1").returncode == 3


def test_a_check_of_a_fragment_of_the_runs_does_not_pass(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--where", "replication <> 2")
    process = longfat("study", "compare", study_folder, "--within", "1")
    assert process.returncode == 3
    assert "table A, efficiency: 4 of its runs are missing\n" in process.stderr
    assert "table B, efficiency: 2 of its runs are missing\n" in process.stderr
    only = ("--where", "replication <> 2", "--within", "1")
    assert longfat("study", "compare", study_folder, *only).returncode == 0


def test_a_page_gets_the_numbers_between_its_markers(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder)
    command = "longfat study compare small --table B --markdown"
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n<!-- BEGIN: {command} -->\n<!-- END: {command} -->\nend\n")
    for _ in range(2):
        process = longfat(
            "study", "compare", study_folder, "--table", "B", "--markdown", "--splice", page
        )
        assert process.returncode == 0
    markdown = longfat("study", "compare", study_folder, "--table", "B", "--markdown").stdout
    assert page.read_text() == (
        f"# Page\n<!-- BEGIN: {command} -->\n{markdown.strip()}\n<!-- END: {command} -->\nend\n"
    )


def test_a_page_without_markers_is_refused_and_left_alone(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder)
    page = tmp_path / "page.md"
    page.write_text("# Page\n")
    process = longfat("study", "compare", study_folder, "--splice", page)
    assert process.returncode == 2
    assert "<!-- BEGIN: longfat study compare small --markdown -->" in process.stderr
    assert page.read_text() == "# Page\n"


def test_a_page_is_left_alone_while_runs_are_missing(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    page = tmp_path / "page.md"
    text = "<!-- BEGIN: longfat study compare small --markdown -->\nnumbers\n<!-- END: -->\n"
    page.write_text(text)
    process = longfat("study", "compare", study_folder, "--splice", page)
    assert process.returncode == 2
    assert "page.md stays as it is" in process.stderr
    assert page.read_text() == text


def test_a_comparison_can_be_short(longfat: Longfat, study_folder: Path) -> None:
    longfat("study", "run", study_folder)
    process = longfat("study", "compare", study_folder, "--table", "A", "--by", "policy")
    assert process.returncode == 0
    assert [line.split()[0] for line in process.stdout.splitlines()[-4:-1]] == ["ubr", "fba", "all"]
    process = longfat("study", "compare", study_folder, "--by", "polcy")
    assert process.returncode == 2
    assert "unknown factor 'polcy'; known: load, policy" in process.stderr


UNPRINTED = """
[[response]]
table = "U"
title = "No numbers"
metric = "efficiency"
rows = { load = ["light"], policy = "all" }
across = "policy"
enough = 0.9
"""


@pytest.fixture
def unprinted_study(study_folder: Path) -> Path:
    file = study_folder / "study.toml"
    file.write_text(file.read_text() + UNPRINTED)
    return study_folder


def test_a_table_that_the_paper_has_no_numbers_for_is_run_and_printed(
    longfat: Longfat, unprinted_study: Path
) -> None:
    part = ["--table", "U", "--replications", "1"]
    assert longfat("study", "run", unprinted_study, *part).returncode == 0
    process = longfat("study", "compare", unprinted_study, *part)
    assert process.returncode == 0
    headers = [line.split() for line in process.stdout.splitlines()]
    assert ["load", "policy", "deterministic", "mean", "range", "n"] in headers
    assert ["load", "ubr", "fba", "enough", "for", "90%", "of", "the", "last"] in headers
    assert "paper" not in process.stdout


def test_closeness_is_checked_only_where_the_paper_has_numbers(
    longfat: Longfat, unprinted_study: Path
) -> None:
    longfat("study", "run", unprinted_study, "--table", "A,U")
    process = longfat("study", "compare", unprinted_study, "--table", "A,U", "--within", "1")
    assert process.returncode == 0
    process = longfat("study", "compare", unprinted_study, "--table", "U", "--within", "1")
    assert process.returncode == 2
    assert "--within: the paper has no numbers for any of these tables" in process.stderr


OWN = """\
schema_version = 1
title = "One of our own"

[design]
replications = 2
perturb = { start = "uniform(0 ms, 1 ms)" }

[factors]
"port.buffer" = ["400 cells", "600 cells"]
"port.policy" = { ubr = "tail-drop", epd = "epd" }
"""


def test_a_study_of_ones_own_needs_no_tables_to_be_shown(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    (study_folder / "study.toml").write_text(OWN)
    assert "next:\n  longfat study compare" in longfat("study", "run", study_folder).stderr
    compared = json.loads(longfat("study", "compare", study_folder, "--json").stdout)["tables"]
    assert [(table["table"], table["response"], table["rows"]) for table in compared] == [
        ("design", "efficiency", 4),
        ("design", "fairness", 4),
    ]
    for plot in ("efficiency-fairness", "buffer-efficiency", "responses", "ledger"):
        assert longfat("plot", plot, study_folder, "-o", f"{plot}.svg").returncode == 0
    assert longfat("report", study_folder, "-o", "report.html").returncode == 0
    page = (tmp_path / "report.html").read_text()
    assert "<h2>Results</h2>" in page
    assert "Comparison with the paper" not in page
    assert "lost_last_cell" in longfat("study", "audit", study_folder, "--stored").stdout


def test_a_study_of_rows_without_tables_says_what_it_needs(
    longfat: Longfat, study_folder: Path
) -> None:
    text = OWN.replace("[design]", '[design]\nkind = "reference-rows"')
    (study_folder / "study.toml").write_text(text)
    told = longfat("study", "plan", study_folder)
    assert told.returncode == 2
    assert "runs the rows of its tables and has none: it needs a [[response]]" in told.stderr


def test_a_study_in_which_nothing_varies_is_drawn_as_any_other(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    file = study_folder / "study.toml"
    file.write_text(OWN[: OWN.index("[factors]")] + "[factors]\n")
    assert longfat("study", "run", study_folder).returncode == 0
    process = longfat("plot", "responses", study_folder, "-o", "a.svg", "-o", "a.csv")
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "a.csv").read_text().startswith("table,metric,ours,low,high,replications,")


def test_intervals_are_shown_where_they_are_asked_for(longfat: Longfat, study_folder: Path) -> None:
    longfat("study", "run", study_folder)
    shown = longfat("study", "compare", study_folder, "--intervals").stdout
    assert "90 % interval" in shown
    assert (
        "95 % interval" in longfat("study", "compare", study_folder, "--confidence", ".95").stdout
    )
    assert "interval" not in longfat("study", "compare", study_folder).stdout
    latex = longfat("study", "compare", study_folder, "--table", "B", "--intervals", "--latex")
    assert r"90 \% interval" in latex.stdout
    document = json.loads(longfat("study", "compare", study_folder, "--json").stdout)
    assert document["confidence"] == 0.9
    for table in document["tables"]:
        for entry in table["entries"]:
            assert entry["mean_low"] <= entry["mean"] <= entry["mean_high"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--markdown", "--latex"], "choose one"),
        (["--by", "load", "--intervals"], "leave out --by"),
        (["--ledger", "--confidence", "0.9"], "leave out --ledger"),
        (["--ledger", "--latex"], "--ledger has no LaTeX"),
    ],
)
def test_what_cannot_be_printed_together_is_refused(
    longfat: Longfat, study_folder: Path, options: list[str], said: str
) -> None:
    process = longfat("study", "compare", study_folder, *options)
    assert process.returncode == 2
    assert said in process.stderr


def test_the_runs_of_a_plan_are_listed_with_the_ids_that_repeat_them(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    rows = list(csv.DictReader(longfat("study", "plan", study_folder, "--csv").stdout.splitlines()))
    plan = json.loads(longfat("study", "plan", study_folder, "--json").stdout)
    assert [row["run_id"] for row in rows] == [run["run_id"] for run in plan["runs"]]
    assert {row["stored"] for row in rows} == {"yes", "no"}
    listed = longfat("study", "plan", study_folder, "--runs").stdout
    stored = [line.split() for line in listed.splitlines() if " yes " in line]
    assert len(stored) == sum(row["stored"] == "yes" for row in rows)
    assert longfat("run", "--from", "longfat.db", stored[0][0]).returncode == 0
    missing = longfat("run", "--from", "longfat.db", "zz")
    assert "longfat study plan STUDY --runs" in missing.stderr

"""Messages are true: their causes, places and suggested commands are right."""

from pathlib import Path

import pytest

from tests.cli.test_bad_input import refused
from tests.support import Longfat

CLAIMS = """\
schema_version = 1

[[claim]]
id = "C-1"
statement = "Nothing happens."
measure = "SELECT {}"
holds = "> 1"
"""


def with_claim(study_folder: Path, measure: str) -> Path:
    file = study_folder / "claims.toml"
    file.write_text(CLAIMS.format(measure))
    return file


def test_a_run_is_not_sought_in_a_store_that_does_not_exist(longfat: Longfat) -> None:
    refused(longfat("run", "abc", "--from", "nosuch.db"), "nosuch.db: no such store")


@pytest.mark.parametrize("verb", ["status", "claims"])
def test_a_store_that_is_named_must_exist(longfat: Longfat, study_folder: Path, verb: str) -> None:
    with_claim(study_folder, "avg(efficiency) FROM runs")
    process = longfat("study", verb, study_folder, "--store", "nosuch.db")
    refused(process, "nosuch.db: no such store")
    process = longfat("study", verb, study_folder)
    assert process.returncode == 0
    assert process.stderr.startswith("longfat.db: no such store yet")


@pytest.mark.parametrize(
    "words",
    [
        "study compare STUDY",
        "study compare STUDY --ledger",
        "study audit STUDY --stored --quick",
        "study verify STUDY",
        "analyze STUDY --response efficiency",
        "plot responses STUDY -o a.svg",
        "report STUDY -o a.html",
        "diff 0a 0b",
    ],
)
def test_what_reads_a_store_that_is_named_needs_it(
    longfat: Longfat, study_folder: Path, words: str
) -> None:
    arguments = [study_folder if word == "STUDY" else word for word in words.split()]
    process = longfat(*arguments, "--store", "nosuch.db")
    refused(process, "nosuch.db: no such store")
    assert not study_folder.with_name("nosuch.db").exists()


def test_a_name_close_to_a_shipped_study_is_refused_with_its_name(longfat: Longfat) -> None:
    told = "did you mean 'ubr-plus'?"
    refused(longfat("study", "run", "ubrplus"), "ubrplus: no shipped study of this name", told)
    refused(longfat("check", "ubrplus"), "ubrplus: no such file or directory", told)


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("avg(efficiency) FROM reference", "efficiency; runs and deterministic have efficiency"),
        ("avg(value) FROM runs", "value; reference has value"),
        ("1/0", "(NULL): no run of the study meets its conditions, or its arithmetic has no"),
    ],
)
def test_a_wrong_measure_is_refused_with_the_reason(
    longfat: Longfat, study_folder: Path, measure: str, told: str
) -> None:
    process = longfat("check", with_claim(study_folder, measure))
    refused(process, told)
    assert "did you mean" not in process.stderr


def test_nobody_is_sent_to_run_what_is_there_and_has_no_such_metric(
    longfat: Longfat, study_folder: Path
) -> None:
    without_paper(study_folder)
    file = study_folder / "study.toml"
    file.write_text(file.read_text().replace("efficiency", "mean_queueing_delay_s"))
    with_claim(study_folder, "avg(mean_queueing_delay_s) FROM runs")
    assert longfat("study", "run", study_folder).returncode == 0
    process = longfat("study", "claims", study_folder)
    assert process.stderr == "C-1: 4 of the runs that it reads have no mean_queueing_delay_s\n"
    process = longfat("study", "compare", study_folder)
    assert process.stderr == "table A: runs of 2 of 2 settings have no mean_queueing_delay_s\n"
    process = longfat("analyze", study_folder, "--response", "mean_queueing_delay_s")
    refused(process, "small: 4 of 4 runs have no mean_queueing_delay_s")


def without_paper(study_folder: Path) -> Path:
    """The small study with a table of its own, of efficiency alone."""
    file = study_folder / "study.toml"
    head, _, rest = file.read_text().partition("[[response]]")
    own = 'table = "A"\ntitle = "T"\nmetric = "efficiency"\nrows = { load = "all" }\n'
    file.write_text(f"{head}[[response]]\n{own}{rest[rest.index('[quick]') :]}")
    return study_folder


def test_a_study_without_a_paper_has_no_verdict_in_the_paper(
    longfat: Longfat, study_folder: Path
) -> None:
    with_claim(without_paper(study_folder), "count(*) FROM reference")
    process = longfat("study", "claims", study_folder, "--explain", "C-1")
    assert "verdict: fails\n" in process.stdout
    assert "paper" not in process.stdout


def test_a_plot_of_what_a_study_does_not_tabulate_asks_for_no_runs(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", without_paper(study_folder))
    process = longfat("plot", "efficiency-fairness", study_folder, "-o", "a.svg")
    refused(process, "its runs are stored, as tables of efficiency", "longfat plot responses")
    assert "study run" not in process.stderr


def test_a_factor_with_one_level_is_not_called_unknown(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    process = longfat("study", "compare", study_folder, "--quick", "--by", "load")
    refused(process, "--by: 'load' has one level at most", "with several: policy, z")


def test_a_refused_run_is_not_advised_again(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "run", study_folder, "--limit", "events=1000")
    refused(process, "raise the limit")
    assert "to continue" not in process.stderr

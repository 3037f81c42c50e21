import csv
import io
import json
from pathlib import Path

import pytest

from tests.analysis.support import EXAMPLES
from tests.cli.test_bad_input import refused
from tests.support import Longfat

MEMORY_CACHE = EXAMPLES / "memory-cache.csv"
OPTIONS = ["--factors", "memory,cache", "--response", "mips"]


def test_text_says_what_the_numbers_mean(longfat: Longfat) -> None:
    process = longfat("analyze", MEMORY_CACHE, *OPTIONS)
    assert process.returncode == 0
    assert process.stderr == ""
    assert process.stdout.startswith(
        "mips: mean 41.00 (39.08, 42.92), standard deviation of errors 3.57 "
        "(8 degrees of freedom); 12 observations, 3 replications, 90 % intervals\n"
    )
    for expected in (
        "Variation of mips: memory 78.88 %, cache 15.40 %; all else 5.72 %.",
        "memory: 16 MB raises mips; 4 MB lowers mips.",
        "Residuals look like normal errors",
    ):
        assert expected in process.stdout


def test_a_table_is_read_as_one_whatever_its_suffix(longfat: Longfat, tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text(MEMORY_CACHE.read_text())
    assert longfat("analyze", "data.txt", *OPTIONS).returncode == 0


def test_which_values_of_a_column_are_better_can_be_said(longfat: Longfat) -> None:
    neither = longfat("analyze", MEMORY_CACHE, *OPTIONS).stdout
    assert "Highest mips: 77.0 (71.2 to 82.8) with memory 16 MB, cache 2 kB." in neither
    assert "Whether more or less mips is better is not known." in neither
    more = longfat("analyze", MEMORY_CACHE, *OPTIONS, "--better", "more").stdout
    assert "Best (highest) mips: 77.0 (71.2 to 82.8) with memory 16 MB, cache 2 kB." in more
    assert "is not known" not in more
    less = longfat("analyze", MEMORY_CACHE, *OPTIONS, "--better", "less", "--json").stdout
    answer = json.loads(less)["answer"]
    assert answer["better"] == "less"
    assert answer["best"][0]["levels"] == {"memory": "4 MB", "cache": "1 kB"}


def test_json_is_one_document(longfat: Longfat) -> None:
    document = json.loads(longfat("analyze", MEMORY_CACHE, *OPTIONS, "--json").stdout)
    assert document["mean"] == 41
    assert document["factors"] == {"memory": ["4 MB", "16 MB"], "cache": ["1 kB", "2 kB"]}
    assert document["replications"] == 3
    assert document["blocks"] is False
    assert [part["name"] for part in document["components"]] == [
        "memory", "cache", "memory x cache", "error",
    ]  # fmt: skip
    assert {check["name"] for check in document["checks"]} == {
        "normality", "constant variance", "outliers",
    }  # fmt: skip


def test_csv_has_a_row_for_each_component_and_effect(longfat: Longfat) -> None:
    process = longfat("analyze", MEMORY_CACHE, *OPTIONS, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(process.stdout)))
    assert len(rows) == 4 + 4 + 4
    assert rows[0]["name"] == "memory"
    assert float(rows[0]["percent"]) == pytest.approx(78.88, abs=0.005)
    assert rows[-1]["levels"] == "16 MB x 2 kB"
    assert float(rows[-1]["effect"]) == 5


def test_markdown_and_latex_are_tables(longfat: Longfat, tmp_path: Path) -> None:
    text = MEMORY_CACHE.read_text().replace("memory,cache", "memory_size,a|b", 1)
    (tmp_path / "odd.csv").write_text(text)
    options = ["odd.csv", "--factors", "memory_size,a|b", "--response", "mips", "--format"]
    markdown = longfat("analyze", *options, "markdown").stdout
    tables = [line for line in markdown.splitlines() if line.startswith("|")]
    assert r"| memory_size x a\|b | 300.00 | 4.27 | 1 |" in markdown
    assert len({line.replace(r"\|", "").count("|") for line in tables[:9]}) == 1
    latex = longfat("analyze", *options, "latex").stdout
    assert r"memory\_size x a\textbar{}b & 300.00 & 4.27 & 1" in latex
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 4


def test_confidence_order_and_quantiles_can_be_chosen(longfat: Longfat) -> None:
    options = ["--confidence", "0.95", "--order", "1", "--exact-quantiles", "--json"]
    document = json.loads(longfat("analyze", MEMORY_CACHE, *OPTIONS, *options).stdout)
    assert document["interactions"] == []
    assert document["confidence"] == 0.95
    effect = document["effects"][1]
    width = 2.3060041352 * document["standard_error"] / 12**0.5  # t[0.975; 8]
    assert effect["high"] - effect["effect"] == pytest.approx(width)


def test_replications_of_a_table_may_be_blocks(longfat: Longfat) -> None:
    document = json.loads(longfat("analyze", MEMORY_CACHE, *OPTIONS, "--blocks", "--json").stdout)
    assert document["blocks"] is True
    assert document["degrees_of_freedom"] == 6
    assert document["components"][-2]["kind"] == "blocks"


def test_a_study_is_analysed_from_its_store(longfat: Longfat, study_folder: Path) -> None:
    part = ["--table", "A", "--store", "my.db"]
    process = longfat("analyze", study_folder, "--response", "efficiency", *part[:2])
    refused(process, "longfat.db: 8 of 8 runs have no result", f"longfat study run {study_folder}")
    assert longfat("study", "run", study_folder, *part).returncode == 0
    process = longfat("analyze", study_folder, "--response", "efficiency", *part, "--json")
    document = json.loads(process.stdout)
    assert list(document["factors"]) == ["load", "policy"]
    assert document["replications"] == 2
    assert document["blocks"] is True
    assert sum(part["percent"] for part in document["components"]) == pytest.approx(100)
    where = ["--where", "load = 'heavy'", "--no-blocks", "--json"]
    process = longfat("analyze", study_folder, "--response", "efficiency", *part, *where)
    document = json.loads(process.stdout)
    assert list(document["factors"]) == ["policy"]
    assert document["blocks"] is False


@pytest.mark.parametrize("name", ["C", "Q", "my factor", 'the "best" one', "a,b"])
def test_a_factor_may_have_any_name(longfat: Longfat, tmp_path: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    text = MEMORY_CACHE.read_text().replace("memory", quoted, 1)
    (tmp_path / "odd.csv").write_text(text)
    options = ["--factors", f"{quoted}, cache", "--response", "mips", "--json"]
    process = longfat("analyze", "odd.csv", *options)
    assert process.returncode == 0, process.stderr
    assert json.loads(process.stdout)["components"][0]["name"] == name


def test_a_header_with_blanks_names_the_columns_that_are_read(
    longfat: Longfat, tmp_path: Path
) -> None:
    text = MEMORY_CACHE.read_text().replace("memory,cache", "memory , cache", 1)
    (tmp_path / "blanks.csv").write_text(text)
    for factors in ("memory,cache", " memory, cache"):
        process = longfat("analyze", "blanks.csv", "--factors", factors, "--response", "mips")
        assert process.returncode == 0, process.stderr


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("16 MB,2 kB", "16 MB,1 kB", ["replication 1 stands already", "is a factor missing?"]),
        ("81", "many", ["memory-cache.csv:13: mips 'many' is not a number"]),
        ("81", "", ["memory-cache.csv:13: no value of mips"]),
        ("mips", "speed", ["no response 'mips'", "known: memory, cache, replication, speed"]),
    ],
)
def test_data_that_cannot_be_analysed_are_refused_with_words(
    longfat: Longfat, tmp_path: Path, old: str, new: str, expected: list[str]
) -> None:
    text = MEMORY_CACHE.read_text()
    assert old in text
    (tmp_path / "memory-cache.csv").write_text(text.replace(old, new))
    refused(longfat("analyze", "memory-cache.csv", *OPTIONS), *expected)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("4 MB,1 kB,1,15\n", "one level (4 MB)"),
        ("4 MB,1 kB,1,15\n4 MB,2 kB,1,16\n", "factor 'memory' has one level"),
        ("a,x,1,5\na,y,1,5\nb,x,1,5\nb,y,1,5\n", "there is no variation to allocate"),
        ("", "no rows"),
    ],
)
def test_data_without_anything_to_compare_are_refused(
    longfat: Longfat, tmp_path: Path, rows: str, expected: str
) -> None:
    (tmp_path / "small.csv").write_text("memory,cache,replication,mips\n" + rows)
    refused(longfat("analyze", "small.csv", *OPTIONS), expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--response", "mips"], "--factors"),
        (["--factors", "memory"], "--response"),
        (["--factors", "memory,,cache", "--response", "mips"], "an empty name"),
        (["--factors", 'memory,"cache', "--response", "mips"], "--factors"),
        (["--factors", "", "--response", "mips"], "an empty name"),
        ([*OPTIONS, "--confidence", "1"], "--confidence"),
        ([*OPTIONS, "--confidence", "90"], "--confidence"),
        ([*OPTIONS, "--order", "0"], "--order"),
        ([*OPTIONS, "--table", "2"], "for a study, not a CSV"),
        ([*OPTIONS, "--format", "excel"], "--format"),
        ([*OPTIONS, "--where", "colour = 1"], "memory, cache, replication, mips"),
        ([*OPTIONS, "--replication", "run"], "no column 'run'"),
    ],
)
def test_a_wrong_option_is_refused(longfat: Longfat, options: list[str], expected: str) -> None:
    refused(longfat("analyze", MEMORY_CACHE, *options), expected)


@pytest.mark.parametrize("source", ["nowhere.csv", "nowhere"])
def test_an_absent_source_is_named(longfat: Longfat, source: str) -> None:
    refused(longfat("analyze", source, *OPTIONS), source)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--response", "efficiency", "--factors", "polcy"], "did you mean 'policy'?"),
        (["--response", "efficiency", "--replication", "n"], "a study knows its replications"),
        (["--response", "efficiency"], "some of the chosen runs have no level of 'z'"),
    ],
)
def test_a_wrong_question_to_a_study_is_refused(
    longfat: Longfat, study_folder: Path, options: list[str], expected: str
) -> None:
    table = ["--table", "A"] if "--factors" in options else []
    refused(longfat("analyze", study_folder, *options, *table), expected)


def test_a_fractional_plan_prints_its_aliases(longfat: Longfat, study_folder: Path) -> None:
    (study_folder / "study.toml").write_text(
        'schema_version = 1\ntitle = "A fraction"\n[factors]\n"topology.sources" = [2, 3]\n'
        '"port.buffer" = ["400 cells", "600 cells"]\n"port.policy" = ["tail-drop", "fba"]\n'
        '[design]\nkind = "fractional"\ngenerators = { policy = ["sources", "buffer"] }\n'
    )
    process = longfat("study", "plan", study_folder)
    assert "design: 2^(3-1) of resolution III\n" in process.stdout
    assert "defining relation: I = sources x buffer x policy\n" in process.stdout
    assert "  policy = sources x buffer\n" in process.stdout
    document = json.loads(longfat("study", "plan", study_folder, "--json").stdout)
    assert document["fraction"]["aliases"][0] == ["sources", "buffer x policy"]
    assert longfat("study", "run", study_folder).returncode == 0
    analysis = longfat("analyze", study_folder, "--response", "efficiency").stdout
    assert "sources x buffer cannot be told from policy in this fraction." in analysis


def test_the_mean_of_one_long_run_comes_without_its_start(longfat: Longfat, tmp_path: Path) -> None:
    rows = [9.0] * 50 + [1.0 + 0.1 * (-1) ** number for number in range(950)]
    (tmp_path / "queue.csv").write_text("cells\n" + "\n".join(map(str, rows)) + "\n")
    process = longfat("analyze", "queue.csv", "--steady-state", "--response", "cells")
    assert process.returncode == 0
    assert process.stdout.startswith("mean of cells: 1 (")
    assert "left out at the start: 50 observations (MSER-5)" in process.stdout
    assert "and the next 10, which fill no batch; kept: 940 in 20 batches" in process.stdout
    process = longfat("analyze", "queue.csv", "--steady-state", "--response", "cells", "--json")
    assert json.loads(process.stdout)["left_out"] == 50


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["queue.csv", "--response", "cels"], "did you mean 'cells'?"),
        (["queue.csv", "--response", "cells"], "queue.csv:3: cells 'many' is not a number"),
        (
            ["queue.csv", "--response", "cells", "--where", "cells = 1"],
            "1 observations are too few",
        ),
        (["ubr-plus", "--response", "efficiency"], "--steady-state is for a CSV of one run"),
        (["queue.csv", "--response", "cells", "--factors", "a"], "without --factors"),
        (
            ["queue.csv", "--response", "cells", "--format", "csv", "--order", "1", "--quick"],
            "without --order, --quick, --format\n",
        ),
        (["queue.csv", "--response", "cells", "--no-blocks"], "without --blocks"),
        (["queue.csv", "--response", "cells", "--replications", "3"], "without --replications"),
        (["queue.csv", "--response", "cells", "--table", "2", "--store", "a"], "--table, --store"),
    ],
)
def test_a_series_that_has_no_such_mean_is_refused(
    longfat: Longfat, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    (tmp_path / "queue.csv").write_text("cells\n1\nmany\n")
    process = longfat("analyze", *arguments, "--steady-state")
    assert process.returncode == 2
    assert expected in process.stderr


def test_several_runs_are_no_series(longfat: Longfat, tmp_path: Path) -> None:
    rows = [f"{run},{number % 7}" for run in (1, 2) for number in range(300)]
    for column in ("replication", "station"):
        (tmp_path / "queue.csv").write_text("\n".join([f"{column},cells", *rows, ""]))
        options = ["queue.csv", "--steady-state", "--response", "cells", "--replication", column]
        refused(longfat("analyze", *options), "queue.csv: 2 replications in one series; choose one")
        process = longfat("analyze", *options, "--where", f"{column} = 2")
        assert process.returncode == 0, process.stderr
    (tmp_path / "queue.csv").write_text("\n".join(["replication,cells", *rows, ""]))
    refused(longfat("analyze", *options[:-2]), "queue.csv: 2 replications in one series")

import csv
from pathlib import Path

import pytest

from longfat.plots import PLOTS, find
from longfat.plots.options import STUDY_SOURCES
from tests.support import Longfat


def test_plots_are_listed(longfat: Longfat) -> None:
    assert "efficiency-fairness" in longfat("plot", "--list").stdout


def test_several_files_are_drawn_at_once(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    longfat("study", "run", study_folder)
    outputs = [tmp_path / f"figure{suffix}" for suffix in (".svg", ".png", ".pdf", ".csv")]
    options = [word for output in outputs for word in ("-o", output)]
    process = longfat("plot", "efficiency-fairness", study_folder, "--table", "A", *options)
    assert (process.returncode, process.stdout) == (0, "")
    assert all(output.stat().st_size for output in outputs)
    with outputs[-1].open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert {row["replications"] for row in rows} == {"2"}


@pytest.mark.parametrize("kind", [kind for kind in PLOTS if find(kind).SOURCE in STUDY_SOURCES])
def test_each_plot_of_a_study_says_what_it_lacks_or_is_drawn(
    kind: str, longfat: Longfat, study_folder: Path
) -> None:
    process = longfat("plot", kind, study_folder, "-o", "a.svg", "--store", "none.db")
    assert (process.returncode, process.stderr) == (2, "none.db: no such store\n")
    longfat("study", "run", study_folder)
    process = longfat("plot", kind, study_folder, "-o", "a.svg")
    assert process.returncode == 0 or f"nothing that {kind} could draw" in process.stderr


@pytest.mark.parametrize("kind", PLOTS)
def test_each_plot_refuses_a_scenario_with_the_command_that_leads_on(
    kind: str, longfat: Longfat, scenario_file: Path
) -> None:
    process = longfat("plot", kind, scenario_file, "-o", "a.svg")
    assert (process.returncode, process.stdout) == (2, "")
    assert "longfat run" in process.stderr
    assert "Traceback" not in process.stderr


def test_an_unknown_plot_is_refused_with_the_nearest(longfat: Longfat) -> None:
    process = longfat("plot", "main-effect", "a.json", "-o", "a.svg")
    assert process.returncode == 2
    assert "no plot is called 'main-effect'; did you mean 'main-effects'?" in process.stderr


def test_traces_are_drawn_from_the_folder_that_a_run_leaves(
    longfat: Longfat, scenario_file: Path, tmp_path: Path
) -> None:
    longfat("run", scenario_file, "--trace", "t")
    process = longfat("plot", "three-panel", "t", "-o", "a.png", "-o", "a.html")
    assert (process.returncode, process.stdout) == (0, "")
    assert "longfat plot three-panel t -o a.png" in (tmp_path / "a.html").read_text()


def test_what_has_no_traces_says_how_to_get_them(
    longfat: Longfat, scenario_file: Path, study_folder: Path
) -> None:
    process = longfat("plot", "cwnd", study_folder, "-o", "a.svg")
    assert process.returncode == 2
    assert "longfat run --from longfat.db RUN --trace traces" in process.stderr
    assert f"longfat study plan {study_folder} --runs" in process.stderr
    assert "longfat run SCENARIO --trace" in longfat("plot", "cwnd", "no", "-o", "a.svg").stderr
    longfat("run", scenario_file, "--trace", "t", "--trace-what", "cwnd")
    process = longfat("plot", "queue", "t", "-o", "a.svg")
    assert process.returncode == 2
    assert "t has no trace 'queue', only cwnd" in process.stderr
    process = longfat("plot", "completion-time", "t", "-o", "a.svg")
    assert process.returncode == 2
    assert "nothing was asked for in this run" in process.stderr


def test_what_is_no_analysis_says_how_to_make_one(
    longfat: Longfat, scenario_file: Path, tmp_path: Path
) -> None:
    table = Path(__file__).parents[2] / "examples" / "analysis" / "memory-cache.csv"
    response = table.read_text().splitlines()[0].split(",")
    analysis = longfat(
        "analyze", table, "--factors", ",".join(response[:2]), "--response", response[-1], "--json"
    )
    (tmp_path / "a.json").write_text(analysis.stdout)
    assert longfat("plot", "variation", "a.json", "-o", "a.svg").returncode == 0
    process = longfat("plot", "variation", scenario_file, "-o", "a.svg")
    assert process.returncode == 2
    assert "a scenario, and the output of longfat analyze --json is expected" in process.stderr
    for half in ("{}", '{"components": 1, "effects": [], "predicted": []}'):
        process = longfat("plot", "variation", "-", "-o", "a.svg", input=half)
        assert process.returncode == 2
        assert "standard input: not the output" in process.stderr


def test_a_table_in_place_of_its_analysis_is_refused_with_the_command_to_analyse_it(
    longfat: Longfat, tmp_path: Path
) -> None:
    (tmp_path / "my scores.csv").write_text("tcp,goodput\nreno,1\n")
    process = longfat("plot", "variation", "my scores.csv", "-o", "a.svg")
    assert process.returncode == 2
    assert "longfat analyze 'my scores.csv' --factors A,B --response METRIC" in process.stderr

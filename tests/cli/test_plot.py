import csv
from pathlib import Path

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

"""Provenance of the numbers of a report."""

import hashlib
from pathlib import Path

from longfat.report.study_report.provenance import digests
from longfat.studies.definition import load_study


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_every_file_that_a_study_is_read_from_has_its_digest(study_folder: Path) -> None:
    (study_folder / "reference" / "b.csv").rename(study_folder / "b.csv")
    text = (study_folder / "study.toml").read_text()
    other = study_folder / "other.toml"
    other.write_text(text.replace("reference/b.csv", "b.csv"))
    (study_folder / "reference" / "unread.csv").write_text("")
    assert digests(load_study(other)) == [
        ("other.toml", sha256(other)),
        ("reference/a.csv", sha256(study_folder / "reference" / "a.csv")),
        ("b.csv", sha256(study_folder / "b.csv")),
        ("scenario", sha256(study_folder / "scenario.toml")),
    ]


def test_controls_of_a_study_are_among_its_files() -> None:
    newcomer = load_study(Path(__file__).parents[2] / "examples" / "newcomer")
    names = [name for name, _ in digests(newcomer)]
    assert names == ["study.toml", "claims.toml", "newcomer.py", "scenario"]

from pathlib import Path

import pytest

from longfat.base.errors import BadInput
from longfat.studies.reference import load_reference

LEVELS = {"config": ["lan", "wan"], "sources": ["5", "15"], "z": ["0.8"]}
METRICS = ["efficiency", "fairness"]
GOOD = "config,sources,efficiency,fairness,doubtful,note\nlan,5,0.21,0.68,fairness,smudged\n"


def problems_of(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "table.csv"
    file.write_text(text)
    with pytest.raises(BadInput) as caught:
        load_reference(file, LEVELS, METRICS)
    return [problem.removeprefix(f"{file}:") for problem in caught.value.problems]


def test_a_row_has_the_factors_that_the_table_has(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(GOOD)
    (row,) = load_reference(file, LEVELS, METRICS)
    assert row.combination == (("config", "lan"), ("sources", "5"))
    assert row.values == {"efficiency": 0.21, "fairness": 0.68}
    assert row.doubtful == {"fairness"}
    assert row.note == "smudged"


def test_an_empty_cell_is_no_value(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text(GOOD.replace("0.21", ""))
    (row,) = load_reference(file, LEVELS, METRICS)
    assert row.values == {"fairness": 0.68}


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("config,", "confg,", "1: unknown column 'confg'; known: config, sources, z,"),
        ("efficiency,", "", "1: no column 'efficiency', which the study compares"),
        ("sources,", "config,", "1: column 'config' stands twice"),
        ("lan", "lam", "2: config 'lam' is no level; known: lan, wan"),
        ("0.21", "O.21", "2: efficiency 'O.21' is not a number"),
        ("0.21", "nan", "2: efficiency 'nan' is not a number"),
        ("fairness,smudged", "fairnes,smudged", "2: doubtful 'fairnes' is no metric"),
        (",smudged", "", "2: 5 cells under a header of 6"),
        ("smudged\n", "smudged\nlan,5,1,1,,\n", "3: the factor combination stands twice"),
    ],
)
def test_an_error_is_reported_with_its_line(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert any(found.startswith(problem) for found in problems_of(tmp_path, GOOD.replace(old, new)))


def test_all_wrong_cells_are_reported_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("lan", "lam").replace("0.68", "much")
    assert len(problems_of(tmp_path, text)) == 2


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    assert problems_of(tmp_path, "")


def test_half_a_digit_is_what_rounding_may_have_taken(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    header = f"{','.join(LEVELS)},{','.join(METRICS)}"
    levels = ",".join(names[0] for names in LEVELS.values())
    printed = ["0.210", "7591", "1e-3"]
    for text, rounding in zip(printed, [0.0005, 0.5, 0.0005], strict=True):
        file.write_text(f"{header}\n{levels},{','.join(text for _ in METRICS)}\n")
        (row,) = load_reference(file, LEVELS, METRICS)
        assert set(row.roundings.values()) == {rounding}

from pathlib import Path

import pytest

from longfat.analysis.table import load_observations
from longfat.base.cells import csv_lines, is_number, shown_cells
from longfat.base.errors import BadInput
from longfat.studies.reference import load_reference, read_reference


@pytest.mark.parametrize(
    "text", ["1", " -0.5 ", "+1e3", ".5", "2.", "1E-1", "123456789012345678901234567890"]
)
def test_plain_numbers_are_numbers(text: str) -> None:
    assert is_number(text)


@pytest.mark.parametrize(
    "text", ["1_000", "1,000", "\uff11\uff12", "\u0663", "nan", "inf", "1e999", "", "0x10", "1 2"]
)
def test_nothing_else_is_a_number(text: str) -> None:
    assert not is_number(text)


@pytest.mark.parametrize(("separator", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_separators_other_than_commas_are_reported(
    tmp_path: Path, separator: str, name: str
) -> None:
    file = tmp_path / "table.csv"
    text = f"load{separator}efficiency\nlight{separator}0.5\n"
    file.write_text(text)
    expected = f"{file}:1: columns are separated by {name}; commas are expected"
    with pytest.raises(BadInput) as error:
        load_observations(file, ["load"], "efficiency")
    assert error.value.problems == [expected]
    with pytest.raises(BadInput) as error:
        read_reference(text.encode(), file, {"load": ["light"]}, ["efficiency"])
    assert expected in error.value.problems


def test_what_spreadsheets_and_people_put_around_cells_is_no_part_of_them(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text('\ufeffload, "a, b", efficiency \r\n light ,1, 0.5\n\nheavy, 1 ,0.25 \n')
    (row, _) = load_reference(file, {"load": ["light", "heavy"], "a, b": ["1"]}, ["efficiency"])
    assert (dict(row.combination), row.values["efficiency"]) == (
        {"load": "light", "a, b": "1"},
        0.5,
    )
    found = load_observations(file, ["load", "a, b"], "efficiency", where="load = 'heavy'")
    assert [(row.levels, row.value, row.place) for row in found.rows] == [
        (("heavy", "1"), 0.25, f"{file}:4")
    ]


@pytest.mark.parametrize(
    "text", ['load,efficiency\n"light,0.5\n', 'load,efficiency\n"light"x,0.5\n']
)
def test_a_quote_that_encloses_no_cell_is_reported_with_its_line(text: str) -> None:
    with pytest.raises(BadInput, match=r"^table\.csv:2: "):
        csv_lines(text, "table.csv")


def test_cells_in_a_message_are_one_line_without_control_characters() -> None:
    assert shown_cells(["a\x1b[2J", "é\u2028"]) == "a\\x1b[2J,é\\u2028"
    assert len(shown_cells(["9" * 1000])) == 80

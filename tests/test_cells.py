from pathlib import Path

import pytest

from longfat.analysis.table import load_observations
from longfat.cells import is_number
from longfat.errors import BadInput
from longfat.reference import read_reference


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
def test_columns_between_anything_but_commas_are_told(
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

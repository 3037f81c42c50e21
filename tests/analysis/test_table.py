from pathlib import Path

import pytest

from longfat.analysis.table import Observations, load_observations
from longfat.base.errors import LongfatError

TABLE = """\
flavor,buffer,replication,efficiency,note
sack,10,1,0.9,
sack,9,1,0.8,"with, a comma"
reno,10,1,0.7,

reno,9,1,1e-1,
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "results.csv"
    file.write_text(TABLE)
    return file


def load(
    file: Path, factors: str = "flavor,buffer", response: str = "efficiency", **more: str
) -> Observations:
    return load_observations(file, factors.split(","), response, **more)


def test_levels_come_in_the_order_of_the_file(table: Path) -> None:
    found = load(table)
    assert found.factors == {"flavor": ["sack", "reno"], "buffer": ["10", "9"]}
    assert [row.value for row in found.rows] == [0.9, 0.8, 0.7, 0.1]
    assert {row.replication for row in found.rows} == {"1"}
    assert found.rows[3].place == f"{table}:6"


def test_another_column_may_tell_replications_apart(table: Path) -> None:
    assert load(table, factors="flavor", replication="buffer").rows[1].replication == "9"


def test_a_table_without_such_a_column_has_nameless_replications(table: Path) -> None:
    table.write_text(TABLE.replace("replication", "run"))
    assert {row.replication for row in load(table).rows} == {None}


def test_a_part_of_the_rows_can_be_chosen(table: Path) -> None:
    assert len(load(table, where="buffer > 9").rows) == 2
    with pytest.raises(LongfatError, match="no rows meet buffer > 99"):
        load(table, where="buffer > 99")
    with pytest.raises(LongfatError, match="results.csv: --where 'colour = 1'"):
        load(table, where="colour = 1")


def test_a_byte_order_mark_is_no_part_of_a_name(table: Path) -> None:
    table.write_text("\ufeff" + TABLE)
    assert load(table).factors.keys() == {"flavor", "buffer"}


@pytest.mark.parametrize(
    "name", ["C", "Q", "I", "my factor", 'a "quoted" one', "a,b", "ü", "x x y"]
)
def test_any_name_is_good_enough_for_a_factor(table: Path, name: str) -> None:
    quoted = '"' + name.replace('"', '""') + '"'
    table.write_text(TABLE.replace("flavor", quoted))
    found = load_observations(table, [name, "buffer"], "efficiency", where="buffer = 9")
    assert found.factors[name] == ["sack", "reno"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("0.8", "high", "results.csv:3: efficiency 'high' is not a number"),
        ("0.8", "", "results.csv:3: no value of efficiency"),
        ("0.8", "nan", "results.csv:3: efficiency 'nan' is not a number"),
        ("0.8", "inf", "results.csv:3: efficiency 'inf' is not a number"),
        ("sack,9", ",9", "results.csv:3: no level of flavor"),
        ("sack,9,1", "sack,9,", "results.csv:3: no replication"),
        (',"with, a comma"', "", "results.csv:3: 4 cells under a header of 5"),
        ('"with, a comma"', '"with', "results.csv:6: "),
        ("flavor", "buffer", "results.csv:1: column 'buffer' stands twice"),
        (TABLE, "", "results.csv: empty"),
        (TABLE, "flavor,buffer,efficiency\n", "results.csv: no rows"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_line(
    table: Path, old: str, new: str, expected: str
) -> None:
    assert old in TABLE
    table.write_text(TABLE.replace(old, new, 1))
    with pytest.raises(LongfatError) as error:
        load(table)
    assert expected in str(error.value)


def test_every_wrong_cell_is_reported_at_once(table: Path) -> None:
    table.write_text(TABLE.replace("0.8", "?").replace("0.7", "?"))
    with pytest.raises(LongfatError) as error:
        load(table)
    assert len(str(error.value).splitlines()) == 2


@pytest.mark.parametrize(
    ("factors", "response", "replication", "expected"),
    [
        (
            "flavour,buffer",
            "efficiency",
            "replication",
            "no factor 'flavour'; did you mean 'flavor'?",
        ),
        ("colour", "efficiency", "replication", "known: flavor, buffer, replication"),
        ("flavor,flavor", "efficiency", "replication", "factor 'flavor' is given twice"),
        ("flavor,efficiency", "efficiency", "replication", "cannot be a factor and the response"),
        (
            "flavor",
            "efficency",
            "replication",
            "no response 'efficency'; did you mean 'efficiency'?",
        ),
        ("flavor", "efficiency", "run", "no column 'run'"),
        ("flavor", "efficiency", "flavor", "cannot be the replication and a factor"),
    ],
)
def test_a_wrong_name_is_refused(
    table: Path, factors: str, response: str, replication: str, expected: str
) -> None:
    with pytest.raises(LongfatError) as error:
        load(table, factors, response, replication=replication)
    assert expected in str(error.value)

import os
import signal
import sqlite3

import pytest

from longfat.base.errors import Interrupted, LongfatError
from longfat.base.read_only import quoted
from longfat.base.where import condition_of, matching

COLUMNS = ["config", "sources", "z", "replication"]
ROWS: list[list[str | int | None]] = [
    ["lan", "5", None, 0],
    ["lan", "15", "0.8", 1],
    ["wan", "15", "0.5", 2],
]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("config = 'lan'", [0, 1]),
        ("sources > 5", [1, 2]),
        ("sources = '5'", [0]),
        ("z IS NULL", [0]),
        ("z < 0.8 OR replication = 0", [0, 2]),
        ("config LIKE 'W%'", [2]),
        ("config IN ('wan') -- and a comment", [2]),
        ("0", []),
    ],
)
def test_a_condition_selects_rows(condition: str, expected: list[int]) -> None:
    assert matching(COLUMNS, ROWS, condition) == expected


@pytest.mark.parametrize("name", ["position", "place", "PLACE_", "rowid", "number", "runs", ""])
def test_a_column_may_have_any_name(name: str) -> None:
    rows: list[list[str | int | None]] = [["7", "a"], ["8", "b"]]
    assert matching([name, "y"], rows, f"{quoted(name)} = 8 AND y = 'b'") == [1]
    assert matching([name, "y"], rows, "y = 'a'") == [0]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("policy = 'a'", [0, 2]),
        ("y > 5", [1, 2]),
        ("Y > 5", [0]),
        ("\"Y\" > 5 AND policy <> 'y'", [0]),
    ],
)
def test_of_columns_that_differ_in_case_the_one_that_is_written_is_meant(
    condition: str, expected: list[int]
) -> None:
    rows: list[list[str | int | None]] = [["a", "1", "6"], ["b", "6", "2"], ["a", "7", "3"]]
    assert matching(["policy", "y", "Y"], rows, condition) == expected


def test_two_columns_that_differ_in_case_cannot_meet_in_one_condition() -> None:
    with pytest.raises(
        LongfatError, match="'y' and 'Y' differ only in case, which SQL ignores; .* columns y, Y"
    ):
        matching(["y", "Y"], [["1", "2"]], "y < Y")


@pytest.mark.parametrize("name", ["position", "place"])
def test_no_column_is_there_besides_those_of_the_table(name: str) -> None:
    with pytest.raises(LongfatError, match=f"no such column: {name}"):
        matching(COLUMNS, ROWS, f"{name} = 0")


@pytest.mark.parametrize(
    "condition",
    [
        "policy = 'epd'",
        "config = ",
        "",
        "1); DROP TABLE runs; --",
        "(SELECT count(*) FROM sqlite_master) > 0",
        "load_extension('x')",
        "randomblob(1000000000) IS NULL",
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)",
        "config = '\0'",
    ],
)
def test_anything_else_is_refused_with_the_columns_named(condition: str) -> None:
    with pytest.raises(LongfatError, match="config, sources, z, replication"):
        matching(COLUMNS, ROWS, condition)


def test_the_condition_of_levels_selects_their_row_and_no_other() -> None:
    columns = ["config", "tcp.flavor", "z"]
    rows: list[list[str | None]] = [["lan", "5", None], ["lan", "5", "0.8"], ["it's", "15", "0.8"]]
    for place, row in enumerate(rows):
        assert matching(columns, rows, condition_of(columns, row)) == [place]
    assert condition_of(columns[:1], ["lan"]) == "config = 'lan'"


def test_a_signal_while_sql_asks_what_it_may_read_is_no_error_of_the_condition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def permission(*_: object) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        return sqlite3.SQLITE_OK

    monkeypatch.setattr("longfat.base.read_only._permission", permission)
    with pytest.raises(Interrupted):
        matching(["sources"], [["5"]], "sources = 5")

import sqlite3

import pytest

from longfat.base.read_only import open_database, restrict


@pytest.fixture
def connection() -> sqlite3.Connection:
    connection = open_database()
    connection.execute("CREATE TABLE hidden (x)")
    connection.execute("CREATE TABLE shown (x)")
    connection.execute("INSERT INTO hidden VALUES (1)")
    connection.execute("CREATE VIEW window AS SELECT abs(x) AS x FROM hidden")
    restrict(connection, {"shown", "window"}, {"count"}, seconds=0.2)
    return connection


@pytest.mark.parametrize(
    "query",
    [
        "SELECT count(*) FROM shown",
        "SELECT x FROM window",
        "SELECT 1 + 1",
        "WITH n AS (SELECT x FROM shown) SELECT count(*) FROM n",
    ],
)
def test_what_is_meant_to_be_read_can_be_read(connection: sqlite3.Connection, query: str) -> None:
    assert connection.execute(query).fetchall()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x FROM hidden",
        "SELECT count(*) FROM hidden",
        "SELECT count(*) FROM sqlite_schema",
        "SELECT count(*) FROM pragma_table_info('shown')",
        "SELECT abs(x) FROM window",
        "SELECT name FROM sqlite_master",
        "SELECT * FROM pragma_table_info('shown')",
        "PRAGMA user_version",
        "INSERT INTO shown VALUES (2)",
        "UPDATE shown SET x = 1",
        "DELETE FROM shown",
        "DROP TABLE shown",
        "CREATE TEMP TABLE t (x)",
        "ATTACH ':memory:' AS other",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
    ],
)
def test_nothing_else_can_be_done(connection: sqlite3.Connection, query: str) -> None:
    with pytest.raises(sqlite3.DatabaseError, match=r"not authorized|prohibited|no such"):
        connection.execute(query)


def test_a_query_is_stopped_when_its_time_is_over(connection: sqlite3.Connection) -> None:
    numbers = ", ".join(f"({number})" for number in range(200))
    query = (
        f"WITH n(i) AS (VALUES {numbers}) SELECT count(*) FROM n a, n b, n c, n d WHERE a.i + d.i"
    )
    with pytest.raises(sqlite3.OperationalError, match="interrupted") as raised:
        connection.execute(query)
    assert raised.value.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT

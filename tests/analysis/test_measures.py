import os
import signal

import pytest

from longfat.analysis.measures import (
    Entry,
    MeasureDatabase,
    ResampledDatabase,
    Row,
    Tables,
    WrongMeasure,
)
from longfat.base.errors import Interrupted


def row(
    config: str, sources: int, replication: int, efficiency: float | None, *doubtful: str
) -> Row:
    metrics = None if efficiency is None else {"efficiency": efficiency}
    scenario = '{"tcp": {"mss_bytes": 512}}'
    return Row([config, str(sources), None], replication, scenario, metrics, frozenset(doubtful))


ROWS = [
    row("lan", 5, 0, 0.2),
    row("lan", 5, 1, 0.3),
    row("lan", 5, 2, 0.5),
    row("wan", 15, 0, 0.8),
    row("wan", 15, 1, 0.9),
    row("wan", 15, 2, None),
]
REFERENCE = [Entry(["lan", "5", None], "2", "efficiency", 0.21, doubtful=True)]
TABLES = Tables(["config", "sources", "z"], ROWS, REFERENCE, [1, 2])


STEP = """
SELECT max(step) FROM (
    SELECT efficiency - lag(efficiency) OVER (ORDER BY efficiency) AS step FROM runs
    WHERE config = 'lan')
"""


def value(sql: str) -> float | None:
    with MeasureDatabase(TABLES) as database:
        return database.read(sql).value


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT avg(efficiency) FROM runs WHERE config = 'lan'", 0.4),
        ("SELECT efficiency FROM deterministic WHERE sources > 5 AND z IS NULL", 0.8),
        ("SELECT count(*) FROM runs WHERE replication > 0", 4),
        ("SELECT value FROM reference WHERE table_name = '2' AND doubtful", 0.21),
        ("SELECT max(scenario ->> '$.tcp.mss_bytes') FROM runs", 512),
        ("SELECT median(efficiency) FROM deterministic", 0.5),
        ("WITH lan AS (SELECT * FROM runs WHERE config = 'lan') SELECT max(efficiency) FROM lan",
         0.5),
        (STEP, 0.2),
        ("WITH lan AS (SELECT * FROM runs WHERE config = 'lan') SELECT count(*) FROM lan", 2),
    ],
)  # fmt: skip
def test_a_measure_is_one_number_from_the_tables(sql: str, expected: float) -> None:
    assert value(sql) == pytest.approx(expected)


def test_a_measure_reports_the_rows_it_reads_and_the_runs_and_metrics_missing_there() -> None:
    with MeasureDatabase(TABLES) as database:
        lan = database.read("SELECT avg(efficiency) FROM runs WHERE config = 'lan'")
        everything = database.read("SELECT avg(efficiency) FROM runs")
        fairness = database.read("SELECT avg(fairness) FROM deterministic WHERE sources = 5")
        nothing = database.read("SELECT avg(efficiency) FROM runs WHERE sources = 99")
    assert (lan.read, lan.missing) == (ROWS[1:3], [])
    assert everything.missing == [ROWS[5]]
    assert (everything.lacking, everything.is_whole) == ({}, False)
    assert (fairness.missing, fairness.lacking, fairness.is_whole) == ([], {"fairness": 1}, False)
    assert (nothing.value, nothing.read) == (None, [])


def test_a_measure_reads_completion_times_by_kind_and_reports_runs_without() -> None:
    times = ('{"page": {"p95_s": 0.5}}', '{"page": {"p95_s": 1.5}}', None)
    rows = [
        Row(["lan", "5", None], number, "{}", {"efficiency": 0.5}, completions=text)
        for number, text in enumerate(times, start=1)
    ]
    tables = Tables(["config", "sources", "z"], rows, [], [1, 2, 3])
    sql = "SELECT avg(completions ->> '$.page.p95_s') FROM runs WHERE replication < {}"
    with MeasureDatabase(tables) as database:
        first_two, all_three = (database.read(sql.format(below)) for below in (3, 4))
    assert (first_two.value, first_two.missing) == (1, [])
    assert (all_three.missing, all_three.lacking) == ([], {"completions": 1})
    with ResampledDatabase(tables, sql.format(3), ["replication", "completions"]) as resampled:
        assert resampled.measure([2, 2]) == 1.5


def test_doubtful_digits_are_counted() -> None:
    rows = [row("lan", 5, 1, 0.3, "efficiency"), row("lan", 15, 1, 0.4)]
    with MeasureDatabase(Tables(["config", "sources", "z"], rows, [], ())) as database:
        assert database.read("SELECT avg(efficiency) FROM runs").doubtful == 1
        assert database.read("SELECT max(efficiency) FROM runs WHERE sources = 15").doubtful == 0


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT max(efficency) FROM runs", "column: efficency; did you mean 'efficiency'?"),
        ("SELECT max(r.soures) FROM runs r", "did you mean 'sources'?"),
        ("SELECT max(value) FROM referenc", "no such table: referenc; did you mean 'reference'?"),
        ("SELECT medain(efficiency) FROM runs", "did you mean 'median'?"),
        ("SELECT efficiency, fairness FROM runs", "yields 2 columns, not one number"),
        ("SELECT efficiency FROM runs", "yields several rows, not one number"),
        ("SELECT efficiency FROM runs WHERE 0", "yields no row, not one number"),
        ("SELECT max(config) FROM runs", "yields 'wan', which is no number"),
        ("DELETE FROM pool", "not authorized: the measure has to be one SELECT"),
        ("INSERT INTO reference VALUES (1)", "has to be one SELECT"),
        ("ATTACH '/tmp/x.db' AS x", "has to be one SELECT"),
        ("PRAGMA table_list", "has to be one SELECT"),
        ("SELECT 1; SELECT 2", "has to be one SELECT"),
        ("SELECT count(*) FROM pool", "not authorized: the measure has to be one SELECT"),
        ("SELECT count(*) FROM sqlite_master", "not authorized: the measure has to be one SELECT"),
        ("SELECT seen(1, 'efficiency', 2)", "not authorized"),
        ("SELECT length(randomblob(1000000000))", "not authorized"),
        ("-- nothing", "nothing is selected"),
        ("BEGIN", "has to be one SELECT"),
        ("SELECT \0", "null character"),
    ],
)  # fmt: skip
def test_sql_that_is_no_measure_is_refused(sql: str, expected: str) -> None:
    with MeasureDatabase(TABLES) as database, pytest.raises(WrongMeasure) as raised:
        database.read(sql)
    assert expected in str(raised.value)


def test_the_tables_and_columns_can_be_listed() -> None:
    words = TABLES.in_words
    assert words.startswith(
        "a measure can read: runs and deterministic (config, sources, z, replication, scenario, "
    )
    assert words.endswith("reference (config, sources, z, table_name, response, value, doubtful)")


def test_a_measure_may_take_a_second_and_no_more() -> None:
    many = [row("lan", 5, number, 0.1) for number in range(1, 400)]
    sql = "SELECT count(*) FROM runs a, runs b, runs c, runs d WHERE a.sources + d.sources > 0"
    with (
        MeasureDatabase(Tables(["config", "sources", "z"], many, [], [1])) as database,
        pytest.raises(WrongMeasure, match="ran for more than 1 s"),
    ):
        database.read(sql)


def test_after_a_refusal_the_next_measure_is_taken() -> None:
    with MeasureDatabase(TABLES) as database:
        with pytest.raises(WrongMeasure):
            database.read("DELETE FROM runs")
        assert database.read("SELECT count(*) FROM runs").value == 4


@pytest.mark.parametrize(
    ("sql", "drawn", "expected"),
    [
        ("SELECT avg(efficiency) FROM runs", [1, 2, 3], 0.2),
        ("SELECT avg(efficiency) FROM runs", [3, 3, 3], 0.3),
        ("SELECT avg(efficiency) FROM runs", [2], 0.2),
        ("SELECT sum(replication) FROM runs", [3, 3, 3], 6),
        ("SELECT max(efficiency) FROM deterministic", [3, 3, 3], 0),
        ("SELECT count(*) FROM runs", [3, 3], 2),
        ("SELECT Max(EFFICIENCY) FROM (SELECT * FROM runs)", [1, 2], 0.2),
    ],
)
def test_replications_drawn_anew_take_the_place_of_the_old_ones(
    sql: str, drawn: list[int], expected: float
) -> None:
    """With all columns, and with those alone that the measure mentions."""
    rows = [row("lan", 5, number, 0.1 * number) for number in (0, 1, 2, 3)]
    tables = Tables(["config", "sources", "z"], rows, REFERENCE, [1, 2, 3])
    for columns in (tables.columns, tables.mentioned(sql)):
        with ResampledDatabase(tables, sql, columns) as database:
            assert database.measure([1]) is not None
            assert database.measure(drawn) == pytest.approx(expected)


def test_a_signal_while_a_measure_is_taken_is_no_fault_of_the_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noted = []

    def note(_database: MeasureDatabase, _position: int, _column: str, value: float) -> float:
        noted.append(value)
        if len(noted) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return value

    monkeypatch.setattr(MeasureDatabase, "_note", note)
    with MeasureDatabase(TABLES) as database, pytest.raises(Interrupted) as stopped:
        database.read("SELECT sum(efficiency) FROM runs")
    assert stopped.value.exit_code == 128 + signal.SIGINT

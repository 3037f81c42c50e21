"""SQL database of a study's runs, in which the measures of claims are evaluated.

`runs` has a row for each factor combination and replication from 1 on, `deterministic` one for
each combination in replication 0; both have the factors, `replication`, `scenario` (resolved, as
JSON), every metric, and `completions` (completion times by kind, as JSON). `reference` has the
paper's entries. Queries are read-only, restricted to these tables, and limited to `SECONDS`.
"""

import dataclasses
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from longfat import _engine
from longfat.analysis import aggregates
from longfat.analysis.experiment import LARGEST
from longfat.base.read_only import SqlValue, limit_time, open_database, quoted, restrict
from longfat.base.stopping import stopped_afterwards
from longfat.base.suggestions import nearest

SECONDS = 1.0
"""Largest CPU time of this thread per evaluation of a measure, in seconds."""

TABLES = frozenset({"runs", "deterministic", "reference"})
FUNCTIONS = aggregates.NAMES | {
    *("avg", "count", "max", "min", "sum", "total"),
    *(
        "abs",
        "ceil",
        "exp",
        "floor",
        "ln",
        "log10",
        "log2",
        "pow",
        "power",
        "round",
        "sign",
        "sqrt",
    ),
    *("coalesce", "glob", "ifnull", "iif", "like", "lower", "nullif", "upper"),
    *("first_value", "lag", "last_value", "lead", "nth_value", "rank", "dense_rank", "row_number"),
    *("->", "->>", "json_extract"),
}
OWN_COLUMNS = ("replication", "scenario")
COMPLETIONS = "completions"
REFERENCE_COLUMNS = ("table_name", "response", "value", "doubtful")

NOT_SELECT = "the measure has to be one SELECT, which may read these tables and do nothing else"


class WrongMeasure(Exception):
    """Raised for SQL that is no valid measure; the message has the reason."""


@dataclass(frozen=True)
class Row:
    """One replication of a factor combination; a level is None if the factor does not apply.

    `metrics` is None without a run; of a paper, it has the printed ones only. `doubtful` names the
    metrics whose printed value is doubtful. `completions` is JSON, None without a run or without
    requests.
    """

    levels: Sequence[str | None]
    replication: int
    scenario: str
    metrics: Mapping[str, float] | None
    doubtful: frozenset[str] = frozenset()
    completions: str | None = None

    def has(self, column: str) -> bool:
        """Whether the row has a value in this column of results."""
        if column == COMPLETIONS:
            return self.completions is not None
        return column in (self.metrics or {})


@dataclass(frozen=True)
class Entry:
    """Value that the paper prints, with its table and response."""

    levels: Sequence[str | None]
    table: str
    response: str
    value: float
    doubtful: bool


@dataclass(frozen=True)
class Tables:
    """Content of a study's SQL tables, for one source of runs.

    `drawn` are the replications in `runs`; if empty, `runs` has the deterministic runs as
    replication 1.
    """

    factors: Sequence[str]
    rows: Sequence[Row]
    reference: Sequence[Entry]
    drawn: Sequence[int]

    @property
    def replications(self) -> int:
        """Number of replications."""
        return len(self.drawn)

    @property
    def metrics(self) -> list[str]:
        """Metrics that have a column: a factor of the same name hides a metric."""
        return [name for name in _engine.METRICS if name not in self.factors]

    @property
    def columns(self) -> list[str]:
        """Columns of `runs` and of `deterministic`."""
        return [*self.factors, *OWN_COLUMNS, *self.results]

    @property
    def results(self) -> list[str]:
        """Columns with results of runs: a measure that reads one depends on the run."""
        own = [] if COMPLETIONS in self.factors else [COMPLETIONS]
        return [*self.metrics, *own]

    @property
    def has_numbers(self) -> bool:
        """Whether there are any results or reference entries."""
        return bool(self.reference) or any(row.metrics for row in self.rows)

    def mentioned(self, sql: str) -> list[str]:
        """Return the columns whose names occur in the text of the SQL; at least one column."""
        text = sql.lower()
        found = [name for name in self.columns if name.lower() in text]
        return found or self.columns[:1]

    def with_rows(self, rows: Sequence[Row]) -> Self:
        """Return these tables with other rows."""
        return dataclasses.replace(self, rows=rows)

    @property
    def in_words(self) -> str:
        """Tables and columns that a measure can read, as a sentence for messages."""
        reference = [*self.factors, *REFERENCE_COLUMNS]
        return (
            f"a measure can read: runs and deterministic ({', '.join(self.columns)}), "
            f"reference ({', '.join(reference)})"
        )


@dataclass(frozen=True)
class Reading:
    """Result of evaluating a measure: its value, None for NULL, and the rows that it read.

    `missing` are the rows read without a run; `lacking` counts, for each column read, the stored
    runs that do not have it; `doubtful` counts the doubtful values read.
    """

    value: float | None
    read: Sequence[Row]
    missing: Sequence[Row]
    lacking: Mapping[str, int]
    doubtful: int

    @property
    def is_whole(self) -> bool:
        """Whether all runs and metrics that the measure read are available."""
        return not self.missing and not self.lacking


class MeasureDatabase:
    """SQL tables of a study that record which rows a measure reads; a context manager."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._seen: dict[tuple[int, str], None] = {}
        self._connection = open_database()
        _create_pool(self._connection, tables, tables.columns)
        self._connection.create_function("seen", 3, self._note)
        self._create_views()
        _create_reference(self._connection, tables)
        aggregates.register_aggregates(self._connection)
        restrict(self._connection, TABLES, FUNCTIONS, SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def read(self, sql: str) -> Reading:
        """Evaluate a measure.

        Raises `WrongMeasure` for SQL that is no valid measure, and `Interrupted` after a signal to
        stop.
        """
        self._seen.clear()
        limit_time(self._connection, SECONDS)
        try:
            with stopped_afterwards():
                value = measured(self._connection, sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise WrongMeasure(self._explained(error)) from error
        return self._reading(value)

    def _note(self, position: int, column: str, value: SqlValue) -> SqlValue:
        self._seen[position, column] = None
        return value

    def _reading(self, value: float | None) -> Reading:
        rows = self._tables.rows
        read = dict.fromkeys(position for position, _ in self._seen)
        missing = [position for position in read if rows[position].metrics is None]
        lacking = Counter(
            column
            for position, column in self._seen
            if rows[position].metrics is not None and not rows[position].has(column)
        )
        return Reading(
            value=value,
            read=[rows[position] for position in sorted(read)],
            missing=[rows[position] for position in sorted(missing)],
            lacking=lacking,
            doubtful=sum(column in rows[position].doubtful for position, column in self._seen),
        )

    def _create_views(self) -> None:
        """Create the views `runs` and `deterministic`, which record reads of results."""
        plain = [quoted(name) for name in (*self._tables.factors, *OWN_COLUMNS)]
        noted = [
            f"seen(position, '{name}', {quoted(name)}) AS {quoted(name)}"
            for name in self._tables.results
        ]
        columns = ", ".join([*plain, *noted])
        for view, condition in (("runs", "> 0"), ("deterministic", "= 0")):
            self._connection.execute(
                f"CREATE VIEW {view} AS SELECT {columns} FROM pool WHERE replication {condition}"
            )

    def _explained(self, error: Exception) -> str:
        text = str(error)
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            return f"the measure ran for more than {SECONDS:g} s"
        if "not authorized" in text or "prohibited" in text or "one statement" in text:
            return f"{text}: {NOT_SELECT}"
        name = text.rpartition(": ")[2].rpartition(".")[2]
        if text.startswith("no such column"):
            return text + self._whose(name)
        if text.startswith("no such table"):
            return text + nearest(name, sorted(TABLES))
        if text.startswith("no such function"):
            return text + nearest(name, sorted(FUNCTIONS))
        return text

    def _whose(self, column: str) -> str:
        """Return a hint about an unknown column: the tables that have it, or the nearest name."""
        if column in self._tables.columns:
            return f"; runs and deterministic have {column}"
        if column in REFERENCE_COLUMNS:
            return f"; reference has {column}"
        return nearest(column, [*self._tables.columns, *REFERENCE_COLUMNS])


class ResampledDatabase:
    """SQL tables of runs with resampled replications, for the bootstrap; a context manager.

    For SQL that a `MeasureDatabase` has accepted and that reads only `columns`. `runs` is a view
    of the resample, since copying the rows for every resample would dominate the time.
    """

    def __init__(self, tables: Tables, sql: str, columns: Sequence[str]) -> None:
        self._connection = open_database()
        self._sql = sql
        self._numbers = tables.drawn
        _create_pool(self._connection, tables, columns)
        listed = ", ".join(quoted(name) for name in columns)
        self._connection.execute("CREATE TABLE drawn (replication INTEGER, source INTEGER)")
        taken = ", ".join(
            f"drawn.{name} AS {name}" if name == "replication" else f"pool.{quoted(name)}"
            for name in columns
        )
        self._connection.execute(
            f"CREATE VIEW runs AS SELECT {taken} FROM drawn CROSS JOIN pool "
            "ON pool.replication = drawn.source"
        )
        self._connection.execute(
            f"CREATE VIEW deterministic AS SELECT {listed} FROM pool WHERE replication = 0"
        )
        _create_reference(self._connection, tables)
        aggregates.register_aggregates(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def measure(self, replications: Sequence[int]) -> float | None:
        """Evaluate the measure with these replications in place of as many of the tables' own."""
        self._connection.execute("DELETE FROM drawn")
        self._connection.executemany(
            "INSERT INTO drawn VALUES (?, ?)", zip(self._numbers, replications, strict=False)
        )
        try:
            return measured(self._connection, self._sql)
        except ValueError:  # no row: none of the resampled runs meets its conditions
            return None


def measured(connection: sqlite3.Connection, sql: str) -> float | None:
    """Return the single number that a query yields; None for NULL, or beyond `LARGEST`.

    Raises `ValueError` for any other result, and the errors of sqlite3.
    """
    cursor = connection.execute(sql)
    if cursor.description is None:
        raise ValueError(f"nothing is selected: {NOT_SELECT}")
    if len(cursor.description) > 1:
        raise ValueError(f"the measure yields {len(cursor.description)} columns, not one number")
    rows = cursor.fetchmany(2)
    if len(rows) != 1:
        number = "no row" if not rows else "several rows"
        raise ValueError(f"the measure yields {number}, not one number")
    ((value,),) = rows
    if value is not None and not isinstance(value, int | float):
        raise ValueError(f"the measure yields {value!r}, which is no number")
    return None if value is None or abs(value) > LARGEST else value


def _create_pool(connection: sqlite3.Connection, tables: Tables, columns: Sequence[str]) -> None:
    """Create the table behind both views, with these columns; numeric levels compare as numbers.

    It is ordered by replication, since resamples take whole replications. Text columns are last,
    because columns behind long texts are many times slower to read.
    """
    factors = [place for place, name in enumerate(tables.factors) if name in columns]
    metrics = [name for name in tables.metrics if name in columns]
    texts = [name for name in ("scenario", COMPLETIONS) if name in {*columns} - {*tables.factors}]
    declared = [
        "replication INTEGER",
        "position INTEGER",
        *(f"{quoted(tables.factors[place])} NUMERIC" for place in factors),
        *(f"{quoted(metric)} REAL" for metric in metrics),
        *(f"{name} TEXT" for name in texts),
    ]
    key = "PRIMARY KEY (replication, position)"
    connection.execute(f"CREATE TABLE pool ({', '.join(declared)}, {key}) WITHOUT ROWID")
    rows = (
        (
            row.replication,
            position,
            *(row.levels[place] for place in factors),
            *((row.metrics or {}).get(metric) for metric in metrics),
            *(getattr(row, name) for name in texts),
        )
        for position, row in enumerate(tables.rows)
    )
    _insert(connection, "pool", len(declared), rows)


def _create_reference(connection: sqlite3.Connection, tables: Tables) -> None:
    columns = [f"{quoted(factor)} NUMERIC" for factor in tables.factors]
    columns += ["table_name TEXT", "response TEXT", "value REAL", "doubtful INTEGER"]
    connection.execute(f"CREATE TABLE reference ({', '.join(columns)})")
    rows = (
        (*entry.levels, entry.table, entry.response, entry.value, int(entry.doubtful))
        for entry in tables.reference
    )
    _insert(connection, "reference", len(columns), rows)


def _insert(
    connection: sqlite3.Connection, table: str, columns: int, rows: Iterable[Sequence[SqlValue]]
) -> None:
    marks = ", ".join("?" * columns)
    connection.execute("BEGIN")
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
    connection.execute("COMMIT")

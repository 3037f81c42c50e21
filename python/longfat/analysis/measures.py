"""Where the measures of claims are taken: the runs of a study as tables of SQL.

`runs` has a row for each factor combination and replication from 1 on, `deterministic` one for
each combination in replication 0; both have the factors, `replication`, `scenario` (resolved, as
JSON), every metric, and `completions` (how long what was asked for took, as JSON, by kind).
`reference` has the paper's entries. Nothing else can be read, nothing can
be written, and no measure may take longer than `SECONDS`.
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
"""Of this thread, for each time that a measure is taken."""

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
    """SQL that is no measure; the text says why. `Tables.in_words` is what could be read."""


@dataclass(frozen=True)
class Row:
    """A factor combination (a level for each factor, or None) in one replication.

    `metrics` is None where no run is, and lacks what a paper does not print. `doubtful` names the
    metrics whose printed digits are not to be trusted. `completions` is JSON, None where nothing is
    asked for, or no run is.
    """

    levels: Sequence[str | None]
    replication: int
    scenario: str
    metrics: Mapping[str, float] | None
    doubtful: frozenset[str] = frozenset()
    completions: str | None = None

    def has(self, column: str) -> bool:
        """Whether there is a metric, or there are completions."""
        if column == COMPLETIONS:
            return self.completions is not None
        return column in (self.metrics or {})


@dataclass(frozen=True)
class Entry:
    """A number that the paper prints."""

    levels: Sequence[str | None]
    table: str
    response: str
    value: float
    doubtful: bool


@dataclass(frozen=True)
class Tables:
    """What the tables of a study hold, for one source of runs.

    `drawn` are the numbers of the replications in `runs`; without any, what stands there are the
    deterministic runs, as replication 1.
    """

    factors: Sequence[str]
    rows: Sequence[Row]
    reference: Sequence[Entry]
    drawn: Sequence[int]

    @property
    def replications(self) -> int:
        """How many replications there are."""
        return len(self.drawn)

    @property
    def metrics(self) -> list[str]:
        """The metrics that have a column: a factor of the same name hides one."""
        return [name for name in _engine.METRICS if name not in self.factors]

    @property
    def columns(self) -> list[str]:
        """The columns of `runs` and of `deterministic`."""
        return [*self.factors, *OWN_COLUMNS, *self.results]

    @property
    def results(self) -> list[str]:
        """The columns that a run fills, so that whoever reads them needs it."""
        own = [] if COMPLETIONS in self.factors else [COMPLETIONS]
        return [*self.metrics, *own]

    @property
    def has_numbers(self) -> bool:
        """Whether there is anything at all but what has been planned."""
        return bool(self.reference) or any(row.metrics for row in self.rows)

    def mentioned(self, sql: str) -> list[str]:
        """The columns that SQL can be about: its text has their names. At least one."""
        text = sql.lower()
        found = [name for name in self.columns if name.lower() in text]
        return found or self.columns[:1]

    def with_rows(self, rows: Sequence[Row]) -> Self:
        """The same tables with other runs."""
        return dataclasses.replace(self, rows=rows)

    @property
    def in_words(self) -> str:
        """Which tables and columns there are."""
        reference = [*self.factors, *REFERENCE_COLUMNS]
        return (
            f"a measure can read: runs and deterministic ({', '.join(self.columns)}), "
            f"reference ({', '.join(reference)})"
        )


@dataclass(frozen=True)
class Reading:
    """A measure taken: its number, None for NULL, and the rows of which it read metrics.

    `missing` are those that no run is of; `lacking` counts for each column that it read the runs
    that are there without it; `doubtful` counts doubtful digits read.
    """

    value: float | None
    read: Sequence[Row]
    missing: Sequence[Row]
    lacking: Mapping[str, int]
    doubtful: int

    @property
    def is_whole(self) -> bool:
        """Whether all that it read is there."""
        return not self.missing and not self.lacking


class MeasureDatabase:
    """A study's tables, and which of their rows a measure reads; a context manager."""

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
        """Take a measure.

        Raises `WrongMeasure` for SQL that is none, and `Interrupted` after a signal to stop.
        """
        self._seen.clear()
        limit_time(self._connection, SECONDS)
        try:
            with stopped_afterwards():
                value = measured(self._connection, sql)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise WrongMeasure(self._told(error)) from error
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
        """Views, so that whoever reads what a run fills is seen to."""
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

    def _told(self, error: Exception) -> str:
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
        """Which tables have a column that the one that was asked has not, or the nearest name."""
        if column in self._tables.columns:
            return f"; runs and deterministic have {column}"
        if column in REFERENCE_COLUMNS:
            return f"; reference has {column}"
        return nearest(column, [*self._tables.columns, *REFERENCE_COLUMNS])


class ResampledDatabase:
    """The runs of some rows with replications drawn anew; a context manager.

    For SQL that has been vetted by a `MeasureDatabase` and reads no other `columns`. The runs are a
    view of what is drawn: to copy the rows for every draw would take most of the time.
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
        """Forget everything."""
        self._connection.close()

    def measure(self, replications: Sequence[int]) -> float | None:
        """The measure where these stand in place of as many of the tables' replications."""
        self._connection.execute("DELETE FROM drawn")
        self._connection.executemany(
            "INSERT INTO drawn VALUES (?, ?)", zip(self._numbers, replications, strict=False)
        )
        try:
            return measured(self._connection, self._sql)
        except ValueError:  # no row, where the draw leaves nothing to choose from
            return None


def measured(connection: sqlite3.Connection, sql: str) -> float | None:
    """The one number of a query, None for NULL, and for one too large to have an interval.

    Raises `ValueError` for any other result, and what sqlite3 raises.
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
    """These columns of all rows of both tables; levels that read as numbers compare as numbers.

    In the order of replications, of which draws take whole ones. Texts come last: whatever is
    behind so long ones takes many times as long to read.
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

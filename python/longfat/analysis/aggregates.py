"""SQL aggregates that SQLite does not have, for the measures of claims; all ignore NULL."""

import sqlite3
import statistics
from collections.abc import Callable, Sequence

from longfat.results.comparison import rank_correlation


def fairness_index(values: Sequence[float]) -> float | None:
    """Return Jain's fairness index, (sum of x)^2 / (n * sum of x^2); None if all are zero."""
    squares = sum(value * value for value in values)
    return sum(values) ** 2 / (len(values) * squares) if squares else None


def median(values: Sequence[float]) -> float | None:
    """Return the median of the values; None for no values."""
    return statistics.median(values) if values else None


def standard_deviation(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation, with divisor n - 1; None for fewer than two values."""
    return statistics.stdev(values) if len(values) > 1 else None


_OF_ONE_COLUMN: dict[str, Callable[[Sequence[float]], float | None]] = {
    "fairness_index": fairness_index,
    "median": median,
    "stdev": standard_deviation,
}
_OF_TWO_COLUMNS: dict[str, Callable[[Sequence[tuple[float, float]]], float | None]] = {
    "rank_correlation": rank_correlation,
}
NAMES = frozenset(_OF_ONE_COLUMN | _OF_TWO_COLUMNS)


def register_aggregates(connection: sqlite3.Connection) -> None:
    """Register the aggregates with a connection, under their names."""
    for name, function in _OF_ONE_COLUMN.items():
        connection.create_aggregate(name, 1, _of_one_column(function))
    for name, of_pairs in _OF_TWO_COLUMNS.items():
        connection.create_aggregate(name, 2, _of_two_columns(of_pairs))


def _of_one_column(function: Callable[[Sequence[float]], float | None]) -> type:
    class OfOneColumn:
        def __init__(self) -> None:
            self.values: list[float] = []

        def step(self, value: float | None) -> None:
            if value is not None:
                self.values.append(float(value))

        def finalize(self) -> float | None:
            return function(self.values)

    return OfOneColumn


def _of_two_columns(function: Callable[[Sequence[tuple[float, float]]], float | None]) -> type:
    class OfTwoColumns:
        def __init__(self) -> None:
            self.pairs: list[tuple[float, float]] = []

        def step(self, first: float | None, second: float | None) -> None:
            if first is not None and second is not None:
                self.pairs.append((float(first), float(second)))

        def finalize(self) -> float | None:
            return function(self.pairs)

    return OfTwoColumns

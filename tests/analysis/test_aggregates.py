import pytest

from longfat.analysis.aggregates import register_aggregates
from longfat.base.read_only import open_database


def aggregated(expression: str, rows: str) -> float | None:
    connection = open_database()
    register_aggregates(connection)
    query = f"WITH rows(x, y) AS (VALUES {rows}) SELECT {expression} FROM rows"
    ((value,),) = connection.execute(query).fetchall()
    return None if value is None else float(value)


@pytest.mark.parametrize(
    ("expression", "rows", "expected"),
    [
        ("median(x)", "(1, 0), (5, 0), (2, 0)", 2),
        ("median(x)", "(1, 0), (2, 0), (NULL, 0)", 1.5),
        ("stdev(x)", "(2, 0), (4, 0), (6, 0)", 2),
        ("fairness_index(x)", "(1, 0), (1, 0), (0, 0), (0, 0)", 0.5),
        ("rank_correlation(x, y)", "(1, 10), (2, 30), (3, 20)", 0.5),
        ("rank_correlation(x, y)", "(1, 10), (2, 30), (3, NULL)", 1),
    ],
)
def test_aggregates_give_the_textbook_values_and_pass_over_null(
    expression: str, rows: str, expected: float
) -> None:
    assert aggregated(expression, rows) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("median(x)", "(NULL, 0)"),
        ("stdev(x)", "(1, 0)"),
        ("fairness_index(x)", "(0, 0), (0, 0)"),
        ("rank_correlation(x, y)", "(1, 1), (1, 2)"),
    ],
)
def test_where_there_is_no_value_aggregates_are_null(expression: str, rows: str) -> None:
    assert aggregated(expression, rows) is None

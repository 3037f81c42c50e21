from longfat.plots.data_table import MOST_ROWS, data_table


def test_few_rows_are_the_table() -> None:
    rows = [
        {"buffer_size": 1000, "policy": "fba", "efficiency": 0.123456789, "doubtful": False},
        {"buffer_size": 20000, "policy": "ubr", "efficiency": None, "doubtful": True},
    ]
    table = data_table(rows)
    assert table.header == ["buffer size", "policy", "efficiency", "doubtful"]
    assert table.rows == [["1000", "fba", "0.12346", "no"], ["20000", "ubr", "-", "yes"]]
    assert table.drawn_rows is None


def test_many_rows_are_summarized_by_what_names_them() -> None:
    rows = [
        {"flow": 1 + place % 2, "time_s": place / 10, "cwnd_bytes": 1000.0 * (1 + place % 2)}
        for place in range(200)
    ]
    table = data_table(rows)
    assert table.header == ["flow", "rows", "time s", "cwnd bytes"]
    assert table.rows == [
        ["1", "100", "0 to 19.8, mean 9.9", "1,000"],
        ["2", "100", "0.1 to 19.9, mean 10", "2,000"],
    ]
    assert table.drawn_rows == 200


def test_a_summary_of_many_names_drops_the_last_ones() -> None:
    names = [f"level {number}" for number in range(30)]
    rows = [{"first": one, "second": other, "mean": 1.0} for one in names for other in names]
    table = data_table(rows)
    assert table.header == ["first", "rows", "mean"]
    assert [row[1] for row in table.rows] == ["30"] * 30
    assert len(table.rows) <= MOST_ROWS


def test_rows_without_names_are_one_summary() -> None:
    rows = [{"x": place / 2, "y": None if place % 2 else 1.5} for place in range(201)]
    assert data_table(rows).rows == [["201", "0 to 100, mean 50", "1.5"]]

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.results.comparison import TableComparison, compare
from longfat.results.curves import curve_levels, curves
from longfat.studies.reference import unprinted
from longfat.studies.responses import Response

BUFFERS = ["0.25 RTT", "0.5 RTT", "1 RTT", "2 RTT"]
ROWS = unprinted({"sources": ["5", "15"], "buffer": BUFFERS})
FIVE = [0.5, 0.9, 0.99, 1.0]
FIFTEEN = [0.5, 0.985, 0.95, 1.0]


def table(
    efficiencies: list[float], enough: float | None = 0.98, across: str | None = "buffer"
) -> TableComparison:
    """Deterministic runs alone, in the order of the rows."""
    results = {
        row.combination: {0: {"efficiency": value}}
        for row, value in zip(ROWS, efficiencies, strict=True)
    }
    response = Response("K", "Buffers", "efficiency", ROWS, False, across, enough)
    return compare(response, results)


def test_a_curve_has_the_entries_that_differ_in_one_factor() -> None:
    first, second = curves(table(FIVE + FIFTEEN))
    assert first.combination == (("sources", "5"),)
    assert [entry.ours for entry in first.entries.values()] == FIVE
    assert [entry.ours for entry in second.entries.values()] == FIFTEEN
    assert curve_levels(table(FIVE + FIFTEEN)) == BUFFERS


def test_enough_is_the_first_level_with_the_share_of_the_last() -> None:
    assert [curve.enough for curve in curves(table(FIVE + FIFTEEN))] == ["1 RTT", "0.5 RTT"]
    assert [curve.enough for curve in curves(table(FIVE + FIFTEEN, 0.9))] == ["0.5 RTT", "0.5 RTT"]
    assert [curve.enough for curve in curves(table(FIVE + FIFTEEN, 0.5))] == ["0.25 RTT"] * 2


def test_the_share_is_of_the_last_level_and_not_of_one() -> None:
    halved = [value / 2 for value in FIVE + FIFTEEN]
    assert [curve.enough for curve in curves(table(halved))] == ["1 RTT", "0.5 RTT"]


def test_nothing_is_known_to_be_enough_while_a_run_is_missing() -> None:
    results = {row.combination: {0: {"efficiency": 1.0}} for row in ROWS}
    results[ROWS[1].combination] = {}
    response = Response("K", "Buffers", "efficiency", ROWS, False, "buffer", 0.98)
    assert [curve.enough for curve in curves(compare(response, results))] == [None, "0.25 RTT"]


def test_means_of_replications_count_before_the_deterministic_run() -> None:
    results = {row.combination: {0: {"efficiency": 1.0}, 1: {"efficiency": 0.5}} for row in ROWS}
    response = Response("K", "Buffers", "efficiency", ROWS, False, "buffer", 0.98)
    first = curves(compare(response, results))[0]
    assert {entry.ours for entry in first.entries.values()} == {0.5}


def test_a_table_without_across_has_no_curves() -> None:
    assert curves(table(FIVE + FIFTEEN, None, None)) == []


@given(
    st.lists(st.floats(min_value=0.01, max_value=1), min_size=4, max_size=4),
    st.floats(min_value=0.01, max_value=1),
)
def test_what_is_enough_has_the_share_and_nothing_before_it_has(
    values: list[float], share: float
) -> None:
    enough = curves(table(values + values, share))[0].enough
    assert enough is not None
    position = BUFFERS.index(enough)
    assert values[position] >= share * values[-1]
    assert all(value < share * values[-1] for value in values[:position])


@pytest.mark.parametrize("share", [0.98, 1.0])
def test_the_last_level_is_always_enough_for_itself(share: float) -> None:
    assert curves(table([0.1, 0.2, 0.3, 0.4] * 2, share))[0].enough == "2 RTT"

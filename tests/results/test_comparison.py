from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.results.comparison import Results, compare, rank_correlation
from longfat.studies.reference import Combination, ReferenceRow, unprinted
from longfat.studies.responses import Response

numbers = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)


def combination(policy: str, sources: str) -> Combination:
    return (("policy", policy), ("sources", sources))


def row(policy: str, sources: str, value: float, *, doubtful: bool = False) -> ReferenceRow:
    return ReferenceRow(
        combination=combination(policy, sources),
        values={"efficiency": value},
        doubtful=frozenset({"efficiency"} if doubtful else ()),
        note="",
    )


def replications(*values: float) -> Mapping[int, Mapping[str, float]]:
    return {number: {"efficiency": value} for number, value in enumerate(values)}


RESPONSE = Response(
    table="2",
    title="A table",
    metric="efficiency",
    rows=[
        row("ubr", "5", 0.2),
        row("ubr", "15", 0.4),
        row("epd", "5", 0.6),
        row("epd", "15", 0.8, doubtful=True),
    ],
)

RESULTS: Results = {
    combination("ubr", "5"): replications(0.3, 0.1, 0.3),
    combination("ubr", "15"): replications(0.4, 0.5, 0.7),
    combination("epd", "5"): replications(0.5, 0.9, 0.9),
    combination("epd", "15"): replications(0.0, 0.0, 0.0),
}


def test_an_entry_has_the_deterministic_value_and_mean_and_range_of_the_replications() -> None:
    entry = compare(RESPONSE, RESULTS).entries[1]
    assert entry.reference == 0.4
    assert entry.deterministic == 0.4
    assert entry.mean == pytest.approx(0.6)
    assert (entry.minimum, entry.maximum, entry.replications) == (0.5, 0.7, 2)


def test_a_summary_leaves_out_doubtful_entries() -> None:
    summary = compare(RESPONSE, RESULTS).summary
    assert (summary.rows, summary.compared) == (4, 3)
    assert summary.mean_absolute_error == pytest.approx((0.0 + 0.2 + 0.3) / 3)
    assert summary.deterministic_error == pytest.approx((0.1 + 0.0 + 0.1) / 3)
    assert summary.rank_correlation == pytest.approx(1.0)
    assert summary.inside_range == pytest.approx(1 / 3)


def test_a_summary_is_broken_down_by_every_factor_that_varies() -> None:
    table = compare(RESPONSE, RESULTS)
    assert {factor: list(levels) for factor, levels in table.by.items()} == {
        "policy": ["ubr", "epd"],
        "sources": ["5", "15"],
    }
    assert table.by["policy"]["ubr"].mean_absolute_error == pytest.approx(0.1)
    assert [name for name, _ in table.parts()] == [
        "all",
        "policy ubr",
        "policy epd",
        "sources 5",
        "sources 15",
    ]


def test_rows_that_were_not_selected_are_left_out() -> None:
    results = {combination("ubr", "5"): RESULTS[combination("ubr", "5")]}
    table = compare(RESPONSE, results)
    assert len(table.entries) == 1
    assert table.by == {}


def test_entries_without_runs_have_no_numbers() -> None:
    table = compare(RESPONSE, {row.combination: {} for row in RESPONSE.rows})
    assert {entry.mean for entry in table.entries} == {None}
    assert table.summary.compared == 0
    assert table.summary.mean_absolute_error is None
    assert table.summary.inside_range is None


def test_the_deterministic_run_alone_gives_no_mean() -> None:
    entry = compare(RESPONSE, {combination("ubr", "5"): replications(0.3)}).entries[0]
    assert (entry.deterministic, entry.mean, entry.replications) == (0.3, None, 0)


MEAN_OF_UBR = ReferenceRow(
    combination=(("policy", "ubr"),),
    values={"efficiency": 0.3},
    doubtful=frozenset(),
    note="",
    members=(combination("ubr", "5"), combination("ubr", "15")),
)
MEANS = Response("M", "Means over sources", "efficiency", [MEAN_OF_UBR])


def test_a_row_of_means_is_compared_with_the_mean_of_its_members_in_each_replication() -> None:
    (entry,) = compare(MEANS, RESULTS).entries
    assert entry.deterministic == pytest.approx((0.3 + 0.4) / 2)
    assert entry.minimum == pytest.approx((0.1 + 0.5) / 2)
    assert entry.maximum == pytest.approx((0.3 + 0.7) / 2)
    assert entry.mean == pytest.approx(0.4)
    assert entry.replications == 2


def test_a_replication_that_one_member_does_not_have_is_left_out_of_a_mean() -> None:
    results = {**RESULTS, combination("ubr", "15"): replications(0.4, 0.5)}
    (entry,) = compare(MEANS, results).entries
    assert entry.mean == pytest.approx(0.3)
    assert entry.replications == 1


def test_a_row_of_means_is_left_out_when_a_member_was_not_selected() -> None:
    results = {combination("ubr", "5"): RESULTS[combination("ubr", "5")]}
    assert compare(MEANS, results).entries == []


def test_a_table_without_numbers_of_the_paper_shows_ours_alone() -> None:
    rows = unprinted({"policy": ["ubr", "epd"], "sources": ["5", "15"]})
    table = compare(Response("2", "A table", "efficiency", rows, is_printed=False), RESULTS)
    assert [entry.reference for entry in table.entries] == [None] * 4
    assert table.entries[0].ours == pytest.approx(0.2)
    summary = table.summary
    assert (summary.rows, summary.compared) == (4, 0)
    assert summary.mean_absolute_error is None
    assert summary.deterministic_error is None
    assert summary.inside_range is None
    assert summary.mean == pytest.approx((0.2 + 0.6 + 0.9 + 0.0) / 4)
    assert (summary.minimum, summary.maximum) == (0.0, 0.9)
    assert table.by["policy"]["ubr"].deterministic == pytest.approx((0.3 + 0.4) / 2)


def test_a_value_that_the_paper_leaves_out_is_no_entry_of_a_printed_table() -> None:
    rows = unprinted({"policy": ["ubr"], "sources": ["5"]})
    assert compare(Response("2", "A table", "efficiency", rows), RESULTS).entries == []


def printed_as(value: float, rounding: float) -> ReferenceRow:
    return ReferenceRow(
        combination=combination("ubr", "5"),
        values={"efficiency": value},
        doubtful=frozenset(),
        note="",
        roundings={"efficiency": rounding},
    )


@pytest.mark.parametrize(
    ("printed", "ours", "is_inside"),
    [
        (1.0, (0.9961, 0.9961), True),  # one value, printed as 1.00
        (1.0, (0.995, 0.995), True),  # what just rounds to 1.00
        (1.0, (0.9949, 0.9949), False),
        (0.5, (0.51, 0.6), False),
        (0.5, (0.5049, 0.6), True),
        (0.5, (0.3, 0.49), False),
        (0.5, (0.3, 0.7), True),
    ],
)
def test_a_printed_value_is_inside_a_range_that_meets_what_it_may_have_been(
    printed: float, ours: tuple[float, float], is_inside: bool
) -> None:
    row = printed_as(printed, 0.005)
    table = compare(
        Response("2", "A table", "efficiency", [row]), {row.combination: replications(0.0, *ours)}
    )
    assert table.entries[0].is_inside_range is is_inside
    assert table.summary.inside_range == float(is_inside)


def test_the_interval_of_a_mean_is_students() -> None:
    # Mean 2, standard deviation 1, t[0.95; 2] = 2.919986 (Jain, Table A.4).
    row = printed_as(0.5, 0.005)
    table = compare(
        Response("2", "A table", "efficiency", [row]), {row.combination: replications(9, 1, 2, 3)}
    )
    (entry,) = table.entries
    half = 2.919986 / 3**0.5
    assert entry.interval(0.90) == pytest.approx((2 - half, 2 + half), rel=1e-6)
    one = compare(
        Response("2", "A table", "efficiency", [row]), {row.combination: replications(9, 1)}
    )
    assert one.entries[0].interval(0.90) == (None, None)


def test_rank_correlation_matches_a_textbook_example_with_ties() -> None:
    # Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
    pairs = [(10.0, 1.0), (20.0, 2.0), (20.0, 3.0), (30.0, 4.0)]
    assert rank_correlation(pairs) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)


def test_what_has_no_order_has_no_rank_correlation() -> None:
    assert rank_correlation([]) is None
    assert rank_correlation([(1.0, 2.0)]) is None
    assert rank_correlation([(1.0, 2.0), (1.0, 3.0)]) is None


@given(st.lists(st.tuples(numbers, numbers), max_size=20))
def test_rank_correlation_lies_between_minus_one_and_one(pairs: list[tuple[float, float]]) -> None:
    correlation = rank_correlation(pairs)
    assert correlation is None or -1 - 1e-9 <= correlation <= 1 + 1e-9


@given(st.lists(numbers, min_size=2, max_size=20, unique=True))
def test_rank_correlation_sees_only_order(values: list[float]) -> None:
    ranks = [(value, float(sorted(values).index(value))) for value in values]
    assert rank_correlation(ranks) == pytest.approx(1.0)
    assert rank_correlation([(value, -rank) for value, rank in ranks]) == pytest.approx(-1.0)

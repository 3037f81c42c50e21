import json

import pytest

from longfat.analysis.claims import judge_runs
from longfat.analysis.measures import Row, Tables
from longfat.analysis.undelivered import undelivered
from longfat.results.comparison import Results
from longfat.studies.claims import Bound
from tests.analysis.test_claims import claim

P95 = "page p95_s"


def results(*shares: tuple[float, float]) -> Results:
    """The shares of pages that two replications of each combination delivered."""
    return {
        (("buffer", str(place)),): {
            number: {"page delivered_share": share, P95: 1.0}
            for number, share in enumerate(two, start=1)
        }
        for place, two in enumerate(shares)
    }


def test_a_time_of_too_few_completions_is_reported_with_the_worst_setting() -> None:
    (lack,) = undelivered(results((0.99, 0.97), (0.6, 0.9), (0.1, 0.3)), [P95, "efficiency"])
    assert str(lack) == (
        "page p95_s: with 2 of 3 settings less than 95 % had arrived when the runs ended (at worst "
        "20 %), and what had not is in no time"
    )


def test_the_mean_over_replications_says_whether_enough_has_arrived() -> None:
    assert undelivered(results((0.94, 0.96)), [P95]) == []


@pytest.mark.parametrize(
    ("statistic", "is_told"),
    [("mean_s", False), ("p50_s", False), ("p95_s", False), ("p99_s", True)],
)
def test_a_quantile_needs_more_than_what_it_leaves_out(statistic: str, is_told: bool) -> None:
    found = undelivered(results((0.97, 0.97)), [f"page {statistic}"])
    assert bool(found) == is_told


def test_runs_in_which_nothing_was_asked_for_lack_nothing() -> None:
    assert undelivered({(("buffer", "1"),): {1: {}}}, [P95]) == []


MEASURE = "SELECT avg(completions ->> '$.{}.p95_s') FROM runs"


@pytest.mark.parametrize(
    ("named", "is_told"), [("page", True), ('"page"', True), ('"page 2"', False)]
)
def test_a_claim_says_what_is_missing_from_the_times_that_it_reads(
    named: str, is_told: bool
) -> None:
    kinds = {
        "page": {"asked": 842, "delivered": 6, "delivered_share": 6 / 842, "p95_s": 0.5},
        "page 2": {"asked": 10, "delivered": 10, "delivered_share": 1.0, "p95_s": 0.5},
    }
    rows = [
        Row(["1"], number, "{}", {"efficiency": 0.5}, completions=json.dumps(kinds))
        for number in (1, 2)
    ]
    in_two_seconds = claim(MEASURE.format(named), Bound("<= 2", None, 2, is_strict=False))
    ((verdict, measured),) = judge_runs([in_two_seconds], Tables(["buffer"], rows, [], [1, 2]))
    assert verdict == "holds"
    assert ["at worst 0.713 %" in str(lack) for lack in measured.undelivered] == [True] * is_told

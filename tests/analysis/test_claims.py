import os
import signal
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from longfat.analysis.claims import Judgement, check_claims, judge_claims, judge_runs
from longfat.analysis.measures import ResampledDatabase, Row, Tables
from longfat.base.errors import BadInput, Interrupted, InvalidInput
from longfat.studies.claims import Bound, Claim, InPaper
from longfat.studies.definition import StudyDefinition

AT_LEAST_HALF = Bound(">= 0.5", 0.5, None, is_strict=False)
MEAN = "SELECT avg(efficiency) FROM runs WHERE config = 'lan'"


def claim(
    measure: str, bound: Bound = AT_LEAST_HALF, in_paper: InPaper = "measured", name: str = "C-1"
) -> Claim:
    return Claim(name, "5", "statement", measure, "claims.toml:5:11", bound, in_paper, "note")


def tables(replications: Sequence[float | None], deterministic: float | None = 0.1) -> Tables:
    """A LAN with these efficiencies, and a WAN whose only runs are missing."""

    def row(config: str, number: int, efficiency: float | None) -> Row:
        metrics = None if efficiency is None else {"efficiency": efficiency}
        return Row([config], number, "{}", metrics)

    lan = [row("lan", number, value) for number, value in enumerate([deterministic, *replications])]
    wan = [row("wan", number, None) for number in range(len(replications) + 1)]
    return Tables(["config"], lan + wan, [], range(1, len(replications) + 1))


def judged(
    replications: Sequence[float | None],
    measure: str = MEAN,
    bound: Bound = AT_LEAST_HALF,
    in_paper: InPaper = "measured",
    printed: float | None = None,
) -> Judgement:
    paper = tables([printed], printed)
    claims = [claim(measure, bound, in_paper)]
    (found,) = judge_claims(claims, tables(replications), paper)
    return found


@pytest.mark.parametrize(
    ("replications", "verdict"),
    [
        ([0.7, 0.71, 0.72], "holds"),
        ([0.3, 0.31, 0.32], "fails"),
        ([0.4, 0.7, 0.6], "undecided"),
        ([0.7], "undecided"),
        ([0.7, None, 0.7], "no data"),
        ([0.6, 0.6, 0.6], "holds"),
    ],
)
def test_a_claim_is_decided_when_its_whole_interval_is_on_one_side(
    replications: list[float | None], verdict: str
) -> None:
    assert judged(replications).verdict == verdict


def test_more_replications_decide_what_few_leave_open() -> None:
    assert judged([0.5, 0.7]).verdict == "undecided"
    assert judged([0.5, 0.7] * 5).verdict == "holds"


def test_each_limit_has_the_requested_confidence_since_a_verdict_depends_on_one() -> None:
    values = [0.6, 0.4, 0.8, 0.5]
    one_sided = stats.t.ppf(0.9, 3) * stats.sem(values)
    measured = judged(values).measured
    assert (measured.low, measured.high) == pytest.approx((0.575 - one_sided, 0.575 + one_sided))
    equality = Bound("== 0.575", 0.575, 0.575, is_strict=False)
    two_sided = stats.t.ppf(0.95, 3) * stats.sem(values)
    assert judged(values, bound=equality).measured.low == pytest.approx(0.575 - two_sided)


@pytest.mark.parametrize("exponent", [500, -1000, 2000])
def test_a_number_too_large_for_an_interval_is_no_data(exponent: int) -> None:
    measure = f"SELECT sign({exponent}) * exp(abs({exponent}) * avg(efficiency)) FROM runs"
    found = judged([0.7, 0.71, 0.72], f"{measure} WHERE config = 'lan'")
    assert (found.verdict, found.measured.value) == ("no data", None)


@pytest.mark.parametrize("confidence", [0.3, 0.5, 1.0, 95, float("nan")])
def test_a_verdict_needs_a_confidence_between_a_half_and_one(confidence: float) -> None:
    with pytest.raises(InvalidInput, match=r"confidence: .* is not between 0.5 and 1"):
        judge_claims([claim(MEAN)], tables([0.6, 0.7]), tables([None]), confidence)


@pytest.mark.parametrize("true", [0.5, 0.45, 0.55])
def test_a_verdict_is_wrong_no_more_often_than_it_says(true: float) -> None:
    """Of 150 experiments with a number on the bound or near it: ten percent, and their chance."""
    chance = np.random.default_rng(2)
    verdicts = Counter(
        judged(list(chance.normal(true, 0.1, 4)), bound=AT_LEAST_HALF).verdict for _ in range(150)
    )
    wrong = {0.5: max(verdicts["fails"], verdicts["holds"]), 0.45: verdicts["holds"]}
    assert wrong.get(true, verdicts["fails"]) / 150 < 0.1 + 0.05


def test_the_number_comes_with_its_interval_and_that_of_each_replication() -> None:
    measured = judged([0.6, 0.4, 0.8]).measured
    assert measured.value == pytest.approx(0.6)
    assert measured.low is not None
    assert measured.high is not None
    assert measured.low < 0.6 < measured.high
    assert measured.low + measured.high == pytest.approx(1.2)
    assert measured.by_replication == pytest.approx([0.6, 0.4, 0.8])
    assert judged([0.6, 0.4, 0.8]).replications_that_hold == 2
    assert (measured.runs, measured.combinations) == (3, 1)


def renumbered(values: Sequence[float], first: int) -> Tables:
    rows = [
        Row(["lan"], number, "{}", {"efficiency": value})
        for number, value in enumerate(values, start=first)
    ]
    return Tables(["config"], rows, [], range(first, first + len(values)))


@pytest.mark.parametrize("measure", [MEAN, MEAN + " AND replication > 8"])
def test_the_replications_that_are_there_decide_whatever_their_numbers(measure: str) -> None:
    values = [0.6, 0.4, 0.8, 0.5]
    ((_, measured),) = judge_runs([claim(measure)], renumbered(values, first=9))
    one_sided = stats.t.ppf(0.9, 3) * stats.sem(values)
    assert (measured.low, measured.high) == pytest.approx((0.575 - one_sided, 0.575 + one_sided))
    assert measured.by_replication == values


def test_one_replication_is_undecided_whatever_its_number() -> None:
    ((verdict, measured),) = judge_runs([claim(MEAN)], renumbered([0.9], first=12))
    assert (verdict, measured.value, measured.low) == ("undecided", 0.9, None)


def test_a_run_that_no_claim_reads_may_be_missing() -> None:
    assert judged([0.7, 0.7]).verdict == "holds"
    everything = judged([0.7, 0.7], "SELECT avg(efficiency) FROM runs")
    assert everything.verdict == "no data"
    assert [row.levels for row in everything.measured.missing] == [["wan"], ["wan"]]


def test_runs_that_do_not_have_a_metric_are_not_missing() -> None:
    found = judged([0.7, 0.7], "SELECT avg(mean_queueing_delay_s) FROM runs WHERE config = 'lan'")
    assert found.verdict == "no data"
    assert list(found.measured.missing) == []
    assert found.measured.lacking == {"mean_queueing_delay_s": 2}


def test_the_deterministic_runs_decide_without_uncertainty() -> None:
    found = judged([0.7, 0.1], "SELECT efficiency FROM deterministic WHERE config = 'lan'")
    assert found.verdict == "fails"
    assert (found.measured.low, found.measured.high) == (0.1, 0.1)


def test_without_replications_the_deterministic_runs_stand_in_their_place() -> None:
    rows = [Row(["lan"], number, "{}", {"efficiency": 0.6}) for number in (0, 1)]
    alone = Tables(["config"], rows, [], drawn=())
    (found,) = judge_claims([claim(MEAN)], alone, tables([None]))
    assert (found.verdict, found.measured.low, found.measured.high) == ("holds", 0.6, 0.6)


def test_a_count_is_measured_as_any_number() -> None:
    at_least_two = Bound(">= 2", 2, None, is_strict=False)
    counted = "SELECT sum(efficiency > 0.5) FROM runs WHERE config = 'lan'"
    assert judged([0.6, 0.7, 0.8], counted, at_least_two).measured.value == 3
    assert judged([0.6, 0.7, 0.8], counted, at_least_two).verdict == "holds"


def test_a_measure_that_counts_rows_which_it_does_not_read_is_resampled_whole() -> None:
    share = (
        "SELECT sum(efficiency) / (SELECT count(*) FROM runs) FROM runs "
        "WHERE config = 'lan' AND efficiency > 0"
    )
    measured = judged([0.6, 0.4], share).measured
    assert measured.value == pytest.approx(0.25)
    assert measured.by_replication == pytest.approx([0.3, 0.2])


def test_a_number_that_the_runs_leave_open_is_no_data() -> None:
    found = judged([0.1, 0.2], MEAN + " AND efficiency > 0.5")
    assert (found.verdict, found.measured.value, list(found.measured.missing)) == (
        "no data",
        None,
        [],
    )


@pytest.mark.parametrize(
    ("in_paper", "printed", "holds"),
    [
        ("measured", 0.6, True),
        ("measured", 0.4, False),
        ("measured", None, None),
        ("holds", 0.4, True),
        ("fails", 0.6, False),
        ("not-printed", 0.6, None),
    ],
)
def test_the_papers_numbers_decide_as_runs_would_unless_it_is_stated(
    in_paper: InPaper, printed: float | None, holds: bool | None
) -> None:
    assert judged([0.7, 0.7], in_paper=in_paper, printed=printed).in_paper.holds is holds


def test_claims_are_judged_in_their_order() -> None:
    claims = [claim(MEAN, name="B"), claim(MEAN, name="A")]
    found = judge_claims(claims, tables([0.7, 0.7]), tables([None]))
    assert [judgement.claim.id for judgement in found] == ["B", "A"]


def test_all_wrong_measures_of_a_study_are_reported_at_once_with_their_places(
    study: StudyDefinition,
) -> None:
    rows = [Row(["light", "ubr", None], number, "{}", None) for number in (0, 1)]
    claims = [
        claim("SELECT max(efficency) FROM runs", name="C-1"),
        claim("SELECT max(efficiency) FROM runs WHERE policy = 'upr'", name="C-2"),
        claim("SELECT max(efficiency) FROM runs WHERE load = 'heavy'", name="C-3"),
        claim("SELECT max(efficiency) FROM runs WHERE policy = 'ubr'", name="C-4"),
    ]
    with pytest.raises(BadInput) as raised:
        check_claims(study, claims, Tables(["load", "policy", "z"], rows, [], [1]))
    first, second, third, readable = raised.value.problems
    assert readable.startswith("claims.toml: a measure can read: runs and deterministic (load, ")
    assert first.startswith("claims.toml:5:11: C-1: measure: no such column: efficency; did you")
    assert second == (
        "claims.toml:5:11: C-2: measure: 'upr' is no level of policy; known: ubr, fba; "
        "did you mean 'ubr'?"
    )
    assert "C-3: measure: yields no number (NULL): no run of the study meets its cond" in third


def test_a_signal_between_draws_ends_the_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    measure = ResampledDatabase.measure

    def stopping(database: ResampledDatabase, replications: Sequence[int]) -> float | None:
        taken.append(replications)
        if len(taken) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return measure(database, replications)

    monkeypatch.setattr(ResampledDatabase, "measure", stopping)
    with pytest.raises(Interrupted):
        judged([0.7, 0.71, 0.72])
    assert len(taken) == 3

"""The answer in words, for designs whose effects are known."""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from scipy.stats import t

from longfat.analysis.analysis import Settings, analyse
from longfat.analysis.answer import (
    Answer,
    Cells,
    answer,
    answer_of_analysis,
    answer_of_table,
    direction,
)
from longfat.analysis.answer_words import answer_sentences
from longfat.analysis.best import deviations, half_widths, screen
from longfat.report.answer import answer_document
from longfat.results.comparison import Results, compare
from longfat.statistics.intervals import Intervals
from longfat.studies.reference import ReferenceRow
from longfat.studies.responses import Response
from tests.analysis.support import MEMORY_CACHE, experiment

FACTORS = {"policy": ["tail-drop", "epd", "fba"], "buffer": ["1000", "2000"]}
QUEUES = {"queue": ["fifo", "fq-codel"], "proxy": ["none", "pep"]}
NOISE = (0.01, -0.012, 0.004, 0.007, -0.009)
"""Errors of the replications, which sum up to 0."""

Levels = Mapping[str, str]


def answered(
    value: Callable[[Levels], float],
    factors: Mapping[str, Sequence[str]] = FACTORS,
    response: str = "efficiency",
    noise: Sequence[float] = NOISE,
    scale: float = 1.0,
    more: bool | None = None,
) -> Answer:
    """The answer for values with errors that differ in each combination; independent seeds."""
    cells = {}
    for place, levels in enumerate(itertools.product(*factors.values())):
        turned = [noise[(number + place) % len(noise)] for number in range(len(noise))]
        mean = value(dict(zip(factors, levels, strict=True)))
        cells[levels] = [mean + scale * error for error in turned]
    found = answer(
        response,
        Cells(list(factors), cells),
        0.9,
        more=direction(response) if more is None else more,
        common=False,
    )
    assert found is not None
    return found


def said(found: Answer) -> str:
    return "\n".join(answer_sentences(found))


def additive(levels: Levels) -> float:
    policies = {"tail-drop": 0.60, "epd": 0.80, "fba": 0.70}
    return policies[levels["policy"]] + (0.05 if levels["buffer"] == "2000" else 0.0)


def test_an_additive_design_has_the_best_of_each_factor_and_its_worth() -> None:
    found = answered(additive)
    (best,) = found.placed
    assert best.levels == ("epd", "2000")
    assert best.mean == pytest.approx(0.85)
    assert best.rivals == []
    policy, buffer = found.worths
    assert (policy.difference.first, policy.difference.second) == ("epd", "tail-drop")
    assert policy.difference.by == pytest.approx(0.2)
    assert (policy.difference.is_shown, policy.as_good) == (True, [])
    assert buffer.difference.by == pytest.approx(0.05)
    assert found.dependences == []
    words = said(found)
    assert "Best (highest) efficiency: 0.8500 (0.8406 to 0.8594)" in words
    assert "with policy epd, buffer 2000." in words
    assert "Each of the 5 others is worse, at 90 % confidence." in words
    assert "policy: epd instead of tail-drop raises efficiency from 0.6250 to 0.8250" in words
    assert "No two factors are shown to interact." in words


def test_the_interval_of_a_factor_is_that_of_a_difference_of_two_means() -> None:
    """Of 5 x 2 values each, with an error of 24 degrees of freedom, three pairs together."""
    difference = answered(additive).worths[0].difference
    squares = 6 * sum(error**2 for error in NOISE)
    width = t.ppf(1 - 0.1 / 2 / 3, 24) * math.sqrt(squares / 24) * math.sqrt(2 / 10)
    assert difference.half_width == pytest.approx(width)


def test_the_textbooks_differences_are_worked_out() -> None:
    """Jain, section 18.2: 16 MB are worth 43 of 62.5; 1.8595 x 3.57 x sqrt(2 / 6) = 3.83."""
    analysis = analyse(experiment(MEMORY_CACHE, "mips"), Settings(Intervals(0.9)))
    found = answer_of_analysis(analysis, more=True)
    memory, cache = found.worths
    assert (memory.difference.by, cache.difference.by) == (43, 19)
    assert memory.difference.half_width == pytest.approx(3.83, abs=0.005)
    (interaction,) = found.dependences
    assert (interaction.factor, interaction.other) == ("a", "b")
    assert {level: one.by for level, one in interaction.at.items()} == {"b1": 33, "b2": 53}


def only_without_a_proxy(levels: Levels) -> float:
    return 0.4 if (levels["queue"], levels["proxy"]) == ("fq-codel", "none") else 0.8


def test_an_interaction_says_where_a_factor_matters_and_where_not() -> None:
    found = answered(only_without_a_proxy, QUEUES, "mean_queueing_delay_s")
    assert found.placed[0].levels == ("fq-codel", "none")
    assert (
        "queue depends on proxy: fq-codel instead of fifo lowers mean queueing delay only with "
        "proxy none, from 0.800 s to 0.400 s (by 0.3"
    ) in said(found)
    assert "; with proxy pep no difference is shown." in said(found)


def test_of_both_readings_of_an_interaction_the_plainer_one_is_told() -> None:
    """The queue matters more and everywhere; the buffer only where nothing manages the queue."""

    def delay(levels: Levels) -> float:
        if levels["queue"] == "fq-codel":
            return 0.1
        return {"small": 0.5, "large": 1.2}[levels["buffer"]]

    factors = {"queue": ["tail-drop", "fq-codel"], "buffer": ["small", "large"]}
    found = answered(delay, factors, "mean_queueing_delay_s")
    assert (
        "buffer depends on queue: small instead of large lowers mean queueing delay only with "
        in (said(found))
    )
    assert "with queue fq-codel no difference is shown" in said(found)


def test_an_interaction_without_main_effects_reverses() -> None:
    alike = ({"a": "1", "b": "1"}, {"a": "2", "b": "2"})
    both = {"a": ["1", "2"], "b": ["1", "2"]}
    found = answered(lambda levels: 0.5 + 0.1 * (levels in alike), both)
    assert [worth.difference.is_shown for worth in found.worths] == [False, False]
    words = said(found)
    assert re.search(r"depends on \w: .* raises efficiency with .*; but it lowers it with", words)
    assert "Each of the 3 others is worse" not in words, "two are equally good"


def test_without_an_effect_nothing_is_told_apart() -> None:
    found = answered(lambda _levels: 0.8)
    (best,) = found.placed
    assert len(best.rivals) == 5
    assert found.dependences == []
    words = said(found)
    assert "None of the 5 others can be told from it at 90 % confidence" in words
    assert "(equal)" in words
    assert not any(worth.difference.is_shown for worth in found.worths)
    assert "raises" not in words


def test_one_replication_gives_no_interval_and_says_that_chance_is_unknown() -> None:
    found = answered(additive, noise=[0.0])
    assert (found.placed[0].low, found.placed[0].rivals) == (None, [])
    words = said(found)
    assert "Best (highest) efficiency: 0.8500 with policy epd, buffer 2000." in words
    assert "two replications give a first estimate" in words
    assert "others" not in words.split("two replications")[0]
    assert "Interactions of more than one factor stand for chance" in words


def test_without_any_spread_differences_are_told_and_ties_are_named() -> None:
    found = answered(lambda levels: 0.8 + 0.1 * (levels["policy"] == "epd"), scale=0.0)
    ((tied, rival),) = found.placed[0].rivals
    assert tied == ("epd", "2000")
    assert (rival.behind, rival.replications) == (0, None)
    words = said(found)
    assert "that with buffer 2000 (equal)." in words
    assert "buffer: its levels make no difference on average." in words
    assert "nothing here is left to chance" in words
    assert " to 0.900 on average, by 0.100." in words, "without an interval"


def test_a_constant_response_has_no_best() -> None:
    found = answered(lambda _levels: 0.75, scale=0.0)
    assert found.placed == []
    assert "Efficiency is 0.7500 with every combination: they do not differ." in said(found)


def test_where_less_is_better_the_lowest_is_best() -> None:
    found = answered(additive, response="cell_loss_ratio")
    assert found.more is False
    assert found.placed[0].levels == ("tail-drop", "1000")
    words = said(found)
    assert words.startswith("Best (lowest) cell loss ratio: 0.6000 (")
    assert "policy: tail-drop instead of epd lowers cell loss ratio" in words


@pytest.mark.parametrize("response", ["mips", "offered_bps"])
def test_where_it_is_unknown_what_is_better_both_ends_are_named(response: str) -> None:
    found = answered(additive, response=response)
    assert found.more is None
    assert [placed.levels for placed in found.placed] == [("epd", "2000"), ("tail-drop", "1000")]
    words = said(found)
    assert words.startswith("Highest ")
    assert "\nLowest " in words
    assert "Best" not in words
    assert "worse" not in words
    assert words.endswith("is better is not known.")
    assert said(answered(additive, response="mips", more=True)).startswith("Best (highest) mips")


def test_the_number_of_replications_that_would_decide_just_decides() -> None:
    values = np.array([[0.80, 0.84, 0.82, 0.81], [0.79, 0.83, 0.84, 0.80], [0.2, 0.2, 0.2, 0.3]])
    screened = screen(values, more=True, confidence=0.9, paired=True)
    (rival,) = screened.rivals
    assert (screened.best, rival.index) == (0, 1)
    deviation = deviations(values, 0, paired=True)
    assert rival.replications is not None

    def width(number: int) -> float:
        return float(half_widths(deviation, number, 1 - 0.1 / 2)[1])

    assert width(rival.replications) < rival.behind <= width(rival.replications - 1)


def test_common_random_numbers_tell_apart_what_independent_ones_do_not() -> None:
    shared = np.array([0.1, -0.2, 0.15, -0.05, 0.0])
    values = np.array([0.8 + shared, 0.78 + shared + [0.001, 0, -0.001, 0, 0]])
    assert screen(values, True, 0.9, paired=True).rivals == []
    assert len(screen(values, True, 0.9, paired=False).rivals) == 1


def test_the_best_is_kept_as_often_as_the_confidence_says() -> None:
    """With variances as different as those of lossless and chaotic runs."""
    random = np.random.default_rng(7)
    deviation = np.array([[0.001], [0.1], [0.02], [0.05]])
    means = np.array([[0.80], [0.80], [0.79], [0.70]])
    kept = 0
    for _ in range(400):
        values = means + deviation * random.standard_normal((4, 5))
        screened = screen(values, True, 0.9, paired=False)
        among = {screened.best, *(rival.index for rival in screened.rivals)}
        kept += 1 in among
    assert kept / 400 >= 0.9 - 3 * math.sqrt(0.9 * 0.1 / 400)


def table_of(repeated: Mapping[str, Mapping[int, float]]) -> Answer | None:
    rows = [ReferenceRow((("policy", name),), {}, frozenset(), "") for name in repeated]
    response = Response("A", "", "efficiency", rows, is_printed=False)
    results: Results = {
        (("policy", name),): {number: {"efficiency": value} for number, value in runs.items()}
        for name, runs in repeated.items()
    }
    return answer_of_table(compare(response, results), 0.9, common=True)


def test_missing_runs_leave_the_replications_that_all_have() -> None:
    found = table_of({"a": {1: 0.8, 2: 0.81, 3: 0.9}, "b": {0: 0.1, 1: 0.6, 2: 0.62}, "c": {}})
    assert found is not None
    assert found.replications == 2
    assert found.worths == [], "not before all have runs"
    words = said(found)
    assert "with policy a." in words
    assert "1 of 3 combinations have no result yet" in words
    assert "Left out: 1 replication that not all combinations have so far." in words


def test_the_scenario_as_it_stands_answers_where_nothing_was_drawn() -> None:
    found = table_of({"a": {0: 0.8}, "b": {0: 0.6}})
    assert found is not None
    assert not found.cells.is_drawn
    assert "Best (highest) efficiency: 0.800 with policy a." in said(found).replace(
        "0.8000", "0.800"
    )


def test_no_run_is_no_answer() -> None:
    assert table_of({"a": {}, "b": {}}) is None
    assert table_of({"a": {1: 0.8}, "b": {2: 0.8}}) is None, "no replication that both have"


def test_the_only_combination_so_far_is_not_called_the_best() -> None:
    found = table_of({"a": {1: 0.8, 2: 0.81}, "b": {}})
    assert found is not None
    words = said(found)
    assert words.startswith("Efficiency is 0.805 (0.7")
    assert "Best" not in words


def test_rates_and_short_times_are_in_units_that_people_read() -> None:
    fast = answered(lambda levels: 1e8 * additive(levels), response="goodput_bps", scale=1e8)
    assert "from 62.50 Mbit/s to 82.50 Mbit/s" in said(fast)
    short = answered(lambda levels: additive(levels) / 100, response="page p95_s", scale=0.01)
    assert "Best (lowest) page p95: 6.000 ms (" in said(short)


def test_runs_that_are_no_full_factorial_design_have_a_best_and_no_worth() -> None:
    cells: dict[tuple[str, ...], list[float]] = {
        ("a", "1"): [0.8, 0.81],
        ("b", "1"): [0.6, 0.61],
        ("b", "2"): [0.5, 0.51],
    }
    found = answer("efficiency", Cells(["x", "y"], cells), 0.9, more=True, common=True)
    assert found is not None
    assert found.placed[0].levels == ("a", "1")
    assert found.worths == []
    assert "no full factorial design" in said(found)


def test_the_document_has_what_the_sentences_say() -> None:
    document = answer_document(answered(additive))
    assert document["better"] == "more"
    (best,) = document["best"]
    assert best["levels"] == {"policy": "epd", "buffer": "2000"}
    assert best["low"] < best["mean"] < best["high"]
    assert [row["factor"] for row in document["factors"]] == ["policy", "buffer"]
    assert document["sentences"] == answer_sentences(answered(additive))

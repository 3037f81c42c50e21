"""Observations that are not balanced: sums of squares, effects and intervals are statsmodels'."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from longfat.analysis.analysis import Analysis, Settings, analyse
from longfat.analysis.answer import answer_of_analysis
from longfat.analysis.experiment import Experiment, Observation, cross
from longfat.analysis.least_squares import _analyse, analyse_observations
from longfat.analysis.words import sentences
from longfat.base.errors import LongfatError
from longfat.statistics.intervals import Intervals
from tests.support import Longfat

LEVELS = {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"], "c": ["c1", "c2"]}
EXACT = Settings(Intervals(0.95, exact=True))


def observations(
    counts: Sequence[int], factors: Sequence[str] = ("a", "b", "c"), seed: int = 1
) -> list[Observation]:
    """Values of as many replications of each combination as `counts` says, in turn."""
    random = np.random.default_rng(seed)
    cells = list(itertools.product(*(LEVELS[factor] for factor in factors)))
    shares = {level: random.normal() for levels in LEVELS.values() for level in levels}
    found: list[Observation] = []
    for number, cell in enumerate(cells):
        for replication in range(counts[number % len(counts)]):
            value = 50 + 3 * sum(shares[level] for level in cell)
            value += 2 * (cell[0] == "a2") * (cell[1] == "b2") + random.normal()
            found.append(
                Observation(cell, str(replication + 1), float(value), f"line {len(found)}")
            )
    return found


def found(rows: Sequence[Observation], factors: Sequence[str], settings: Settings) -> Analysis:
    return analyse_observations("y", {name: LEVELS[name] for name in factors}, rows, settings)


def table(rows: Sequence[Observation], factors: Sequence[str], formula: str) -> pandas.DataFrame:
    data = pandas.DataFrame(
        [(*row.levels, row.replication, row.value) for row in rows],
        columns=[*factors, "replication", "y"],
    )
    return anova_lm(ols(f"y ~ {formula}", data).fit(), typ=2)


def named(part: str) -> str:
    """The name that statsmodels gives a component."""
    if part == "replications":
        return "C(replication, Sum)"
    return ":".join(f"C({factor}, Sum)" for factor in part.split(" x "))


@pytest.mark.parametrize("counts", [(3, 1, 2), (2, 4), (5, 2, 2, 3, 1)])
def test_sums_of_squares_with_all_interactions_are_those_of_statsmodels(
    counts: Sequence[int],
) -> None:
    rows = observations(counts)
    analysis = found(rows, "abc", Settings(EXACT.intervals, order=3))
    expected = table(rows, "abc", "C(a, Sum) * C(b, Sum) * C(c, Sum)")
    for part in analysis.components:
        row = expected.loc["Residual" if part.kind == "error" else named(part.name)]
        assert part.sum_of_squares == pytest.approx(row["sum_sq"], rel=1e-8), part.name
        assert part.degrees_of_freedom == row["df"]
        if part.kind != "error":
            assert part.f_ratio == pytest.approx(row["F"], rel=1e-8)
            assert part.p_value == pytest.approx(row["PR(>F)"], rel=1e-6)


def test_interactions_beyond_the_order_are_not_in_the_error() -> None:
    rows = observations((3, 1, 2))
    analysis = found(rows, "abc", Settings(EXACT.intervals, order=1))
    whole = table(rows, "abc", "C(a, Sum) * C(b, Sum) * C(c, Sum)")
    main = table(rows, "abc", "C(a, Sum) + C(b, Sum) + C(c, Sum)")
    parts = {part.name: part for part in analysis.components}
    assert parts["error"].sum_of_squares == pytest.approx(whole.loc["Residual", "sum_sq"])
    assert parts["a"].sum_of_squares == pytest.approx(main.loc["C(a, Sum)", "sum_sq"])
    beyond = main.loc["Residual", "sum_sq"] - whole.loc["Residual", "sum_sq"]
    assert parts["higher-order interactions"].sum_of_squares == pytest.approx(beyond)


def test_without_replications_what_the_effects_leave_is_the_error() -> None:
    rows = [row for row in observations((1,)) if row.levels != ("a3", "b2", "c2")]
    analysis = found(rows, "abc", EXACT)
    expected = table(rows, "abc", "(C(a, Sum) + C(b, Sum) + C(c, Sum)) ** 2")
    parts = {part.name: part for part in analysis.components}
    for name, part in parts.items():
        row = expected.loc["Residual" if name == "error" else named(name)]
        assert part.sum_of_squares == pytest.approx(row["sum_sq"])
        assert part.degrees_of_freedom == row["df"]


def test_effects_and_intervals_of_main_effects_are_those_of_statsmodels() -> None:
    rows = [row for row in observations((3, 1, 2), "ab") if row.levels != ("a3", "b2")]
    analysis = found(rows, "ab", Settings(EXACT.intervals, order=1))
    data = pandas.DataFrame([(*row.levels, row.value) for row in rows], columns=["a", "b", "y"])
    main = ols("y ~ C(a, Sum) + C(b, Sum)", data).fit()
    scale = data.groupby(["a", "b"])["y"].apply(lambda y: ((y - y.mean()) ** 2).sum()).sum()
    scale /= len(rows) - 5
    spread = np.sqrt(np.diag(main.normalized_cov_params) * scale)
    quantile = EXACT.intervals.quantile(len(rows) - 5)
    effects = {(one.factors[0], one.levels[0]): one for one in analysis.effects}
    for number, key in enumerate([("a", "a1"), ("a", "a2"), ("b", "b1")], start=1):
        one = effects[key]
        assert one.effect == pytest.approx(main.params.iloc[number])
        assert one.high is not None
        assert one.high - one.effect == pytest.approx(quantile * spread[number])
    assert sum(effects[("a", level)].effect for level in LEVELS["a"]) == pytest.approx(0, abs=1e-9)
    assert analysis.mean == pytest.approx(main.params.iloc[0])
    assert analysis.mean_high is not None
    assert analysis.mean_high - analysis.mean == pytest.approx(quantile * spread[0])


@pytest.mark.parametrize("blocks", [False, True])
def test_balanced_data_have_jains_analysis(blocks: bool) -> None:
    rows = observations((3,))
    settings = Settings(EXACT.intervals, order=2, blocks=blocks)
    factors = {name: LEVELS[name] for name in "abc"}
    jain = analyse(cross("y", factors, rows), settings)
    fitted = _analyse("y", factors, rows, settings, "")
    for own, other in zip(fitted.components, jain.components, strict=True):
        assert own.name == other.name
        assert own.sum_of_squares == pytest.approx(other.sum_of_squares, rel=1e-8)
        assert own.degrees_of_freedom == other.degrees_of_freedom
    pairs = zip(
        [*fitted.effects, *fitted.interactions], [*jain.effects, *jain.interactions], strict=True
    )
    for mine, theirs in pairs:
        assert (mine.factors, list(mine.levels)) == (theirs.factors, list(theirs.levels))
        assert mine.effect == pytest.approx(theirs.effect, abs=1e-9)
        assert mine.low == pytest.approx(theirs.low, rel=1e-8)
    assert [check.p_value for check in fitted.checks] == pytest.approx(
        [check.p_value for check in jain.checks]
    )


def test_blocks_are_taken_out_of_the_error() -> None:
    rows = [
        Observation(
            row.levels, row.replication, row.value + 5 * (row.replication == "2"), row.place
        )
        for row in observations((3, 2, 3))
    ]
    analysis = found(rows, "abc", Settings(EXACT.intervals, order=3, blocks=True))
    expected = table(rows, "abc", "C(a, Sum) * C(b, Sum) * C(c, Sum) + C(replication, Sum)")
    parts = {part.name: part for part in analysis.components}
    assert parts["replications"].sum_of_squares == pytest.approx(
        expected.loc["C(replication, Sum)", "sum_sq"]
    )
    assert parts["error"].sum_of_squares == pytest.approx(expected.loc["Residual", "sum_sq"])
    assert parts["error"].degrees_of_freedom == expected.loc["Residual", "df"]


def test_it_says_that_the_data_are_not_balanced_and_what_cannot_be_estimated() -> None:
    rows = [row for row in observations((2,), "ab") if row.levels != ("a3", "b2")]
    said = sentences(found(rows, "ab", EXACT))
    assert said[0].startswith("Not balanced (1 of 6 combinations have no value): fitted by least")
    rows = [row for row in rows if row.levels not in {("a2", "b2"), ("a3", "b2")}]
    said = sentences(found(rows, "ab", EXACT))
    assert "Too few combinations exist to estimate a x b." in said


def test_a_factor_that_moves_with_another_is_refused() -> None:
    rows = [row for row in observations((2,), "bc") if row.levels in {("b1", "c1"), ("b2", "c2")}]
    with pytest.raises(LongfatError, match="b: its levels cannot be told from those of the other"):
        found(rows, "bc", EXACT)


def test_intervals_hold_what_they_promise() -> None:
    random = np.random.default_rng(8)
    covered = 0
    trials = 300
    for _ in range(trials):
        rows = [
            Observation((a, b), None, 3.0 * (a == "a1") + random.normal(), "")
            for (a, b), count in zip(
                itertools.product(LEVELS["a"], LEVELS["b"]), (4, 1, 2, 3, 0, 2), strict=True
            )
            for _ in range(count)
        ]
        first = found(rows, "ab", Settings(Intervals(0.9, exact=True), order=1)).effects[0]
        assert first.low is not None
        assert first.high is not None
        covered += first.low <= 2.0 <= first.high
    assert abs(covered / trials - 0.9) < 4 * np.sqrt(0.9 * 0.1 / trials)


def test_the_answer_takes_as_many_values_of_each_combination() -> None:
    rows = observations((3, 1, 2), "ab")
    answer = answer_of_analysis(found(rows, "ab", EXACT), more=True)
    assert {len(values) for values in answer.cells.values.values()} == {1}
    assert answer.cells.left_out == 2


def test_the_command_fits_what_is_not_crossed(longfat: Longfat, tmp_path: Path) -> None:
    rows = [row for row in observations((3, 2), "ab") if row.levels != ("a3", "b2")]
    lines = [f"{','.join(row.levels)},{row.value}" for row in rows]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,y", *lines]))
    process = longfat("analyze", "t.csv", "--factors", "a,b", "--response", "y")
    assert process.returncode == 0, process.stderr
    assert "1 of 6 combinations have no value" in process.stdout
    assert "at least 2 replications" in process.stdout


def test_an_experiment_is_what_it_was() -> None:
    rows = observations((2,), "ab")
    experiment = cross("y", {name: LEVELS[name] for name in "ab"}, rows)
    assert isinstance(experiment, Experiment)
    assert found(rows, "ab", EXACT).observed is None

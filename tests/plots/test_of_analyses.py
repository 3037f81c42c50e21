import itertools
from pathlib import Path
from typing import Any

import pytest

from longfat.base.errors import LongfatError
from longfat.plots import PLOTS, draw, find
from longfat.plots.options import PLAIN
from tests.plots.test_vega_lite import check

OF_ANALYSES = [name for name in PLOTS if find(name).SOURCE == "analysis"]


@pytest.mark.parametrize("name", OF_ANALYSES)
def test_a_plot_of_an_analysis_says_how_many_runs_it_is_of(
    name: str, analysis: dict[str, Any], tmp_path: Path
) -> None:
    drawn = draw(name, analysis)
    assert "n = 24 runs, 4 replications of each combination" in drawn.caption
    drawn.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 1000


def test_main_effects_are_means_of_levels_with_the_intervals_of_the_effects(
    analysis: dict[str, Any],
) -> None:
    rows = {row["level"]: row for row in find("main-effects").collect(analysis, PLAIN)}
    # Noise of 0.0025 in the mean, once and twice; buffers differ by 0.1.
    assert rows["epd"]["mean"] == pytest.approx(0.6 + 0.05 + 1.5 * 0.0025)
    for effect in analysis["effects"]:
        row = rows[effect["level"]]
        told = row["effect"], row["effect_low"], row["effect_high"]
        assert told == (effect["effect"], effect["low"], effect["high"])


def test_the_interval_of_a_main_effect_misses_the_mean_of_all_runs_where_it_is_significant(
    analysis: dict[str, Any],
) -> None:
    drawn = draw("main-effects", analysis)
    assert "90 % confidence;\nintervals of the effects" in drawn.caption
    marks = [mark for mark in drawn.picture.marks() if mark.kind == "points"]
    for mark, effect in zip(marks, analysis["effects"], strict=True):
        assert mark.low is not None
        assert mark.high is not None
        assert (mark.high[0] - mark.low[0]) == pytest.approx(effect["high"] - effect["low"])
        assert effect["significant"] == (not mark.low[0] <= analysis["mean"] <= mark.high[0])


def test_main_effects_without_an_error_have_no_intervals_and_speak_of_none(
    analysis: dict[str, Any],
) -> None:
    bare = [effect | {"low": None, "high": None} for effect in analysis["effects"]]
    drawn = draw("main-effects", analysis | {"effects": bare})
    assert all(mark.low is None for mark in drawn.picture.marks())
    assert "confidence" not in drawn.caption
    assert "interval" not in drawn.caption


@pytest.mark.parametrize("name", ["main-effects", "interactions"])
def test_many_levels_with_long_names_leave_room_for_the_panels_and_do_not_overlap(
    name: str, crowded: dict[str, Any]
) -> None:
    drawn = draw(name, crowded)
    painting = drawn.matplotlib()
    painting.draw_without_rendering()
    for axes in painting.axes:
        assert axes.get_position().width > 0.6 / len(painting.axes)
        assert axes.get_window_extent().height > painting.dpi
        starts = [text.get_window_extent() for text in axes.get_xticklabels()]
        if starts[0].height > 2 * starts[0].width:  # upright
            assert all(left.x1 <= right.x0 for left, right in itertools.pairwise(starts))
    check(drawn)


def test_lines_of_many_levels_differ_in_colour_or_in_dash_and_marker(
    crowded: dict[str, Any],
) -> None:
    marks = list(draw("interactions", crowded).picture.marks())
    lines = {(mark.color, mark.style) for mark in marks if mark.kind == "line"}
    points = {(mark.color, mark.marker) for mark in marks if mark.low is not None}
    assert len(lines) == len(points) == 20


def test_lines_of_several_factors_are_named_with_their_factor(analysis: dict[str, Any]) -> None:
    (pair, *_) = analysis["interactions"]
    other = {**pair, "factors": ["buffer", "policy"], "levels": pair["levels"][::-1]}
    alone = draw("interactions", analysis | {"interactions": [pair]})
    both = draw("interactions", analysis | {"interactions": [pair, other]})
    labels = [[mark.label for mark in drawn.picture.marks()] for drawn in (alone, both)]
    assert labels == [["small"], ["buffer small", "policy ubr"]]


def test_the_means_of_pairs_are_those_of_the_runs(analysis: dict[str, Any]) -> None:
    rows = find("interactions").collect(analysis, PLAIN)
    means = {(row["level_x"], row["level"]): row["mean"] for row in rows}
    assert means["fba", "large"] == pytest.approx(0.8 + 0.1 + 2 * 0.0025)
    assert means["ubr", "small"] == pytest.approx(0.4 + 0.0025)


def test_shares_of_the_variation_add_up_and_the_largest_comes_first(
    analysis: dict[str, Any],
) -> None:
    rows = find("variation").collect(analysis, PLAIN)
    assert sum(row["percent"] for row in rows) == pytest.approx(100)
    assert rows[0]["name"] == "policy"


def test_residuals_are_what_predictions_leave(analysis: dict[str, Any]) -> None:
    rows = find("residuals").collect(analysis, PLAIN)
    assert len(rows) == 24
    assert sum(row["residual"] for row in rows) == pytest.approx(0, abs=1e-12)
    ranked = sorted(rows, key=lambda row: float(row["residual"]))
    quantiles = [row["normal_quantile"] for row in ranked]
    assert quantiles == sorted(quantiles)


def test_what_an_analysis_does_not_have_is_said(analysis: dict[str, Any]) -> None:
    with pytest.raises(LongfatError, match="give it --order 2"):
        find("interactions").collect(analysis | {"interactions": []}, PLAIN)
    with pytest.raises(LongfatError, match="every run is as predicted"):
        find("residuals").collect(analysis | {"residuals": [0.0] * 24}, PLAIN)

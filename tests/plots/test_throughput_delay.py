"""Throughput against delay: one point a combination, with the ellipse of its replications."""

import itertools
from statistics import fmean, stdev
from typing import Any

import pytest

from longfat.plots import NothingToDraw, draw
from longfat.plots.options import Options
from longfat.plots.picture import Panel, Picture
from longfat.results.comparison import Results
from longfat.studies.reference import Combination

LEVELS = {"path": ("leo", "geo"), "flavor": ("cubic", "bbr3"), "buffer": ("1 BDP", "2 BDP")}


def results(**metrics: float) -> Results:
    """Three replications and the deterministic run, in which goodput and delays differ a little."""
    found: dict[Combination, dict[int, dict[str, float]]] = {}
    for place, levels in enumerate(itertools.product(*LEVELS.values())):
        combination = tuple(zip(LEVELS, levels, strict=True))
        found[combination] = {
            number: {"goodput_bps": (1 + place + 0.1 * number) * 1e6}
            | {name: value * (1 + place + 0.2 * number**2) for name, value in metrics.items()}
            for number in range(4)
        }
    return found


def panels(picture: Picture) -> list[Panel]:
    return [panel for row in picture.panels for panel in row if panel is not None]


def test_each_combination_is_its_mean_over_the_replications() -> None:
    drawn = draw("throughput-delay", results(mean_round_trip_s=0.1))
    assert len(drawn.rows) == 8
    first = drawn.rows[0]
    assert first["goodput_bps"] == pytest.approx(1.2e6)
    delays = [0.1 * (1 + 0.2 * number**2) for number in (1, 2, 3)]
    assert first["mean_round_trip_s"] == pytest.approx(fmean(delays))
    assert first["mean_round_trip_s_deviation"] == pytest.approx(stdev(delays))
    assert first["replications"] == 3
    assert "8 factor combinations, means of n = 3 replications each" in drawn.caption


def test_the_delay_is_that_of_the_queue_if_all_have_it_and_otherwise_the_round_trip() -> None:
    both: Any = results(mean_round_trip_s=0.1, queueing_delay_p95_s=0.02)
    labels = {panel.x.label for panel in panels(draw("throughput-delay", both).picture)}
    assert labels == {"queueing delay, 95th percentile in ms"}
    del next(iter(both.values()))[2]["queueing_delay_p95_s"]
    labels = {panel.x.label for panel in panels(draw("throughput-delay", both).picture)}
    assert labels == {"mean round trip in ms"}
    with pytest.raises(NothingToDraw):
        draw("throughput-delay", results())


def test_less_delay_is_to_the_right_and_colours_are_of_the_control() -> None:
    drawn = draw("throughput-delay", results(mean_round_trip_s=0.1))
    for panel in panels(drawn.picture):
        assert (panel.x.low or 0) > (panel.x.high or 0)
    labels = [mark.label for mark in drawn.picture.key]
    assert labels == ["flavor cubic", "flavor bbr3", "buffer 1 BDP", "buffer 2 BDP"]
    assert [panel.title for panel in panels(drawn.picture)] == ["leo", "geo"]
    points = [mark for mark in drawn.picture.marks() if mark.kind == "points"]
    assert len({(mark.color, mark.marker) for mark in points}) == 4
    chosen = draw("throughput-delay", results(mean_round_trip_s=0.1), Options(colors="path"))
    assert chosen.picture.key[0].label == "path leo"


def test_an_ellipse_is_as_wide_and_as_high_as_the_deviations() -> None:
    drawn = draw("throughput-delay", results(mean_round_trip_s=0.1))
    outline = next(mark for mark in drawn.picture.marks() if mark.kind == "line")
    row = drawn.rows[0]
    assert max(outline.x) - min(outline.x) == pytest.approx(
        2000 * row["mean_round_trip_s_deviation"], rel=0.01
    )
    assert max(outline.y) - min(outline.y) == pytest.approx(
        2e-6 * row["goodput_bps_deviation"], rel=0.01
    )


def test_deterministic_runs_have_points_without_ellipses() -> None:
    only = {place: {0: runs[0]} for place, runs in results(mean_round_trip_s=0.1).items()}
    drawn = draw("throughput-delay", only)
    assert all(mark.kind == "points" for mark in drawn.picture.marks())
    assert "deterministic runs, n = 1 each" in drawn.caption


def test_delays_of_very_different_size_stand_on_a_logarithmic_axis() -> None:
    found: Any = results(mean_round_trip_s=0.001)
    for run in list(found.values())[-1].values():
        run["mean_round_trip_s"] *= 100
    drawn = draw("throughput-delay", found)
    for panel in panels(drawn.picture):
        assert panel.x.log
        assert panel.x.high is not None
        assert panel.x.high > 0
        assert all(value > 0 for mark in panel.marks for value in mark.x)

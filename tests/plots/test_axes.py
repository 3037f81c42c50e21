"""Axes show what there is to see: round numbers, no empty halves, no flattened panels."""

import copy
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.plots import draw, find
from longfat.plots.options import PLAIN, Options
from longfat.plots.picture import Axis, Mark, Panel, Picture
from longfat.plots.ranges import beginning, log_ticks, sharing
from longfat.results.comparison import TableComparison, compare
from longfat.studies.reference import ReferenceRow, unprinted
from longfat.studies.responses import Response
from longfat.traces import Traces


@given(low=st.floats(1e-6, 1e6), ratio=st.floats(1.05, 1e9))
def test_a_logarithmic_axis_has_two_ticks_at_least_and_not_many(low: float, ratio: float) -> None:
    ticks = log_ticks(low, low * ratio)
    assert 2 <= len(ticks) <= 20
    assert ticks == sorted(set(ticks))
    assert low * (1 - 1e-9) <= ticks[0]
    assert ticks[-1] <= low * ratio * (1 + 1e-9)


def test_ticks_of_a_logarithmic_axis_are_ones_twos_and_fives_or_powers_of_ten() -> None:
    assert log_ticks(0.9, 60) == pytest.approx([1, 2, 5, 10, 20, 50])
    assert log_ticks(0.001, 1000) == pytest.approx([10.0**power for power in range(-3, 4)][::2])
    assert log_ticks(2.1, 4.9) == pytest.approx([3, 4])


def test_a_round_trip_of_600_to_800_ms_does_not_begin_at_0_and_one_of_30_to_90_does() -> None:
    assert beginning([600.0, 800.0]) is None
    assert beginning([30.0, 90.0]) == 0
    assert beginning([]) == 0


def panel(*values: float) -> Panel:
    return Panel(Axis("x"), Axis("y"), [Mark("line", range(len(values)), values)])


def test_a_common_axis_is_left_where_it_flattens_a_panel_and_kept_where_little_differs() -> None:
    assert sharing([[panel(1.0, 5.0), panel(100.0, 800.0)]], "row") == "none"
    assert sharing([[panel(0.98, 0.99), panel(0.3, 0.9)]], "row") == "row"
    assert sharing([[panel(1.0, 5.0)], [panel(100.0, 800.0)]], "row") == "row"
    assert sharing([[panel(1.0, 5.0)], [panel(100.0, 800.0)]], "all") == "none"


def waits(response: Response, values: dict[str, float]) -> TableComparison:
    results = {
        row.combination: {1: {"queue_s": values[dict(row.combination)["path"]] * factor}}
        for factor, row in zip(itertools.cycle((1.0, 3.0)), response.rows)
    }
    return compare(response, results)


ROWS = unprinted({"path": ["leo", "geo"], "queue": ["red", "pie"]})


def test_panels_of_responses_have_axes_of_their_own_where_a_common_one_says_nothing() -> None:
    response = Response("w", "", "queue_s", ROWS, is_printed=False, across="queue")
    apart = Options(columns="path")
    drawn = draw("responses", [waits(response, {"leo": 0.004, "geo": 0.5})], apart)
    assert drawn.picture.share_y == "none"
    assert "may have different axes" in drawn.caption
    drawn = draw("responses", [waits(response, {"leo": 0.4, "geo": 0.5})], apart)
    assert drawn.picture.share_y == "row"


def panels(picture: Picture) -> list[Panel]:
    return [panel for row in picture.panels for panel in row if panel is not None]


def test_a_study_says_where_the_axis_of_a_response_ends_and_whether_it_is_logarithmic() -> None:
    response = Response("w", "How long packets wait for the line that they share with the others",
                        "goodput_bps", ROWS, is_printed=False, across="queue",
                        limits=(1e6, 5e7), is_log=True)  # fmt: skip
    results = {row.combination: {1: {"goodput_bps": 2e6}} for row in ROWS}
    drawn = draw("responses", [compare(response, results)])
    for shown in panels(drawn.picture):
        assert (shown.y.low, shown.y.high, shown.y.log) == (1, 50, True)
    (first, *_) = panels(drawn.picture)
    assert "".join(first.title.split("\n")).startswith("How long packets wait")
    assert max(map(len, first.title.split("\n"))) < 40
    painting = drawn.matplotlib()
    labels = [text.get_text() for text in painting.axes[0].get_yticklabels()]
    assert labels == ["1", "2", "5", "10", "20", "50"]


def test_values_of_0_have_no_place_on_a_logarithmic_axis_and_it_says_so() -> None:
    response = Response("w", "", "timeouts", ROWS, is_printed=False, is_log=True)
    results = {row.combination: {1: {"timeouts": 0.0}} for row in ROWS}
    drawn = draw("responses", [compare(response, results)])
    assert not any(shown.y.log for shown in panels(drawn.picture))
    assert drawn.caption.endswith("not logarithmic, for there are values of 0: table w")


def test_the_papers_values_are_hollow_beside_ours_and_faint_where_they_are_doubtful() -> None:
    rows = [
        ReferenceRow(row.combination, {"efficiency": 0.8}, frozenset(doubts), "")
        for row, doubts in zip(ROWS, [{"efficiency"}, (), (), ()], strict=True)
    ]
    results = {row.combination: {1: {"efficiency": 0.7}, 2: {"efficiency": 0.6}} for row in rows}
    drawn = draw("responses", [compare(Response("a", "", "efficiency", rows), results)])
    paper = [mark for mark in drawn.picture.marks() if not mark.filled]
    assert sum(len(mark.x) for mark in paper) == len(rows)
    assert {value for mark in paper for value in mark.y} == {0.8}
    assert sorted(mark.strength < 1 for mark in paper) == [False, False, True]
    assert drawn.picture.key[-1].label == "paper (faint: doubtful)"
    assert {row["reference"] for row in drawn.rows} == {0.8}


def test_lines_stand_near_the_level_that_they_are_of() -> None:
    many = unprinted({"control": [f"c{number}" for number in range(12)], "buffer": ["1", "2", "4"]})
    results = {row.combination: {1: {"efficiency": 0.7}} for row in many}
    response = Response("a", "", "efficiency", many, is_printed=False, across="buffer")
    marks = list(draw("responses", [compare(response, results)]).picture.marks())
    assert len(marks) == 12
    assert all(abs(place - round(place)) <= 0.1 for mark in marks for place in mark.x)


def test_a_buffer_far_above_the_queue_is_named_and_does_not_squeeze_it(traced: Traces) -> None:
    longest = max(find("queue").collect([traced], PLAIN), key=lambda row: row["value"] or 0)[
        "value"
    ]
    for size, is_drawn in ((2 * longest, True), (40 * longest, False)):
        port = {**traced.bottleneck, "buffer_cells": str(int(size))}
        run = copy.copy(traced)
        run.__dict__["network"] = {**traced.network, "ports": [port]}
        drawn = draw("queue", [run])
        (shown,) = panels(drawn.picture)
        assert bool(shown.guides) == is_drawn
        assert (shown.y.high or 0) < 3 * longest
        assert (f"buffer of {size:,.0f} cells, beyond the axis" in drawn.caption) != is_drawn

import itertools

import numpy as np
import pytest

from longfat.plots import NothingToDraw, draw, find
from longfat.plots.options import PLAIN, Options
from longfat.plots.picture import Panel, Picture
from longfat.results.comparison import Carried, TableComparison, compare
from longfat.studies.reference import Combination, ReferenceRow, unprinted
from longfat.studies.responses import Response

SIZES = ("0.5 RTT", "1 RTT", "2 RTT")


def combination(sources: str, buffer: str) -> Combination:
    return (("config", "wan"), ("sources", sources), ("buffer", buffer), ("policy", "fba"))


@pytest.fixture
def tables() -> list[TableComparison]:
    places = [combination(sources, size) for sources in ("5", "50") for size in SIZES]
    doubtful = [frozenset({"efficiency"} if place == places[0] else ()) for place in places]
    rows = [
        ReferenceRow(place, {"efficiency": 0.9}, doubts, "")
        for place, doubts in zip(places, doubtful, strict=True)
    ]
    results = {
        place: {number: {"efficiency": 0.8 + 0.01 * number, "fairness": 1.0} for number in range(3)}
        for place in places
    }
    return [compare(Response("b", "Buffers", "efficiency", rows), results)]


def test_efficiency_is_drawn_against_the_buffer_in_round_trips(
    tables: list[TableComparison],
) -> None:
    drawn = draw("buffer-efficiency", tables)
    rows = drawn.rows
    assert [row["buffer_size"] for row in rows] == [0.5, 1.0, 2.0] * 2
    assert [row["efficiency"] for row in rows] == pytest.approx([0.815] * 6)
    (axes,) = drawn.matplotlib().axes
    assert (axes.get_title(loc="left"), axes.get_xscale()) == ("wan", "log")
    dotted = [line for line in axes.lines if line.get_linestyle() == ":"]
    guides = [float(np.asarray(line.get_xdata())[0]) for line in dotted]
    ticks = [label.get_text() for label in axes.get_xticklabels()]
    assert (guides, ticks) == ([0.5, 1.0], ["0.5", "1", "2"])
    assert not any(text.get_text() for text in axes.texts), "nothing stands over the data"
    assert "n = 2 replications" in drawn.caption


def test_buffers_in_packets_have_their_own_axis_and_lines_by_the_factors_of_the_study() -> None:
    combinations: list[Combination] = [
        (("control", control), ("number", number), ("buffer", size))
        for control in ("reno", "bbr")
        for number in ("1", "64")
        for size in ("16 packets", "31 packets", "unlimited", "1 BDP")
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in combinations]
    results = {place: {1: {"efficiency": 0.9}, 2: {"efficiency": 0.8}} for place in combinations}
    response = Response("b", "Buffers", "efficiency", rows, is_printed=False)
    drawn = draw("buffer-efficiency", [compare(response, results)])
    painting = drawn.matplotlib()
    assert [axes.get_title(loc="left") for axes in painting.axes] == ["number 1", "number 64"]
    assert {axes.get_xlabel() for axes in painting.axes} == {"buffer in packets"}
    assert not any(axes.texts for axes in painting.axes), "no round trips to guide by"
    assert {mark.label for mark in drawn.picture.key} == {"reno", "bbr"}
    assert all(list(mark.x) == [16.0, 31.0] for mark in drawn.picture.marks())
    assert drawn.caption.endswith("; not drawn, for they are in another unit: 1 BDP")


def test_lines_beyond_the_colours_have_another_dash_and_another_marker() -> None:
    places: list[Combination] = [
        (("control", f"control {number}"), ("buffer", size))
        for number in range(14)
        for size in ("1 BDP", "2 BDP")
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in places]
    results = {place: {1: {"efficiency": 0.9}, 2: {"efficiency": 0.8}} for place in places}
    response = Response("b", "", "efficiency", rows, is_printed=False)
    drawn = draw("buffer-efficiency", [compare(response, results)], Options(colors="control"))
    marks = list(drawn.picture.marks())
    assert len({(mark.color, mark.style) for mark in marks}) == 14
    assert {(mark.color, mark.marker) for mark in marks} == {
        (mark.color, mark.marker) for mark in drawn.picture.key
    }


def test_a_line_of_buffers_that_stands_in_two_tables_is_drawn_once_and_hides_no_other() -> None:
    places: list[Combination] = [
        (("config", config), ("flavor", flavor), ("buffer", size))
        for config in ("lan", "wan")
        for flavor in ("reno", "sack")
        for size in ("1000 cells", "3000 cells")
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in places]
    results = {place: {1: {"efficiency": 0.9}, 2: {"efficiency": 0.8}} for place in places}
    all_of_it = Response("all", "", "efficiency", rows, is_printed=False)
    part = Response("part", "", "efficiency", rows[:2], is_printed=False)
    tables = [compare(each, results) for each in (all_of_it, part)]
    drawn = draw("buffer-efficiency", tables, Options(colors="config"))
    assert len(drawn.rows) == len(places)
    assert len(list(drawn.picture.marks())) == len(places) / 2
    assert "lines of a colour differ" not in drawn.caption
    labels = {mark.label: mark.style for mark in drawn.picture.key}
    assert (labels["flavor reno"], labels["flavor sack"]) == ("-", "--")
    assert {mark.style for mark in drawn.picture.marks()} == {"-", "--"}


def test_a_table_that_is_not_about_buffers_gives_no_lines(tables: list[TableComparison]) -> None:
    other: Combination = (("config", "wan"), ("mechanism", "queues"), ("buffer", "1 RTT"))
    response = Response("m", "", "efficiency", [ReferenceRow(other, {}, frozenset(), "")])
    added = compare(response, {other: {1: {"efficiency": 0.5}, 2: {"efficiency": 0.5}}})
    drawn = draw("buffer-efficiency", [*tables, added])
    assert all(0.5 not in mark.y for mark in drawn.picture.marks())


def test_the_papers_values_are_drawn_against_ours(tables: list[TableComparison]) -> None:
    drawn = draw("reference", tables)
    rows = drawn.rows
    assert {row["reference"] for row in rows} == {0.9}
    assert [row["ours"] for row in rows] == pytest.approx([0.815] * 6)
    assert "n = 6 values" in drawn.caption
    assert "without doubtful digits (hollow): efficiency 0.085" in drawn.caption


def test_the_axis_around_a_single_value_shows_the_value_itself() -> None:
    place = combination("5", "1 RTT")
    row = ReferenceRow(place, {"goodput_bps": 7591.0}, frozenset(), "")
    table = compare(Response("b", "", "goodput_bps", [row]), {place: {1: {"goodput_bps": 7591.0}}})
    painting = draw("reference", [table]).matplotlib()
    painting.draw_without_rendering()
    (axes,) = painting.axes
    assert axes.get_xlim() == axes.get_ylim() == pytest.approx((7591 * 0.989, 7591 * 1.011))
    assert axes.xaxis.get_offset_text().get_text() == ""
    assert "7600" in [text.get_text() for text in axes.get_xticklabels()]


def test_values_that_the_paper_does_not_print_are_no_reference() -> None:
    row = ReferenceRow(combination("5", "1 RTT"), {}, frozenset(), "")
    results = {row.combination: {1: {"efficiency": 0.8}}}
    table = compare(Response("b", "", "efficiency", [row], is_printed=False), results)
    assert find("reference").collect([table], PLAIN) == []


def shares(across: str | None = None) -> TableComparison:
    combinations: list[Combination] = [
        (("buffer", buffer), ("queue", queue), ("path", "geo"))
        for buffer in ("1 BDP", "2 BDP", "4 BDP")
        for queue in ("tail-drop", "codel")
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in combinations]
    results = {place: {1: {"queue_s": 0.9}, 2: {"queue_s": 0.5}} for place in combinations}
    return compare(
        Response("w", "Waits", "queue_s", rows, is_printed=False, across=across), results
    )


def test_any_metric_of_a_study_is_drawn_against_the_factor_with_the_most_levels() -> None:
    drawn = draw("responses", [shares()])
    (axes,) = drawn.matplotlib().axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("buffer", "queue in s")
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1 BDP", "2 BDP", "4 BDP"]
    assert [mark.label for mark in drawn.picture.key] == ["tail-drop", "codel"]
    marks = list(drawn.picture.marks())
    assert [(mark.y, mark.low, mark.high) for mark in marks] == [
        ([0.7] * 3, [0.5] * 3, [0.9] * 3)
    ] * 2
    assert "n = 2 replications, with their range" in drawn.caption


def test_responses_stand_along_the_factor_that_a_table_has_side_by_side() -> None:
    drawn = draw("responses", [shares(across="queue")])
    assert drawn.matplotlib().axes[0].get_xlabel() == "queue"
    chosen = draw("responses", [shares(across="queue")], Options(colors="queue"))
    assert chosen.matplotlib().axes[0].get_xlabel() == "buffer"


def test_a_fourth_factor_of_responses_has_markers_and_ranges_stand_side_by_side() -> None:
    levels = {"buffer": ("1", "2", "4"), "queue": ("a", "b"), "path": ("leo", "geo"),
              "control": ("reno", "cubic")}  # fmt: skip
    combinations = [
        tuple(zip(levels, chosen, strict=True)) for chosen in itertools.product(*levels.values())
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in combinations]
    results = {place: {1: {"queue_s": 0.9}, 2: {"queue_s": 0.5}} for place in combinations}
    table = compare(Response("w", "Waits", "queue_s", rows, is_printed=False), results)
    drawn = draw("responses", [table])
    labels = [mark.label for mark in drawn.picture.key]
    assert labels == ["queue a", "queue b", "control reno", "control cubic"]
    for panel in drawn.picture.panels[0]:
        assert panel is not None
        assert len({(mark.color, mark.marker) for mark in panel.marks}) == 4
        places = [mark.x[0] for mark in panel.marks]
        assert len(set(places)) == 4
        assert sum(places) == pytest.approx(0)
    assert "lines of a colour differ" not in drawn.caption
    chosen = draw("responses", [table], Options(markers="queue"))
    labels = [mark.label for mark in chosen.picture.key]
    assert labels == ["path leo", "path geo", "queue a", "queue b"]


def test_a_key_of_many_long_names_stays_within_the_picture() -> None:
    controls = ("reno", "cubic", "high-speed", "scalable", "h-tcp", "hybla", "westwood", "vegas",
                "bbr3", "h-tcp-scaled")  # fmt: skip
    combinations: list[Combination] = [
        (("control", control), ("ratio", ratio)) for control in controls for ratio in ("1", "2")
    ]
    rows = [ReferenceRow(place, {}, frozenset(), "") for place in combinations]
    results = {place: {1: {"first_group_share": 0.5}} for place in combinations}
    response = Response("s", "Shares", "first_group_share", rows, across="ratio", is_printed=False)
    painting = draw("responses", [compare(response, results)]).matplotlib()
    painting.canvas.draw()
    (key,) = painting.legends
    assert key.get_window_extent().x0 >= 0
    assert key.get_window_extent().x1 <= painting.bbox.x1


def test_responses_of_several_tables_have_a_row_of_panels_each() -> None:
    drawn = draw("responses", [shares(), shares("queue")], Options(columns="path"))
    titles = [axes.get_title(loc="left") for axes in drawn.matplotlib().axes]
    assert titles == ["table w: Waits, geo", "table w: Waits, geo"]


def test_responses_without_runs_are_not_drawn() -> None:
    table = shares()
    empty = compare(table.response, {})
    with pytest.raises(NothingToDraw):
        draw("responses", [empty])
    assert len(draw("responses", [empty, table]).picture.panels) == 1


def _tabulated(
    table: str, metric: str, value: float, carried: Carried = "cells"
) -> TableComparison:
    rows = unprinted({"first": ["reno", "bbr"], "second": ["reno", "bbr"], "queue": ["red", "pie"]})
    results = {row.combination: {1: {metric: value}, 2: {metric: 1.1 * value}} for row in rows}
    return compare(Response(table, "", metric, rows, is_printed=False), results, carried)


def test_many_tables_stand_side_by_side_each_with_the_range_of_its_own() -> None:
    tables = [_tabulated(str(number), "efficiency", number / 10) for number in range(1, 10)]
    few = draw("responses", tables[:3]).picture
    assert [len(list(filter(None, row))) for row in few.panels] == [2, 2, 2]
    assert few.share_y == "row"
    many = draw("responses", tables).picture
    assert [len(list(filter(None, row))) for row in many.panels] == [2] * 9
    assert many.height_inches < 9 * few.height_inches / 3
    alone = draw("responses", [_single(str(number), number / 10) for number in range(1, 10)])
    assert [len(list(filter(None, row))) for row in alone.picture.panels] == [3, 3, 3]
    for panel, number in zip(_panels(alone.picture), range(1, 10), strict=True):
        assert panel.y.low is not None
        assert panel.y.high is not None
        assert panel.y.low < number / 10 < panel.y.high < 2 * number / 10
        assert panel.y.label == "efficiency"


def _single(table: str, value: float) -> TableComparison:
    rows = unprinted({"policy": ["ubr", "epd"]})
    results = {
        row.combination: {1: {"efficiency": value}, 2: {"efficiency": value}} for row in rows
    }
    return compare(Response(table, "", "efficiency", rows, is_printed=False), results)


def _panels(picture: Picture) -> list[Panel]:
    return [panel for row in picture.panels for panel in row if panel is not None]


def test_levels_that_look_the_same_stand_once_in_a_key() -> None:
    tables = [_tabulated("1", "efficiency", 0.5), _tabulated("2", "fairness", 0.5)]
    labels = [mark.label for mark in draw("responses", tables).picture.key]
    assert len(labels) == len(set(labels))


def test_an_axis_says_in_which_unit_it_is() -> None:
    rates = _panels(draw("responses", [_tabulated("1", "goodput_bps", 2e6)]).picture)
    assert rates[0].y.label == "goodput in Mbit/s"
    assert set(rates[0].marks[0].y) == {2.1}
    (whole, _) = _panels(
        draw("responses", [_tabulated("1", "max_queue_cells", 7, "packets")]).picture
    )
    assert whole.y.label == "max queue in packets"

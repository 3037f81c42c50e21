"""Levels look the same in all figures of a study, and their names stand in order."""

import itertools

from longfat.plots import draw
from longfat.plots.names import in_order, plain
from longfat.plots.options import Options
from longfat.plots.palette import DASHES, flow_look, level_looks
from longfat.plots.vega_lite_legend import legend
from longfat.results.comparison import TableComparison, compare
from longfat.studies.reference import ReferenceRow
from longfat.studies.responses import Response

LEVELS = {"control": ["cubic", "bbr3", "hybla"], "buffer": ["1 BDP", "2 BDP", "4 BDP"],
          "pep": ["none", "split"]}  # fmt: skip


def table(*factors: str, levels: dict[str, list[str]] | None = None) -> TableComparison:
    chosen = {name: (levels or LEVELS)[name] for name in factors}
    rows = [
        ReferenceRow(tuple(zip(chosen, combination, strict=True)), {}, frozenset(), "")
        for combination in itertools.product(*chosen.values())
    ]
    results = {row.combination: {1: {"efficiency": 0.9}, 2: {"efficiency": 0.5}} for row in rows}
    return compare(Response("t", "", "efficiency", rows, is_printed=False), results)


def test_a_level_looks_the_same_in_all_figures_of_a_study() -> None:
    study = list(LEVELS.values())
    whole = level_looks(LEVELS["control"], study)
    for shown in itertools.permutations(LEVELS["control"], 2):
        assert level_looks(shown, study) == {level: whole[level] for level in shown}


def test_levels_of_a_factor_differ_in_colour_and_those_of_the_next_go_on_in_turn() -> None:
    looks = [level_looks(levels, LEVELS.values()) for levels in LEVELS.values()]
    for of_factor in looks:
        assert len({look.color for look in of_factor.values()}) == len(of_factor)
    assert not {look.color for look in looks[0].values()} & {
        look.color for look in looks[1].values()
    }


def test_figures_of_parts_of_a_study_share_their_colours() -> None:
    options = Options(colors="control", levels=LEVELS)
    less = {**LEVELS, "control": ["hybla", "cubic"]}
    colors = [
        {mark.label: mark.color for mark in draw("responses", [found], options).picture.key}
        for found in (table("control", "buffer"), table("control", "buffer", levels=less))
    ]
    assert colors[1].items() <= colors[0].items()
    assert len(colors[1]) == 2


def test_levels_that_are_numbers_of_one_unit_stand_in_their_order() -> None:
    assert in_order(["1", "16", "2", "4", "8"]) == ["1", "2", "4", "8", "16"]
    assert in_order(["2 BDP", "0.5 BDP", "1e1 BDP"]) == ["0.5 BDP", "2 BDP", "1e1 BDP"]
    for as_given in (["2 ms", "1 s"], ["unlimited", "1 BDP"], ["b", "a"], ["2.0.1", "1.0.1"]):
        assert in_order(as_given) == as_given


def test_the_legend_of_a_browser_has_the_order_of_the_numbers() -> None:
    levels = {"buffer": ["1 BDP", "2 BDP"], "number": ["1", "16", "2", "4", "8"]}
    key = draw("responses", [table("number", "buffer", levels=levels)],
               Options(colors="number")).picture.key  # fmt: skip
    domain = legend(key)["encoding"]["shape"]["scale"]["domain"]
    assert domain == [f"number {number}" for number in (1, 2, 4, 8, 16)]


def test_a_legend_with_levels_of_several_factors_names_each_and_shows_what_dashes_mean() -> None:
    marked = Options(colors="control", markers="pep")
    drawn = draw("responses", [table("control", "buffer", "pep")], marked)
    labels = [mark.label for mark in drawn.picture.key]
    assert labels == ["control cubic", "control bbr3", "control hybla", "pep none", "pep split"]
    four = {**LEVELS, "number": ["1", "64"], "queue": ["red", "pie"]}
    drawn = draw("responses", [table(*four, levels=four)])
    dashed = [mark for mark in drawn.picture.key if mark.kind == "line" and mark.style != "-"]
    assert [mark.label for mark in dashed] == ["queue pie"]
    assert {mark.style for mark in drawn.picture.marks()} == {"-", "--"}
    assert "lines of a colour differ" not in drawn.caption


def test_more_flows_than_a_legend_names_differ_in_colour_or_dash() -> None:
    looks = [(flow_look(flow).color, flow_look(flow).style) for flow in range(1, 29)]
    assert len(set(looks)) == 28
    assert {style for _, style in looks} == DASHES.keys()


def test_numbers_of_axes_have_no_exponent() -> None:
    assert [plain(number) for number in (2e0, 2e-5, 1e6, 0.1 + 0.2)] == [
        "2", "0.00002", "1,000,000", "0.3",
    ]  # fmt: skip

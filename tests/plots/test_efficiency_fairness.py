import json
from pathlib import Path
from statistics import correlation, covariance, stdev

import pytest

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.plots import PLOTS, draw, find
from longfat.plots.figure import Figure
from longfat.plots.options import PLAIN, Options, check_formats
from longfat.plots.palette import level_colors, level_looks
from longfat.results.comparison import TableComparison, compare
from longfat.studies.reference import Combination, ReferenceRow
from longfat.studies.responses import Response


def combination(policy: str, sources: str, config: str) -> Combination:
    return (("config", config), ("sources", sources), ("policy", policy))


COMBINATIONS = [
    combination(policy, sources, config)
    for policy in ("ubr", "fba")
    for sources in ("5", "15")
    for config in ("lan", "wan")
]
METRICS = {"efficiency": 0.4, "fairness": 0.8}


@pytest.fixture
def tables() -> list[TableComparison]:
    rows = [
        ReferenceRow(found, {"efficiency": 0.5, "fairness": 0.9}, frozenset({"fairness"}), "")
        for found in COMBINATIONS
    ]
    results = {found: dict.fromkeys(range(3), METRICS) for found in COMBINATIONS}
    results[COMBINATIONS[0]] = {0: METRICS}
    return [compare(Response("2", "A table", metric, rows), results) for metric in METRICS]


def test_every_plot_is_found_by_its_name() -> None:
    assert all(find(name).SUMMARY for name in PLOTS)


def test_a_row_is_drawn_for_each_combination_that_has_both_metrics(
    tables: list[TableComparison],
) -> None:
    plot = find("efficiency-fairness")
    rows = plot.collect(tables, PLAIN)
    assert len(rows) == len(COMBINATIONS) - 1
    assert rows[0] == {
        "config": "wan",
        "sources": "5",
        "policy": "ubr",
        "efficiency_reference": 0.5,
        "efficiency_doubtful": False,
        "efficiency_mean": pytest.approx(0.4),
        "efficiency_min": 0.4,
        "efficiency_max": 0.4,
        "fairness_reference": 0.9,
        "fairness_doubtful": True,
        "fairness_mean": pytest.approx(0.8),
        "fairness_min": 0.8,
        "fairness_max": 0.8,
        "efficiency_deviation": 0.0,
        "fairness_deviation": 0.0,
        "covariance": 0.0,
        "replications": 2,
    }
    assert plot.collect(tables[:1], PLAIN) == []


@pytest.mark.parametrize(
    ("suffix", "beginning"),
    [
        (".svg", b"<?xml"),
        (".pdf", b"%PDF"),
        (".png", b"\x89PNG"),
        (".csv", b"config,sources,policy,efficiency_reference,"),
    ],
)
def test_a_plot_is_written_the_same_each_time(
    tables: list[TableComparison], tmp_path: Path, suffix: str, beginning: bytes
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    draw("efficiency-fairness", tables).save(first)
    draw("efficiency-fairness", tables).save(second)
    assert first.read_bytes().startswith(beginning)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_a_picture_needs_no_particular_factors(tmp_path: Path) -> None:
    rows = [ReferenceRow((("z", "1"),), {"efficiency": 1, "fairness": 1}, frozenset(), "")]
    results = {rows[0].combination: {1: METRICS}}
    tables = [compare(Response("2", "A table", metric, rows), results) for metric in METRICS]
    draw("efficiency-fairness", tables).save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").exists()


def test_the_layout_says_which_factors_make_panels_colours_and_markers(
    tables: list[TableComparison],
) -> None:
    layout = Options("policy", "sources", "config", "policy")
    painting = draw("efficiency-fairness", tables, layout).matplotlib()
    titles = [panel.get_title(loc="left") for panel in painting.axes]
    assert titles == ["sources 5", "sources 15", "", ""]
    assert [panel.get_ylabel().split("\n")[0] for panel in painting.axes[::2]] == ["ubr", "fba"]
    labels = [text.get_text() for text in painting.legends[0].get_texts()]
    assert labels[:4] == ["config wan", "config lan", "policy ubr", "policy fba"]


def test_the_legend_has_the_lines_from_the_papers_points_and_the_caption_the_ellipses(
    tables: list[TableComparison],
) -> None:
    drawn = draw("efficiency-fairness", tables)
    (line,) = (mark for mark in drawn.picture.key if mark.kind == "line")
    assert line.label == "same combination"
    assert "; ellipses: one standard deviation of the replications" in drawn.caption


def test_levels_beyond_the_colours_have_other_markers() -> None:
    found: list[Combination] = [(("control", f"control {number}"),) for number in range(14)]
    rows = [ReferenceRow(each, {}, frozenset(), "") for each in found]
    results = {each: dict.fromkeys(range(3), METRICS) for each in found}
    tables = [
        compare(Response("2", "", metric, rows, is_printed=False), results) for metric in METRICS
    ]
    for layout in (
        Options(colors="control", rows="path", columns="path", markers="path"),
        Options(colors="control", rows="path", columns="path", markers="control"),
    ):
        drawn = draw("efficiency-fairness", tables, layout)
        looks = {
            (mark.color, mark.marker) for mark in drawn.picture.marks() if mark.kind == "points"
        }
        assert len(looks) == len(found)
        key = {mark.label: (mark.color, mark.marker) for mark in drawn.picture.key}
        assert {key[control] for ((_, control),) in found} == looks


def test_rows_of_tables_with_different_factors_are_one_csv(
    tables: list[TableComparison], tmp_path: Path
) -> None:
    drawn = draw("efficiency-fairness", tables)
    rows = [*drawn.rows, {**drawn.rows[0], "z": "0.8"}]
    Figure(drawn.kind, drawn.summary, rows, drawn.picture).save(tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].endswith(",z")
    assert lines[-1].endswith(",0.8")
    assert lines[1].endswith(",")


def test_an_unknown_suffix_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LongfatError, match=r"a.doc: the suffix must be one of .svg, .pdf, .png"):
        check_formats([Path("a.svg"), Path("a.doc")])


def test_every_policy_has_one_colour_and_unknown_ones_differ() -> None:
    colors = level_colors(["epd", "gred", "blue"])
    assert colors["epd"] == level_colors(["fba", "epd"])["epd"]
    assert len(set(colors.values())) == 3


def test_ours_is_drawn_alone_where_the_paper_has_no_numbers() -> None:
    rows = [ReferenceRow(found, {}, frozenset(), "") for found in COMBINATIONS]
    results = {found: dict.fromkeys(range(3), METRICS) for found in COMBINATIONS}
    tables = [
        compare(Response("2", "", metric, rows, is_printed=False), results) for metric in METRICS
    ]
    layout = Options("config", "policy", "policy", "sources")
    drawn = draw("efficiency-fairness", tables, layout)
    assert {row["efficiency_reference"] for row in drawn.rows} == {None}
    labels = [text.get_text() for text in drawn.matplotlib().legends[0].get_texts()]
    assert "longfat, mean" in labels
    assert not any("paper" in label or "same" in label for label in labels)
    assert "paper" not in drawn.summary


def test_an_ellipse_has_the_deviations_and_the_slant_of_the_replications() -> None:
    rows = [ReferenceRow(found, {}, frozenset(), "") for found in COMBINATIONS[:1]]
    values = [(0.4, 0.8), (0.5, 0.9), (0.6, 0.85), (0.7, 1.0)]
    results = {
        COMBINATIONS[0]: {
            number: dict(zip(METRICS, pair, strict=True))
            for number, pair in enumerate(values, start=1)
        }
    }
    tables = [
        compare(Response("2", "", metric, rows, is_printed=False), results) for metric in METRICS
    ]
    drawn = draw("efficiency-fairness", tables)
    (row,) = drawn.rows
    x, y = zip(*values, strict=True)
    assert row["covariance"] == pytest.approx(covariance(x, y))
    outline = next(mark for mark in drawn.picture.marks() if mark.kind == "line")
    reach = max(outline.x[:-1]) - row["efficiency_mean"], max(outline.y[:-1]) - row["fairness_mean"]
    assert reach == pytest.approx((stdev(x), stdev(y)), rel=0.01)
    highest = outline.x[max(range(len(outline.y) - 1), key=outline.y.__getitem__)]
    # Where an ellipse is highest it leans to its side by the correlation.
    leaning = (highest - row["efficiency_mean"]) / stdev(x)
    assert leaning == pytest.approx(correlation(x, y), abs=0.1)


def names_of(kind: str) -> list[str]:
    models = json.loads(_engine.models())
    return [model["name"] for model in models if model["kind"] == kind]


def test_drop_policies_have_colours_of_their_own_that_differ() -> None:
    names = names_of("drop policy")
    colors = [level_colors([name])[name] for name in names if name != "by-policy"]
    assert len(names) > 3
    assert len(set(colors)) == len(colors)


@pytest.mark.parametrize("kind", ["TCP flavor", "queue discipline"])
def test_all_models_of_a_kind_look_different(kind: str) -> None:
    names = names_of(kind)
    assert len(set(level_looks(names).values())) == len(names)


def test_the_latest_laws_have_colours_that_differ() -> None:
    flavors = names_of("TCP flavor")
    assert len(set(level_colors(flavors[-6:]).values())) == 6


def test_values_that_are_all_but_equal_are_not_drawn_as_far_apart() -> None:
    low, high = COMBINATIONS[1], COMBINATIONS[3]  # of one row of panels
    rows = [
        ReferenceRow(found, {"efficiency": 1.0, "fairness": 0.9}, frozenset(), "")
        for found in (low, high)
    ]
    results = {
        low: {number: {"efficiency": 0.99996, "fairness": 0.5} for number in range(3)},
        high: {number: {"efficiency": 1.0, "fairness": 0.9} for number in range(3)},
    }
    tables = [compare(Response("2", "A table", metric, rows), results) for metric in METRICS]
    plot = find("efficiency-fairness")
    panel = plot.picture(plot.collect(tables, PLAIN), PLAIN).panels[0][0]
    assert panel is not None
    assert panel.x.low == pytest.approx(0.98998)
    assert panel.x.high == pytest.approx(1.00998)
    assert (panel.y.low, panel.y.high) == (None, None)

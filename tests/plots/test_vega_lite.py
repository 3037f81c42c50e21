import gzip
import json
from functools import cache
from typing import Any

import jsonschema
import pytest
from tools.vendor import TESTS

from longfat.plots import PLOTS, draw, find
from longfat.plots.figure import Figure
from longfat.plots.palette import BLUE
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.plots.vega_lite import vega_lite
from longfat.traces import Traces

OF_TRACES = [
    name
    for name in PLOTS
    if find(name).SOURCE == "traces" and name not in {"completion-time", "delay"}
]
OF_ANALYSES = [name for name in PLOTS if find(name).SOURCE == "analysis"]


@cache
def validator() -> jsonschema.Draft7Validator:
    """Shape of our specifications: panels side by side, stricter than the general schema."""
    file = TESTS / "vega-lite-schema.json.gz"
    schema = json.loads(gzip.decompress(file.read_bytes()))
    return jsonschema.Draft7Validator(schema | {"$ref": "#/definitions/TopLevelConcatSpec"})


def check(figure: Figure) -> None:
    """A specification as a browser gets it must be valid by the schema of Vega-Lite."""
    spec: dict[str, Any] = json.loads(json.dumps(figure.vega_lite(), allow_nan=False))
    for view in spec["concat"]:
        for layer in view["layer"]:
            if "data" in layer:  # the first row shows the form of all
                del layer["data"]["values"][1:]
    validator().validate(spec)


@pytest.mark.parametrize("name", OF_TRACES)
def test_plots_of_traces_are_valid_vega_lite(name: str, traced: Traces) -> None:
    check(draw(name, [traced]))


@pytest.mark.parametrize("name", OF_ANALYSES)
def test_plots_of_analyses_are_valid_vega_lite(name: str, analysis: dict[str, Any]) -> None:
    check(draw(name, analysis))


def picture(*panels: Panel) -> Picture:
    return Picture([panels], "n = 3", 2.0, share_y="all")


def points(*values: float, **settings: Any) -> Mark:
    return Mark("points", list(range(len(values))), list(values), **settings)


def test_panels_that_share_an_axis_reach_as_far_as_the_farthest() -> None:
    low, high = points(0.0, 1.0), points(5.0, 10.0)
    axes = Axis("time in s"), Axis("rate in Mbit/s")
    spec = vega_lite(picture(Panel(*axes, [low]), Panel(Axis("x"), Axis(""), [high])), "")
    scales = [view["layer"][0]["encoding"]["y"]["scale"]["domain"] for view in spec["concat"]]
    assert scales[0] == scales[1] == pytest.approx([-0.5, 10.5])


def test_a_panel_that_leaves_its_label_to_its_neighbour_says_it_when_it_stands_alone() -> None:
    first = Panel(Axis("x"), Axis("rate in Mbit/s"), [points(1.0)])
    second = Panel(Axis("x"), Axis(""), [points(2.0)])
    views = vega_lite(picture(first, second), "")["concat"]
    titles = [view["layer"][0]["encoding"]["y"]["axis"]["title"] for view in views]
    assert titles == [["rate in Mbit/s"], ["rate in Mbit/s"]]


def test_one_legend_serves_all_panels_unless_a_label_means_two_things() -> None:
    def legends(*marks: Mark) -> list[int]:
        panels = [Panel(Axis("x"), Axis("y"), [mark]) for mark in marks]
        views = vega_lite(picture(*panels), "")["concat"]
        return [sum("shape" in layer["encoding"] for layer in view["layer"]) for view in views]

    assert legends(points(1.0, label="epd"), points(2.0, label="fba", color=BLUE)) == [1, 0]
    assert legends(points(1.0, label="epd"), points(2.0, label="fba")) == [1, 1]
    assert legends(points(1.0, label="1"), points(2.0, label="1", color=BLUE)) == [1, 1]


def test_what_is_not_finite_breaks_a_line_and_does_not_stretch_an_axis() -> None:
    mark = Mark("line", [0.0, 1.0, 2.0], [1.0, float("nan"), float("inf")])
    spec = vega_lite(picture(Panel(Axis("x"), Axis("y"), [mark], [Guide(3.0, "most")])), "")
    layer = spec["concat"][0]["layer"][0]
    assert [row["y"] for row in layer["data"]["values"]] == [1.0, None, None]
    assert layer["encoding"]["y"]["scale"]["domain"] == pytest.approx([0.9, 3.1])


def test_a_notebook_gets_vega_lite_and_a_picture(analysis: dict[str, Any]) -> None:
    bundle = draw("variation", analysis)._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    caption = bundle["application/vnd.vegalite.v6+json"]["usermeta"]["longfat"]["caption"]
    assert "n = 24 runs" in caption


def test_a_guide_is_drawn_once_although_it_has_no_data() -> None:
    panel = Panel(Axis("x"), Axis("y"), [points(1.0)], [Guide(1.0, "most"), Guide(0.5, "", "x")])
    layers = vega_lite(picture(panel), "")["concat"][0]["layer"][1:]
    assert [layer["mark"]["type"] for layer in layers] == ["rule", "rule", "point"]
    assert [key["label"] for key in layers[-1]["data"]["values"]] == ["most"]
    assert all(layer["data"] == {"values": [{}]} for layer in layers[:-1])


def test_long_series_are_thinned_for_the_screen_and_outlines_are_not() -> None:
    count = 20_000
    x = [float(place) for place in range(count)]
    series = Mark("steps", x, [value % 7 for value in x])
    outline = Mark("line", [*x[:4000], float("nan")] * 3, [*x[:4000], 0.0] * 3)
    rug = Mark("rug", x)
    spec = vega_lite(picture(Panel(Axis("x"), Axis("y"), [series, outline, rug])), "")
    drawn = [layer["data"]["values"][0]["x"] for layer in spec["concat"][0]["layer"]]
    assert len(drawn[0]) <= 2000
    assert (drawn[0][0], drawn[0][-1]) == (0, count - 1)
    assert len(drawn[1]) == len(outline.x)
    assert len(drawn[2]) <= 1001

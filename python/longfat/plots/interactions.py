"""Interaction plots of an analysis of variance: parallel lines mean no interaction."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.plots.main_effects import caption_of, study_of
from longfat.plots.names import shortened
from longfat.plots.palette import level_looks
from longfat.plots.panels import levels_of, named, said_in_full
from longfat.plots.picture import Axis, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "mean response at each pair of levels: lines that are not parallel interact"
SOURCE = "analysis"
OPTIONS: Sequence[str] = ()

_PANELS_IN_A_ROW = 2
_PANEL_HEIGHT_INCHES = 2.1


def collect(document: Mapping[str, Any], _options: "Options") -> list["Row"]:
    """Return the mean at each pair of levels: overall mean, main effects and interaction.

    Raises `LongfatError` for an analysis without interactions of two factors.
    """
    main = {(effect["factor"], effect["level"]): effect["effect"] for effect in document["effects"]}
    pairs = [effect for effect in document["interactions"] if len(effect["factors"]) == 2]
    if not pairs:
        raise LongfatError("the analysis has no interactions of two factors: give it --order 2")
    rows: list[Row] = []
    for effect in pairs:
        (first, second), (level, other) = effect["factors"], effect["levels"]
        mean = document["mean"] + main[first, level] + main[second, other] + effect["effect"]
        rows.append({"x": first, "level_x": level, "lines": second, "level": other, "mean": mean})
    return rows


def picture(rows: Sequence["Row"], _options: "Options", document: Mapping[str, Any]) -> Picture:
    """Return a panel for each pair of factors."""
    pairs = list(dict.fromkeys((row["x"], row["lines"]) for row in rows))
    # A page may have one legend for all panels.
    name = said_in_full if len({lines for _, lines in pairs}) > 1 else named
    panels: list[Panel | None] = [
        _panel([row for row in rows if (row["x"], row["lines"]) == pair], document, name)
        for pair in pairs
    ]
    across = min(_PANELS_IN_A_ROW, len(panels))
    panels += [None] * (-len(panels) % across)
    grid = [panels[start : start + across] for start in range(0, len(panels), across)]
    height = 0.4 + _PANEL_HEIGHT_INCHES * len(grid)
    return Picture(grid, caption_of(document, intervals=False), height, share_y="all")


def _panel(
    rows: Sequence["Row"], document: Mapping[str, Any], name: Callable[[str, str], str]
) -> Panel:
    names, lines = levels_of(rows, "level_x"), levels_of(rows, "level")
    rows = sorted(rows, key=lambda row: names.index(row["level_x"]))
    looks = level_looks(lines, study_of(document))
    x, other = rows[0]["x"].replace("_", " "), rows[0]["lines"].replace("_", " ")
    marks = []
    for level, label in zip(lines, shortened(lines), strict=True):
        means = [row["mean"] for row in rows if row["level"] == level]
        places = list(range(len(means)))
        look = looks[level]
        marks.append(
            Mark("line", places, means, look.color, name(other, label), low=means, high=means,
                 style=look.style, marker=look.marker, width=1.2)
        )  # fmt: skip
    return Panel(
        Axis(x, -0.3, len(names) - 0.7, names=shortened(names)),
        Axis(f"mean {document['response'].replace('_', ' ')}"),
        marks,
        title=f"{x} x {other}",
    )

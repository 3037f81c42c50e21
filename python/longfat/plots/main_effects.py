"""Main effects of an analysis of variance: the mean response at each level, with its interval."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.plots.names import shortened
from longfat.plots.palette import INK, NEUTRAL, level_looks
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots import Options, Row

SUMMARY = "mean response at each level of each factor, with confidence intervals"
SOURCE = "analysis"
HEEDS: Sequence[str] = ()

_PANELS_IN_A_ROW = 4
_PANEL_HEIGHT_INCHES = 2.4


def collect(document: Mapping[str, Any], _options: "Options") -> list["Row"]:
    """A row for each level of each factor: the mean and the ends of its interval, if any."""
    mean = document["mean"]
    return [
        {
            "factor": effect["factor"],
            "level": effect["level"],
            "mean": mean + effect["effect"],
            "low": None if effect["low"] is None else mean + effect["low"],
            "high": None if effect["high"] is None else mean + effect["high"],
        }
        for effect in document["effects"]
    ]


def picture(rows: Sequence["Row"], _options: "Options", document: Mapping[str, Any]) -> Picture:
    """A panel for each factor, all with the same axis."""
    factors = list(dict.fromkeys(row["factor"] for row in rows))
    panels: list[Panel | None] = [
        _panel([row for row in rows if row["factor"] == factor], document, first=index == 0)
        for index, factor in enumerate(factors)
    ]
    across = min(_PANELS_IN_A_ROW, len(panels))
    panels += [None] * (-len(panels) % across)
    grid = [panels[start : start + across] for start in range(0, len(panels), across)]
    height = 0.4 + _PANEL_HEIGHT_INCHES * len(grid)
    caption = f"{told(document)}; dotted: mean of all runs"
    return Picture(grid, caption, height, share_y="all")


def _panel(rows: Sequence["Row"], document: Mapping[str, Any], *, first: bool) -> Panel:
    names = [row["level"] for row in rows]
    places = range(len(rows))
    means = [row["mean"] for row in rows]
    marks = [Mark("line", list(places), means, color=NEUTRAL)]
    for place, row, look in zip(places, rows, level_looks(names).values(), strict=True):
        ends = None if row["low"] is None else ([row["low"]], [row["high"]])
        marks.append(
            Mark("points", [place], [row["mean"]], look.color, marker=look.marker, size=5.5,
                 low=ends and ends[0], high=ends and ends[1])
        )  # fmt: skip
    return Panel(
        Axis(rows[0]["factor"].replace("_", " "), -0.5, len(rows) - 0.5, names=shortened(names)),
        Axis(f"mean {document['response'].replace('_', ' ')}" if first else ""),
        marks,
        [Guide(document["mean"], color=INK)],
    )


def told(document: Mapping[str, Any], *, intervals: bool = True) -> str:
    """The caption of every plot of an analysis."""
    replications = document["replications"]
    percent = f"{100 * document['confidence']:g} %"
    counted = (
        f"{document['response']}: n = {document['observations']} runs, {replications} "
        f"replication{'s' if replications != 1 else ''} of each combination"
    )
    return f"{counted}; {percent} confidence" if intervals else counted

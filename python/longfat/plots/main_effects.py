"""Plot of the main effects of an analysis of variance.

The intervals are those of the effects, as in the tables, and not of the means of levels: these are
wider, and with common random numbers they include the variation between blocks, which is common to
all levels.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.plots.names import in_order, shortened
from longfat.plots.palette import INK, NEUTRAL, level_looks
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "mean response at each level of each factor, with the intervals of the effects"
SOURCE = "analysis"
OPTIONS: Sequence[str] = ()

_PANELS_IN_A_ROW = 4
_PANEL_HEIGHT_INCHES = 2.4


def collect(document: Mapping[str, Any], _options: "Options") -> list["Row"]:
    """Return a row for each level of each factor: mean, and effect with its interval, if any."""
    return [
        {
            "factor": effect["factor"],
            "level": effect["level"],
            "mean": document["mean"] + effect["effect"],
            "effect": effect["effect"],
            "effect_low": effect["low"],
            "effect_high": effect["high"],
        }
        for effect in document["effects"]
    ]


def picture(rows: Sequence["Row"], _options: "Options", document: Mapping[str, Any]) -> Picture:
    """Return a panel for each factor, all with the same response axis."""
    factors = list(dict.fromkeys(row["factor"] for row in rows))
    panels: list[Panel | None] = [
        _panel([row for row in rows if row["factor"] == factor], document, first=index == 0)
        for index, factor in enumerate(factors)
    ]
    across = min(_PANELS_IN_A_ROW, len(panels))
    panels += [None] * (-len(panels) % across)
    grid = [panels[start : start + across] for start in range(0, len(panels), across)]
    height = 0.4 + _PANEL_HEIGHT_INCHES * len(grid)
    return Picture(grid, _caption(document), height, share_y="all")


def _panel(rows: Sequence["Row"], document: Mapping[str, Any], *, first: bool) -> Panel:
    names = in_order([row["level"] for row in rows])
    rows = sorted(rows, key=lambda row: names.index(row["level"]))
    looks = level_looks(names, study_of(document))
    places = range(len(rows))
    means = [row["mean"] for row in rows]
    marks = [Mark("line", list(places), means, color=NEUTRAL)]
    for place, row, look in zip(places, rows, looks.values(), strict=True):
        low, high = (_around(document["mean"], row[end]) for end in ("effect_low", "effect_high"))
        marks.append(
            Mark("points", [place], [row["mean"]], look.color, marker=look.marker, size=5.5,
                 low=low, high=high)
        )  # fmt: skip
    return Panel(
        Axis(rows[0]["factor"].replace("_", " "), -0.5, len(rows) - 0.5, names=shortened(names)),
        Axis(f"mean {document['response'].replace('_', ' ')}" if first else ""),
        marks,
        [Guide(document["mean"], color=INK)],
    )


def _around(mean: float, effect: float | None) -> list[float] | None:
    """Shift an end of the interval of an effect by the overall mean."""
    return None if effect is None else [mean + effect]


def _caption(document: Mapping[str, Any]) -> str:
    if not _has_intervals(document):
        return f"{caption_of(document, intervals=False)}; dotted: mean of all runs"
    return (
        f"{caption_of(document)};\nintervals of the effects: an effect is significant where its "
        "interval misses the dotted mean of all runs"
    )


def _has_intervals(document: Mapping[str, Any]) -> bool:
    return all(effect["low"] is not None for effect in document["effects"])


def study_of(document: Mapping[str, Any]) -> list[list[str]]:
    """Return the levels of each factor: of the whole study, or else of the analysis."""
    levels: dict[str, list[str]] = {}
    for effect in document["effects"]:
        levels.setdefault(effect["factor"], []).append(effect["level"])
    return [in_order(own) for own in document.get("levels_of_study", levels).values()]


def caption_of(document: Mapping[str, Any], *, intervals: bool = True) -> str:
    """Return the common caption of plots of an analysis, with the confidence if `intervals`."""
    replications = document["replications"]
    percent = f"{100 * document['confidence']:g} %"
    counted = (
        f"{document['response']}: n = {document['observations']} runs, {replications} "
        f"replication{'s' if replications != 1 else ''} of each combination"
    )
    return f"{counted}; {percent} confidence" if intervals else counted

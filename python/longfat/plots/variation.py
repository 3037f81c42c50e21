"""Plot of the allocation of variation: the share of each factor and interaction."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.plots.main_effects import caption_of
from longfat.plots.palette import BLUE, NEUTRAL, SKY
from longfat.plots.picture import Axis, Mark, Panel, Picture

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "share of the variation that each factor and interaction accounts for"
SOURCE = "analysis"
OPTIONS: Sequence[str] = ()

_BAR_HEIGHT_INCHES = 0.24
_COLORS = {"main effect": BLUE, "interaction": SKY}


def collect(document: Mapping[str, Any], _options: "Options") -> list["Row"]:
    """Return a row for each component, the largest first."""
    keys = ("name", "kind", "percent", "degrees_of_freedom", "significant")
    rows = [{key: component[key] for key in keys} for component in document["components"]]
    return sorted(rows, key=lambda row: -float(row["percent"]))


def picture(rows: Sequence["Row"], _options: "Options", document: Mapping[str, Any]) -> Picture:
    """Return bars in order from the top; significant components have a star."""
    count = len(rows)
    names = [f"{row['name']}{' *' if row['significant'] else ''}" for row in reversed(rows)]
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    places = {row["name"]: count - 1 - index for index, row in enumerate(rows)}
    marks = []
    for kind in kinds:
        chosen = [row for row in rows if row["kind"] == kind]
        where = [places[row["name"]] for row in chosen]
        percents = [row["percent"] for row in chosen]
        color, label = _COLORS.get(kind, NEUTRAL), kind if kind in _COLORS else ""
        marks.append(Mark("horizontal-bars", where, percents, color=color, label=label))
    panel = Panel(
        Axis("share of the variation in %", 0),
        Axis("", -0.6, count - 0.4, names=[name.replace("_", " ") for name in names]),
        marks,
    )
    caption = f"{caption_of(document)}; * significant"
    return Picture([[panel]], caption, 0.9 + _BAR_HEIGHT_INCHES * count)

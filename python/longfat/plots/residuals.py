"""Residual plots of an analysis of variance: against predictions and normal quantiles."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longfat.base.errors import LongfatError
from longfat.plots.main_effects import caption_of
from longfat.plots.palette import BLUE, INK, NEUTRAL
from longfat.plots.picture import Axis, Guide, Mark, Panel, Picture
from longfat.statistics.normal import normal_quantile

if TYPE_CHECKING:
    from longfat.plots.options import Options, Row

SUMMARY = "residuals against predictions, and against quantiles of the normal distribution"
SOURCE = "analysis"
OPTIONS: Sequence[str] = ()


def collect(document: Mapping[str, Any], _options: "Options") -> list["Row"]:
    """Return a row for each run: prediction, residual, and the normal quantile of its rank.

    Raises `LongfatError` if all
    residuals are 0.
    """
    predicted, residuals = document["predicted"], document["residuals"]
    if not any(residuals):
        raise LongfatError("the analysis has no residuals: every run is as predicted")
    order = sorted(range(len(residuals)), key=residuals.__getitem__)
    ranks = {place: rank for rank, place in enumerate(order, start=1)}
    return [
        {
            "predicted": predicted[place],
            "residual": residuals[place],
            "normal_quantile": normal_quantile(ranks[place], len(residuals)),
        }
        for place in range(len(residuals))
    ]


def picture(rows: Sequence["Row"], _options: "Options", document: Mapping[str, Any]) -> Picture:
    """Return both panels, with the results of the residual checks in the caption."""
    residuals = [row["residual"] for row in rows]
    size = 3.0 if len(rows) < 500 else 1.6
    quantiles = [row["normal_quantile"] for row in rows]
    deviation = (sum(value**2 for value in residuals) / len(residuals)) ** 0.5
    ends = [min(quantiles), max(quantiles)]
    response = document["response"].replace("_", " ")
    against_prediction = Panel(
        Axis(f"predicted {response}"),
        Axis(f"residual of {response}"),
        [Mark("points", [row["predicted"] for row in rows], residuals, color=BLUE, size=size,
              strength=0.6)],
        [Guide(0, color=NEUTRAL, style="-")],
        title="against predictions",
    )  # fmt: skip
    against_quantiles = Panel(
        Axis("quantile of the standard normal distribution"),
        Axis(""),
        [
            Mark("line", ends, [end * deviation for end in ends], color=INK, style=":"),
            Mark("points", quantiles, residuals, color=BLUE, size=size, strength=0.6),
        ],
        title="normal quantile-quantile",
    )
    verdicts = [
        f"{check['name']}: {'passed' if check['passed'] else 'doubtful'} (p = {check['p_value']:g})"
        for check in document["checks"]
    ]
    caption = ";\n".join([caption_of(document, intervals=False), ", ".join(verdicts)])
    return Picture([[against_prediction, against_quantiles]], caption, 3.1, share_y="all")

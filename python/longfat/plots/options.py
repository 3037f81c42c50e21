"""Sources, rows, options and output formats of plots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from longfat.base.errors import BadInput, LongfatError
from longfat.plots.names import in_order

PICTURES = (".svg", ".pdf", ".png", ".webp")
FORMATS = (*PICTURES, ".html", ".csv")

Row = Mapping[str, Any]

Source = Literal["traces", "study", "ledgers", "results", "analysis", "orbit"]
"""Source of a plot: traces; comparisons, ledgers or metrics of a study; an analysis
document; paths over satellites."""

STUDY_SOURCES = ("study", "ledgers", "results")


@dataclass(frozen=True)
class Layout:
    """Factors assigned to rows, columns, colours and markers of a picture with many panels.

    A factor that the rows do not have is ignored.
    """

    rows: str = "config"
    columns: str = "policy"
    colors: str = "policy"
    markers: str = "sources"


ROLES = ("rows", "columns", "colors", "markers")
"""Options whose value is a factor of a study."""


@dataclass(frozen=True)
class Options:
    """Options of a plot; None selects the plot's own default.

    The first four are factors of a study; `flow` is the number of a flow; `start_s` and `end_s` are
    the part of a run to show, in seconds. A plot uses those that its `OPTIONS` lists. `levels` has
    all levels of each factor of the study, whichever are drawn, so that its figures share colours.
    """

    rows: str | None = None
    columns: str | None = None
    colors: str | None = None
    markers: str | None = None
    flow: int | None = None
    start_s: float | None = None
    end_s: float | None = None
    levels: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def study(self) -> Sequence[Sequence[str]]:
        """Levels of each factor of the study, in order, as `palette.level_looks` needs them."""
        return [in_order(list(levels)) for levels in self.levels.values()]

    def layout(
        self,
        columns: str,
        colors: str | None = None,
        factors: Sequence[str] = (),
        parts: Sequence[str] = ("rows", "columns"),
    ) -> Layout:
        """Return the layout, with the plot's defaults `columns` and `colors` (as columns if None).

        `factors` are those of the rows to plot. The first unassigned ones replace defaults among
        `parts` that are factors of other studies.
        """
        plain = Layout()
        own = {"rows": plain.rows, "columns": columns, "markers": plain.markers}
        if colors is not None:
            own["colors"] = colors
        chosen = {part: getattr(self, part) or factor for part, factor in own.items()}
        free = [factor for factor in factors if factor not in chosen.values()]
        for part in parts:
            if free and getattr(self, part) is None and chosen[part] not in factors:
                chosen[part] = free.pop(0)
        return Layout(**{"colors": self.colors or chosen["columns"], **chosen})

    @property
    def said(self) -> list[str]:
        """Names of the options that the user has set."""
        names = [option.name for option in fields(self) if option.name != "levels"]
        return [name for name in names if getattr(self, name) is not None]


PLAIN = Options()


def check_formats(outputs: Sequence[Path], formats: Sequence[str] = FORMATS) -> None:
    """Raise `LongfatError` for an output with another suffix."""
    for output in outputs:
        if output.suffix not in formats:
            raise LongfatError(f"{output}: the suffix must be one of {', '.join(formats)}")


def check_factors(options: Options, known: Sequence[str]) -> None:
    """Raise `BadInput` for a role whose value is no factor of the study."""
    said = {role: getattr(options, role) for role in ROLES}
    problems = [
        f"--{role}: unknown factor {factor!r}; known: {', '.join(known)}"
        for role, factor in said.items()
        if factor is not None and factor not in known
    ]
    if problems:
        raise BadInput(problems)

"""Pictures as data, independent of the renderer: panels of marks on axes with units."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from longfat.plots.palette import INK

Kind = Literal[
    "line", "steps", "points", "letters", "area", "strokes", "bars", "horizontal-bars", "rug"
]
"""Kind of a mark: `steps` hold a value until the next; `strokes` are vertical, from `low` to
`high`; `letters` write their `marker`; a `rug` has short strokes at the bottom of the panel."""

PAGE_WIDTH_INCHES = 7.16
"""Width of two columns of a paper."""

PAGE_HEIGHT_INCHES = 11.0
"""Largest height of a page of a picture: a sheet of paper."""

BAR_THICKNESS = 0.7


@dataclass(frozen=True)
class Mark:
    """Points of one series. `low` and `high` are the ends of intervals, of an area or of strokes.

    Horizontal bars begin at `low`. A series with a `label` has an entry in the legend; `names` are
    shown as tooltips of single points. A `marker` is one of `palette.MARKERS`, or a letter.
    """

    kind: Kind
    x: Sequence[float]
    y: Sequence[float] = ()
    color: str = INK
    label: str = ""
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    width: float = 1.0
    style: str = "-"
    marker: str = "o"
    size: float = 4.0
    filled: bool = True
    strength: float = 1.0
    names: Sequence[str] = ()
    hatch: str = ""


@dataclass(frozen=True)
class Guide:
    """Line across a panel at one value, with its name in the legend or beside it."""

    at: float
    label: str = ""
    along: Literal["x", "y"] = "y"
    color: str = INK
    style: str = ":"

    @property
    def in_legend(self) -> Mark:
        """Entry of the guide in a legend."""
        return Mark("line", (), color=self.color, label=self.label, style=self.style)


@dataclass(frozen=True)
class Axis:
    """Axis; its `label` includes the unit, `names` are the levels at 0, 1, 2 and so on."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """Marks over a pair of axes.

    `note` is written in the middle of a panel without data, as an explanation. `heading` is the
    title of the panel outside of a grid, if it differs: it includes the grid's row and column.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    guides: Sequence[Guide] = ()
    title: str = ""
    legend: bool = True
    title_color: str = INK
    heading: str = ""
    note: str = ""

    @property
    def keyed_guides(self) -> "Sequence[Guide]":
        """Guides named in the legend: horizontal ones, whose end may be covered by data."""
        return [guide for guide in self.guides if guide.along == "y" and self.legend]

    @property
    def in_legend(self) -> "Sequence[Mark]":
        """Entries of the panel's legend, in order."""
        named = [mark for mark in self.marks if mark.label] if self.legend else []
        lines = [guide.in_legend for guide in self.keyed_guides if guide.label]
        return [*named, *lines]


Shared = Literal["all", "row", "none"]


@dataclass(frozen=True)
class Picture:
    """Rows of panels with a caption: number of runs, kind of intervals.

    With a `key`, one legend of these marks is above all panels, instead of one beside each. Panels
    are as high as wide if `is_square`, wherever they are drawn.
    """

    panels: Sequence[Sequence[Panel | None]]
    caption: str
    height_inches: float
    width_inches: float = PAGE_WIDTH_INCHES
    share_x: Shared = "none"
    share_y: Shared = "none"
    heights: Sequence[float] = ()
    key: Sequence[Mark] = ()
    is_square: bool = False

    def pages(self, most_inches: float = PAGE_HEIGHT_INCHES) -> "list[Picture]":
        """Divide the rows of panels among pages that are not higher, unless a row alone is."""
        shares = list(self.heights) or [1.0] * len(self.panels)
        inches = [self.height_inches * share / sum(shares) for share in shares]
        groups: list[list[int]] = [[]]
        for row, height in enumerate(inches):
            if groups[-1] and sum(inches[each] for each in groups[-1]) + height > most_inches:
                groups.append([])
            groups[-1].append(row)
        if len(groups) == 1:
            return [self]
        return [
            replace(
                self,
                panels=[self._with_titles(group[0]), *(self.panels[row] for row in group[1:])],
                heights=[shares[row] for row in group],
                height_inches=sum(inches[row] for row in group),
                caption=f"{self.caption}; page {number} of {len(groups)}",
            )
            for number, group in enumerate(groups, start=1)
        ]

    def _with_titles(self, row: int) -> Sequence[Panel | None]:
        """Return the panels of a row, with the titles of their columns if they have no others."""
        return [
            replace(panel, title=top.title) if panel and top and not panel.title else panel
            for panel, top in zip(self.panels[row], self.panels[0], strict=True)
        ]

    def marks(self) -> Iterator[Mark]:
        """Yield the marks of all panels."""
        for row in self.panels:
            for panel in row:
                yield from panel.marks if panel is not None else ()

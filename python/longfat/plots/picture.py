"""A picture as data: panels of marks on axes with units. What is drawn, apart from who draws it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from longfat.plots.palette import INK

Kind = Literal[
    "line", "steps", "points", "letters", "area", "strokes", "bars", "horizontal-bars", "rug"
]
"""`steps` hold a value until the next; `strokes` go upright from `low` to `high`; `letters` write
their `marker`; `rug` are short strokes at the bottom of the panel."""

PAGE_WIDTH_INCHES = 7.16
"""Two columns of a paper."""

BAR_THICKNESS = 0.7


@dataclass(frozen=True)
class Mark:
    """Points of one series. `low` and `high` are the ends of intervals, of an area or of strokes.

    Horizontal bars begin at `low`. A series with a `label` has its line in the legend; `names` tell
    single points apart where a reader can point at them. A `marker` is one of
    `palette.MARKERS`, or a letter.
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
    """A line across a panel at one value, with its name in the legend or beside it."""

    at: float
    label: str = ""
    along: Literal["x", "y"] = "y"
    color: str = INK
    style: str = ":"

    @property
    def in_legend(self) -> Mark:
        """What stands for it in a legend."""
        return Mark("line", (), color=self.color, label=self.label, style=self.style)


@dataclass(frozen=True)
class Axis:
    """What an axis shows, with the unit; `names` are the levels at 0, 1, 2 and so on."""

    label: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    names: Sequence[str] = ()
    ticks: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """Marks over a pair of axes.

    `note` is written in the middle of a panel in which nothing is to be seen, and says why.

    `told` is the title of a panel that stands alone, if it is another: with what the label of its
    upright axis says and what the panel above it is titled.
    """

    x: Axis
    y: Axis
    marks: Sequence[Mark]
    guides: Sequence[Guide] = ()
    title: str = ""
    legend: bool = True
    title_color: str = INK
    told: str = ""
    note: str = ""

    @property
    def keyed_guides(self) -> "Sequence[Guide]":
        """The guides that the legend names: beside a level line there may be data at any place."""
        return [guide for guide in self.guides if guide.along == "y" and self.legend]

    @property
    def in_legend(self) -> "Sequence[Mark]":
        """What the panel's legend tells, in its order."""
        named = [mark for mark in self.marks if mark.label] if self.legend else []
        lines = [guide.in_legend for guide in self.keyed_guides if guide.label]
        return [*named, *lines]


Shared = Literal["all", "row", "none"]


@dataclass(frozen=True)
class Picture:
    """Rows of panels, and what is to be said below them: how many runs, which intervals.

    With a `key` one legend of these marks stands above all panels, in place of one beside each.
    """

    panels: Sequence[Sequence[Panel | None]]
    caption: str
    height_inches: float
    width_inches: float = PAGE_WIDTH_INCHES
    share_x: Shared = "none"
    share_y: Shared = "none"
    heights: Sequence[float] = ()
    key: Sequence[Mark] = ()

    def marks(self) -> Iterator[Mark]:
        """Every mark of every panel."""
        for row in self.panels:
            for panel in row:
                yield from panel.marks if panel is not None else ()

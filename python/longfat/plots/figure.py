"""A plot as an object: one definition, and a face for each place where it is looked at."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base.files import written_whole
from longfat.plots.options import Row, check_formats
from longfat.plots.picture import Picture

if TYPE_CHECKING:
    import polars
    from matplotlib.figure import Figure as Painting

_VEGA_LITE_MIME = "application/vnd.vegalite.v6+json"
# The same data gives the same bytes: no dates, and identifiers that do not depend on the moment.
_STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.formatter.useoffset": False,
    "hatch.linewidth": 0.4,
    "svg.hashsalt": "longfat",
    "pdf.fonttype": 42,
}
_NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_DOTS_PER_INCH = 200
_CLIP = re.compile(r"(?<=url\(#)p[0-9a-f]{10}(?=\))|(?<=clipPath id=\")p[0-9a-f]{10}(?=\")")


class Figure:
    """A plot with its data: `vega_lite` for screens, `save` for papers, `rows` to go on with.

    `kind` is the name of the plot, `command` the one that draws it again.
    """

    def __init__(
        self, kind: str, summary: str, rows: Sequence[Row], picture: Picture, command: str = ""
    ) -> None:
        self.kind = kind
        self.summary = summary
        self.rows = rows
        self.picture = picture
        self.command = command

    def __repr__(self) -> str:
        return f"<Figure {self.kind}: {self.summary}; {len(self.rows)} rows>"

    @property
    def caption(self) -> str:
        """What is said below the picture: how many runs, how sure."""
        return self.picture.caption

    @property
    def sentence(self) -> str:
        """What it shows, and the caption: what a page says below it."""
        told = " ".join(f"{self.summary}; {self.caption}.".split())
        return told[0].upper() + told[1:]

    def vega_lite(self) -> dict[str, Any]:
        """A Vega-Lite specification with the data inside.

        Its `usermeta["longfat"]` has the plot's name, caption and command, the colours to replace
        on a dark screen and the width below which panels should stand one below the other.
        """
        from longfat.plots.vega_lite import vega_lite

        own = {"plot": self.kind, "command": self.command}
        return vega_lite(self.picture, self.summary, own)

    def matplotlib(self) -> "Painting":
        """A figure of matplotlib, to restyle."""
        import matplotlib as mpl
        from matplotlib.figure import Figure as Painting

        from longfat.plots.painting import paint

        with mpl.rc_context(_STYLE):
            painting = Painting(layout="constrained")
            paint(painting, self.picture)
        return painting

    def csv(self) -> str:
        """The rows that are drawn, with a header."""
        text = io.StringIO(newline="")
        columns = dict.fromkeys(column for row in self.rows for column in row)
        writer = csv.DictWriter(text, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def frame(self) -> "polars.DataFrame":
        """The rows that are drawn, as a data frame."""
        import polars

        return polars.DataFrame(list(self.rows), infer_schema_length=None)

    def svg(self) -> str:
        """The picture as SVG."""
        return _with_counted_clips(self._painted(".svg").decode())

    def save(self, output: str | Path) -> None:
        """Write a picture, a page or the data drawn: .svg, .pdf, .png, .html or .csv.

        Raises `LongfatError` for another suffix and for a file that cannot be written; then no half
        of it is left.
        """
        path = Path(output)
        check_formats([path])
        with written_whole(path) as temporary:
            temporary.write_bytes(self._bytes(path))

    def _bytes(self, path: Path) -> bytes:
        if path.suffix == ".csv":
            return self.csv().encode()
        if path.suffix == ".svg":
            return self.svg().encode()
        if path.suffix == ".html":
            from longfat.plots.page import page

            return page(self.summary, self.svg(), self.csv(), path.stem, self.command).encode()
        return self._painted(path.suffix)

    def _painted(self, suffix: str, dots_per_inch: int = _DOTS_PER_INCH) -> bytes:
        import matplotlib as mpl

        drawn = io.BytesIO()
        with mpl.rc_context(_STYLE):
            self.matplotlib().savefig(
                drawn,
                format=suffix.removeprefix("."),
                dpi=dots_per_inch,
                metadata=_NO_DATE[suffix],
            )
        return drawn.getvalue()

    def _repr_mimebundle_(self, **_selection: Any) -> dict[str, Any]:
        """What notebooks show: Vega-Lite where they can, or else a picture."""
        return {
            _VEGA_LITE_MIME: self.vega_lite(),
            "image/png": self._painted(".png", dots_per_inch=110),
            "text/plain": repr(self),
        }


def _with_counted_clips(svg: str) -> str:
    """The same picture with its clip paths numbered as they come.

    matplotlib names them after their exact corners, whose last digits the layout may round
    differently from one drawing to the next.
    """
    names: dict[str, str] = {}
    return _CLIP.sub(lambda found: names.setdefault(found[0], f"clip{len(names) + 1}"), svg)

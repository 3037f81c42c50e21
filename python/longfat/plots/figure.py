"""Figures: a plot with its data, rendered by matplotlib or as Vega-Lite."""

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
# Output is deterministic: no dates, and reproducible identifiers.
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
    """Plot with its data: `vega_lite` for screens, `save` for papers, `rows` for further use.

    `kind` is the name of the plot; `command` reproduces it.
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
        """Caption below the picture: number of runs and confidence."""
        return self.picture.caption

    @property
    def sentence(self) -> str:
        """Summary and caption as one sentence, for the page with the figure."""
        words = " ".join(f"{self.summary}; {self.caption}.".split())
        return words[0].upper() + words[1:]

    def vega_lite(self) -> dict[str, Any]:
        """Return a Vega-Lite specification that includes the data.

        Its `usermeta["longfat"]` has the plot's name, caption and command, the colours to replace
        on a dark screen, and the smallest width of a panel in pixels.
        """
        from longfat.plots.vega_lite import vega_lite

        own = {"plot": self.kind, "command": self.command}
        return vega_lite(self.picture, self.summary, own)

    def matplotlib(self) -> "Painting":
        """Return a matplotlib figure, which can be restyled."""
        import matplotlib as mpl
        from matplotlib.figure import Figure as Painting

        from longfat.plots.painting import paint

        with mpl.rc_context(_STYLE):
            painting = Painting(layout="constrained")
            paint(painting, self.picture)
        return painting

    def csv(self) -> str:
        """Return the plotted rows as CSV, with a header."""
        text = io.StringIO(newline="")
        columns = dict.fromkeys(column for row in self.rows for column in row)
        writer = csv.DictWriter(text, list(columns), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def frame(self) -> "polars.DataFrame":
        """Return the plotted rows as a data frame."""
        import polars

        return polars.DataFrame(list(self.rows), infer_schema_length=None)

    def svg(self) -> str:
        """Return the picture as SVG."""
        return _with_counted_clips(self._painted(".svg").decode())

    def save(self, output: str | Path) -> None:
        """Write the picture, a page or the plotted data: .svg, .pdf, .png, .html or .csv.

        Raises `LongfatError` for another suffix and for a file that cannot be written. The file is
        written atomically.
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
        """Return the representations for notebooks: Vega-Lite, or else PNG or text."""
        return {
            _VEGA_LITE_MIME: self.vega_lite(),
            "image/png": self._painted(".png", dots_per_inch=110),
            "text/plain": repr(self),
        }


def _with_counted_clips(svg: str) -> str:
    """Rename the clip paths of an SVG by number, in order of appearance.

    matplotlib derives their names from exact coordinates, whose last digits may differ between
    renderings.
    """
    names: dict[str, str] = {}
    return _CLIP.sub(lambda found: names.setdefault(found[0], f"clip{len(names) + 1}"), svg)

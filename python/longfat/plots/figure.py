"""Figures: a plot with its data, rendered by matplotlib or as Vega-Lite."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.base.extras import need
from longfat.base.files import written_whole
from longfat.plots.options import FORMATS, PICTURES, Row, check_formats
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
    "axes.formatter.limits": (-6, 12),
    "hatch.linewidth": 0.4,
    "svg.hashsalt": "longfat",
    "pdf.fonttype": 42,
}
_NO_DATE: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
_FORMAT: dict[str, dict[str, Any]] = {".webp": {"pil_kwargs": {"quality": 80, "method": 6}}}
"""Of WebP: lines and letters show no blocks, in a third of the bytes of PNG."""
_DOTS_PER_INCH = 200
_CLIP = re.compile(r"(?<=url\(#)p[0-9a-f]{10}(?=\))|(?<=clipPath id=\")p[0-9a-f]{10}(?=\")")


class Figure:
    """Plot with its data: `vega_lite` for screens, `save` for papers, `rows` for further use.

    `kind` is the name of the plot; `command` reproduces it.
    """

    def __init__(
        self,
        kind: str,
        summary: str,
        rows: Sequence[Row],
        picture: Picture,
        command: str = "",
        *,
        is_dark: bool = False,
    ) -> None:
        self.kind = kind
        self.summary = summary
        self.rows = rows
        self.picture = picture
        self.command = command
        self.is_dark = is_dark

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

    def dark(self) -> "Figure":
        """Return the figure for dark paper: its pictures by matplotlib have other colours.

        A Vega-Lite specification is for both, and the page that shows it chooses.
        """
        return Figure(self.kind, self.summary, self.rows, self.picture, self.command, is_dark=True)

    def vega_lite(self) -> dict[str, Any]:
        """Return a Vega-Lite specification that includes the data.

        Its `usermeta["longfat"]` has the plot's name, caption and command, the colours to replace
        on a dark screen, and the smallest width of a panel in pixels.
        """
        from longfat.plots.vega_lite import vega_lite

        own = {"plot": self.kind, "command": self.command}
        return vega_lite(self.picture, self.summary, own)

    def matplotlib(self, page: Picture | None = None) -> "Painting":
        """Return a matplotlib figure of the whole or of a page, which can be restyled."""
        mpl = _matplotlib()
        from matplotlib.figure import Figure as Painting

        from longfat.plots.painting import paint

        with mpl.rc_context(_STYLE):
            painting = Painting(layout="constrained")
            paint(painting, page or self.picture)
        if self.is_dark:
            from longfat.plots.dark import darken

            darken(painting)
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
        need("plots", "a data frame", "polars")
        import polars

        return polars.DataFrame(list(self.rows), infer_schema_length=None)

    def svg(self) -> str:
        """Return the whole picture as SVG, whatever its height."""
        return self._svg(self.picture)

    def save(self, output: str | Path) -> list[Path]:
        """Write the picture (.svg, .pdf, .png, .webp), a page (.html) or the plotted data (.csv).

        Returns the files that are written. A picture that is higher than a sheet of paper has
        several pages, which are files with numbers, except of .pdf and .html. Raises `LongfatError`
        for another suffix and for a file that cannot be written. Files are written atomically.
        """
        path = Path(output)
        check_formats([path], PICTURES if self.is_dark else FORMATS)
        contents = self._contents(path)
        many = len(contents) > 1
        paths = [
            path.with_stem(f"{path.stem}-{number}") if many else path
            for number in range(1, len(contents) + 1)
        ]
        for each, content in zip(paths, contents, strict=True):
            with written_whole(each) as temporary:
                temporary.write_bytes(content)
        return paths

    def _contents(self, path: Path) -> list[bytes]:
        """Return the content of each file."""
        pages = self.picture.pages()
        if path.suffix == ".csv":
            return [self.csv().encode()]
        if path.suffix == ".pdf":
            return [self._pdf(pages)]
        if path.suffix in (".png", ".webp"):
            return [self._painted(page, path.suffix) for page in pages]
        drawn = [self._svg(page, f"{number}-") for number, page in enumerate(pages, start=1)]
        if path.suffix == ".svg":
            return [each.encode() for each in drawn]
        from longfat.plots.page import page

        return [page(self.summary, drawn, self.csv(), path.stem, self.command).encode()]

    def _svg(self, page: Picture, prefix: str = "") -> str:
        return _with_counted_clips(self._painted(page, ".svg").decode(), prefix)

    def _pdf(self, pages: Sequence[Picture]) -> bytes:
        mpl = _matplotlib()
        from matplotlib.backends.backend_pdf import PdfPages

        drawn = io.BytesIO()
        with mpl.rc_context(_STYLE), PdfPages(drawn, metadata=_NO_DATE[".pdf"]) as whole:
            for page in pages:
                whole.savefig(self.matplotlib(page))
        return drawn.getvalue()

    def _painted(self, page: Picture, suffix: str, dots_per_inch: int = _DOTS_PER_INCH) -> bytes:
        mpl = _matplotlib()
        drawn = io.BytesIO()
        with mpl.rc_context(_STYLE):
            self.matplotlib(page).savefig(
                drawn,
                format=suffix.removeprefix("."),
                dpi=dots_per_inch,
                metadata=_NO_DATE.get(suffix),
                **_FORMAT.get(suffix, {}),
            )
        return drawn.getvalue()

    def _repr_mimebundle_(self, **_selection: Any) -> dict[str, Any]:
        """Return the representations for notebooks: Vega-Lite, or else PNG or text."""
        return {
            _VEGA_LITE_MIME: self.vega_lite(),
            "image/png": self._painted(self.picture, ".png", dots_per_inch=110),
            "text/plain": repr(self),
        }


def _with_counted_clips(svg: str, prefix: str) -> str:
    """Rename the clip paths of an SVG by number, in order of appearance.

    matplotlib derives their names from exact coordinates, whose last digits may differ between
    renderings. The prefix distinguishes those of several pictures on one HTML page.
    """
    names: dict[str, str] = {}
    return _CLIP.sub(lambda found: names.setdefault(found[0], f"clip{prefix}{len(names) + 1}"), svg)


def _matplotlib() -> Any:
    need("plots", "a picture", "matplotlib")
    import matplotlib

    return matplotlib

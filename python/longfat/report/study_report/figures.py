"""Figures of a report, numbered in order, each with the command that draws it."""

import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from longfat.base.errors import LongfatError
from longfat.base.html import Html, element, folded, table
from longfat.base.location import DEFAULT_STORE
from longfat.plots import draw
from longfat.plots.data_table import data_table
from longfat.plots.figure import Figure
from longfat.plots.options import PLAIN, Options
from longfat.report.analysis import analysis_document, source_of_study
from longfat.report.study_report.contents import Contents
from longfat.report.study_report.parts import ChosenRun, PartAnalysis, names_of, results_of
from longfat.results.comparison import TableComparison
from longfat.results.ledger import ledger_rows

_MOST_CSV_BYTES = 24_000
"""Largest CSV embedded in the report; for larger data it only has the command."""
_PLAIN = " ,.;:=+-_()[]/*"
"""Characters that are not percent-encoded in a data URL."""


class Figures:
    """Collects the Vega-Lite specifications of a page, by name."""

    def __init__(self) -> None:
        self.specifications: dict[str, dict[str, Any]] = {}

    def of_study(self, kind: str, contents: Contents, group: Sequence[TableComparison]) -> Html:
        """Plot the tables of a group; empty if there is nothing to draw."""
        names = ",".join(names_of(group))
        output = ("-o", f"{kind}-{'-'.join(names_of(group))}.svg")
        command = contents.said.command(f"plot {kind}", *output, table=names)
        source: Any = group
        if kind == "ledger":
            source = ledger_rows(results_of(group, contents.results))
        options = Options(levels=contents.study.named_levels)
        return self._drawn(kind, source, command, options)

    def of_analysis(self, kind: str, contents: Contents, part: PartAnalysis) -> Html:
        """Plot an analysis; empty if there is nothing to draw."""
        source = source_of_study(contents.said.study, contents.study)
        document = analysis_document(part.analysis, source)
        command = f"{contents.analyze(part, '--json')} | longfat plot {kind} - -o {kind}.svg"
        return self._drawn(kind, document, command)

    def of_run(self, kind: str, contents: Contents, chosen: ChosenRun) -> Html:
        """Plot the traces of a run; empty without traces."""
        run_id = chosen.run.scenario.run_id
        traces = contents.watched.get(run_id)
        if traces is None:
            return Html("")
        folder = f"traces-{run_id[:12]}"
        command = f"{trace_command(contents, run_id)} && longfat plot {kind} {folder} -o {kind}.svg"
        return self._drawn(kind, [traces], command)

    def _drawn(self, kind: str, source: Any, command: str, options: Options = PLAIN) -> Html:
        try:
            figure = draw(kind, source, options, command)
        except LongfatError:  # nothing to draw, such as interactions of a single factor
            return Html("")
        return self._element(figure)

    def _element(self, figure: Figure) -> Html:
        number = len(self.specifications) + 1
        name = f"figure-{number}"
        self.specifications[name] = figure.vega_lite()
        return element(
            "figure",
            element("div", class_="drawing", id=name, role="img", aria_label=figure.summary),
            element(
                "figcaption",
                element("b", f"Figure {number}. "),
                f"{figure.sentence} ",
                element("code", figure.command),
                _data(figure, f"Data of figure {number}"),
            ),
        )


def trace_command(contents: Contents, run_id: str) -> str:
    """Return the command that repeats a stored run with traces."""
    store = contents.said.store or DEFAULT_STORE
    again = ["longfat", "run", "--from", store, run_id[:12], "--trace", f"traces-{run_id[:12]}"]
    return shlex.join(again)


def _data(figure: Figure, title: str) -> Html:
    """Return the plotted rows, folded: as a table, and as CSV to save unless that is too large."""
    found = data_table(figure.rows)
    said = [_SUMMARIZED.format(found.drawn_rows)] if found.drawn_rows else []
    text = quote(figure.csv(), safe=_PLAIN)
    if len(text) <= _MOST_CSV_BYTES:
        address = f"data:text/csv;charset=utf-8,{text}"
        said.append(element("a", "Save as CSV", download=f"{figure.kind}.csv", href=address))
    return folded(title, element("p", *said), table(found.header, found.rows, title))


_SUMMARIZED = "A summary of the {:,} rows drawn. "

"""Plots by name in a notebook."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longfat.notebook.studies import AnalysisAtHand, StudyAtHand
from longfat.plots import Options, draw, find
from longfat.plots.figure import Figure
from longfat.traces import Traces, load_traces

Drawable = (
    Traces | str | Path | Sequence[Traces | str | Path] | StudyAtHand | AnalysisAtHand
    | Mapping[str, Any]
)  # fmt: skip
"""Runs with their traces (or the folders of these), a study, or an analysis."""


def plot(kind: str, source: Drawable, **options: Any) -> Figure:
    """The plot of this name; `options` are those of `longfat plot`, such as ``flow=2``.

    Raises `LongfatError` for an unknown name, with the nearest one, and for a source that is not
    what the plot shows.
    """
    wants = find(kind).SOURCE
    if isinstance(source, StudyAtHand):
        return source.plot(kind, **options)
    if isinstance(source, AnalysisAtHand):
        return source.plot(kind)
    if wants == "traces" and not isinstance(source, Mapping):
        runs = [source] if isinstance(source, Traces | str | Path) else list(source)
        opened = [each if isinstance(each, Traces) else load_traces(each) for each in runs]
        return draw(kind, opened, Options(**options))
    return draw(kind, source, Options(**options))

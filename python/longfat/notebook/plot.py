"""Plots by name in a notebook."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longfat.base.errors import LongfatError
from longfat.notebook.study import WHAT_PLOTS_SHOW, Study, StudyAnalysis
from longfat.plots import draw, find
from longfat.plots.figure import Figure
from longfat.plots.options import STUDY_SOURCES, Options
from longfat.traces import Traces, load_traces

Drawable = (
    Traces | str | Path | Sequence[Traces | str | Path] | Study | StudyAnalysis
    | Mapping[str, Any]
)  # fmt: skip
"""Source of a plot: runs with traces (or their folders), a study, an analysis, or the path of a
description of orbits."""


def plot(kind: str, source: Drawable, **options: Any) -> Figure:
    """Draw the plot of this name; `options` are those of `longfat plot`, such as ``flow=2``.

    Raises `LongfatError` for an unknown name, with the nearest one, and for a source of another
    type than the plot takes.
    """
    wants = find(kind).SOURCE
    if wants in STUDY_SOURCES and isinstance(source, Study):
        return source.plot(kind, **options)
    if wants == "analysis" and isinstance(source, StudyAnalysis):
        return source.plot(kind)
    if wants == "analysis" and isinstance(source, Mapping):
        return draw(kind, source, Options(**options))
    if wants == "orbit" and isinstance(source, str | Path):
        from longfat.schedules.orbit import orbits_at

        return draw(kind, orbits_at(Path(source)), Options(**options))
    if wants == "traces" and (runs := _runs(source)):
        opened = [each if isinstance(each, Traces) else load_traces(each) for each in runs]
        return draw(kind, opened, Options(**options))
    raise LongfatError(f"{kind} shows {WHAT_PLOTS_SHOW[wants]}, not {type(source).__name__}")


def _runs(source: object) -> list[Traces | str | Path]:
    """Return one run or several as a list; empty for any other object."""
    runs = [source] if isinstance(source, Traces | str | Path) else source
    if not isinstance(runs, Sequence):
        return []
    found = [run for run in runs if isinstance(run, Traces | str | Path)]
    return found if len(found) == len(runs) else []

"""Runs with traces in a notebook."""

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

from longfat.running.execution import Watch
from longfat.running.limits import Limits
from longfat.running.run import run
from longfat.scenarios.scenario import OverrideValue, ScenarioSource, load_scenario
from longfat.traces import Traces, load_traces


class TracedRun(Traces):
    """The traces of a run; their files are deleted with the object."""

    def __init__(self, folder: Path) -> None:
        loaded = load_traces(folder)
        super().__init__(loaded.folder, loaded.description)
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def _repr_html_(self) -> str:
        return self.record._repr_html_()


def traced(
    scenario: ScenarioSource,
    overrides: Mapping[str, OverrideValue] | None = None,
    *,
    limits: Limits | None = None,
) -> TracedRun:
    """Simulate a scenario and record its time series for `longfat.plot`.

    `overrides` sets values by path. Raises as `longfat.load_scenario` and `longfat.run` do.
    """
    chosen = load_scenario(scenario, overrides)
    folder = Path(tempfile.mkdtemp(prefix="longfat-"))
    try:
        run(chosen, limits=limits, watch=Watch(traces=folder))
        return TracedRun(folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise

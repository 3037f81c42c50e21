"""A run in a notebook, with traces."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longfat.execution import Watch
from longfat.limits import Limits
from longfat.notebook.display import record_html
from longfat.scenario import Scenario, load_scenario, run
from longfat.traces import Traces, load_traces


class TracedRun(Traces):
    """The traces of a run that was watched for them; the files go when the object does."""

    def __init__(self, folder: tempfile.TemporaryDirectory[str]) -> None:
        loaded = load_traces(Path(folder.name) / "traces")
        super().__init__(loaded.folder, loaded.description)
        object.__setattr__(self, "_kept", folder)

    def _repr_html_(self) -> str:
        return record_html(self.record)


def traced(
    scenario: Scenario | str | Path | Mapping[str, Any],
    overrides: Mapping[str, str | int | float | bool] | None = None,
    *,
    limits: Limits | None = None,
) -> TracedRun:
    """Simulate a scenario and keep what happens over time, for `longfat.plot`.

    Raises as `longfat.run` does.
    """
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario, overrides)
    folder = tempfile.TemporaryDirectory(prefix="longfat-")
    run(chosen, limits=limits, watch=Watch(traces=Path(folder.name) / "traces"))
    return TracedRun(folder)

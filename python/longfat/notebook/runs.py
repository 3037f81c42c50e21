"""One run in a notebook: its record as an object, and with traces."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longfat.execution import Watch
from longfat.limits import Limits
from longfat.notebook.display import record_html
from longfat.scenario import Scenario, load_scenario, run
from longfat.traces import Traces, load_traces

if TYPE_CHECKING:
    import tempfile

    import polars


class Record(dict[str, Any]):
    """The record of a run: a dictionary, as `longfat run --json` prints it, that shows itself."""

    def flows(self) -> "polars.DataFrame":
        """A row for each flow; units are in the names of the columns."""
        return _frame(self["flows"])

    def ports(self) -> "polars.DataFrame":
        """A row for each managed port."""
        return _frame(self["ports"])

    def ledger(self) -> "polars.DataFrame":
        """Where the bottleneck's time went: a row for each cause, in picoseconds and as a share."""
        return _frame(self["ledger"])

    def _repr_html_(self) -> str:
        return record_html(self)


class TracedRun(Traces):
    """The traces of a run that was watched for them; the files go when the object does."""

    def __init__(self, folder: "tempfile.TemporaryDirectory[str]") -> None:
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
    import tempfile  # most runs need none

    folder = tempfile.TemporaryDirectory(prefix="longfat-")
    run(chosen, limits=limits, watch=Watch(traces=Path(folder.name) / "traces"))
    return TracedRun(folder)


def _frame(rows: list[dict[str, Any]]) -> "polars.DataFrame":
    import polars

    return polars.DataFrame(rows, infer_schema_length=None)

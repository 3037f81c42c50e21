"""longfat: a deterministic simulator of transport protocols over long fat networks.

```python
import longfat

scenario = longfat.load_scenario("lan.toml", {"topology.sources": 15})
record = longfat.run(scenario)
print(record["metrics"]["efficiency"])

study = longfat.study("ubr-plus", quick=True).run()
study.compare()                               # frames are polars
study.plot("efficiency-fairness")             # plots show themselves in notebooks
longfat.plot("cwnd", longfat.traced(scenario))
```
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing takes its time: see longfat.cli.start
if TYPE_CHECKING:
    from longfat._engine import max_min_shares
    from longfat.base.errors import (
        DriverUnfit,
        Interrupted,
        InvalidInput,
        LongfatError,
        OverLimit,
        RunFailed,
    )
    from longfat.controls import use_control
    from longfat.notebook.plot import plot
    from longfat.notebook.study import Study, StudyAnalysis, study
    from longfat.notebook.traced import TracedRun, traced
    from longfat.plots.figure import Figure
    from longfat.records.record import Record
    from longfat.running.execution import Progress, Watch
    from longfat.running.limits import Limits
    from longfat.running.run import run
    from longfat.running.searching import smallest_setting
    from longfat.scenarios.scenario import Scenario, load_scenario
    from longfat.statistics.harm import harm_to_less_is_better, harm_to_more_is_better
    from longfat.statistics.histogram import Histogram
    from longfat.statistics.smallest import Found, smallest_enough
    from longfat.store import Store
    from longfat.traces import Traces, load_traces

    __version__: str

__all__ = [
    "DriverUnfit",
    "Figure",
    "Found",
    "Histogram",
    "Interrupted",
    "InvalidInput",
    "Limits",
    "LongfatError",
    "OverLimit",
    "Progress",
    "Record",
    "RunFailed",
    "Scenario",
    "Store",
    "Study",
    "StudyAnalysis",
    "TracedRun",
    "Traces",
    "Watch",
    "__version__",
    "harm_to_less_is_better",
    "harm_to_more_is_better",
    "load_scenario",
    "load_traces",
    "max_min_shares",
    "plot",
    "run",
    "smallest_enough",
    "smallest_setting",
    "study",
    "traced",
    "use_control",
]

_MODULES = {
    "_engine": ("max_min_shares",),
    "base.errors": (
        *("DriverUnfit", "Interrupted", "InvalidInput", "LongfatError", "OverLimit", "RunFailed"),
    ),
    "controls": ("use_control",),
    "notebook.plot": ("plot",),
    "notebook.study": ("Study", "StudyAnalysis", "study"),
    "notebook.traced": ("TracedRun", "traced"),
    "plots.figure": ("Figure",),
    "records.record": ("Record",),
    "running.execution": ("Progress", "Watch"),
    "running.limits": ("Limits",),
    "running.run": ("run",),
    "running.searching": ("smallest_setting",),
    "scenarios.scenario": ("Scenario", "load_scenario"),
    "statistics.harm": ("harm_to_less_is_better", "harm_to_more_is_better"),
    "statistics.histogram": ("Histogram",),
    "statistics.smallest": ("Found", "smallest_enough"),
    "store": ("Store",),
    "traces": ("Traces", "load_traces"),
}
"""Module below `longfat` of each public name."""


if not TYPE_CHECKING:  # which would else believe in any name

    def __getattr__(name: str) -> object:
        """Import a public name on first use, so that `longfat --help` pays for none of them."""
        if name == "__version__":
            from importlib.metadata import version

            return version("longfat")
        module = next((module for module, names in _MODULES.items() if name in names), None)
        if module is None:
            raise AttributeError(f"module 'longfat' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"longfat.{module}"), name)


def __dir__() -> list[str]:
    """Return the public names for completion, imported or not."""
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations"})

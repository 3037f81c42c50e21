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

TYPE_CHECKING = False  # as mypy knows it; to load typing takes as long as to start Python
if TYPE_CHECKING:
    from typing import Any

    from longfat._engine import max_min_shares
    from longfat.base.errors import InvalidInput, LongfatError
    from longfat.controls import use_control
    from longfat.notebook.plot import plot
    from longfat.notebook.studies import StudyAtHand as study  # noqa: N813
    from longfat.notebook.traced import TracedRun, traced
    from longfat.records.record import Record
    from longfat.running.run import run
    from longfat.scenarios.scenario import Scenario, load_scenario
    from longfat.searching import smallest_setting
    from longfat.study import Study, load_study
    from longfat.traces import Traces, load_traces

    __version__: str

__all__ = [
    "InvalidInput",
    "LongfatError",
    "Record",
    "Scenario",
    "Study",
    "TracedRun",
    "Traces",
    "__version__",
    "load_scenario",
    "load_study",
    "load_traces",
    "max_min_shares",
    "plot",
    "run",
    "smallest_setting",
    "study",
    "traced",
    "use_control",
]

_HOMES = {
    "InvalidInput": "longfat.base.errors",
    "LongfatError": "longfat.base.errors",
    "Scenario": "longfat.scenarios.scenario",
    "load_scenario": "longfat.scenarios.scenario",
    "run": "longfat.running.run",
    "smallest_setting": "longfat.searching",
    "max_min_shares": "longfat._engine",
    "use_control": "longfat.controls",
    "Study": "longfat.study",
    "load_study": "longfat.study",
    "Record": "longfat.records.record",
    "TracedRun": "longfat.notebook.traced",
    "traced": "longfat.notebook.traced",
    "plot": "longfat.notebook.plot",
    "Traces": "longfat.traces",
    "load_traces": "longfat.traces",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `longfat --help` pays for none of them."""
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        return version("longfat")
    if name == "study":  # the module, which can be called
        return import_module("longfat.study")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'longfat' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What notebooks complete: the public names, imported or not."""
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations"})

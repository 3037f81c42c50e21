"""longfat: a deterministic simulator of transport protocols over long fat networks.

```python
import longfat

scenario = longfat.load_scenario("lan.toml", {"topology.sources": 15})
record = longfat.run(scenario)
print(record["metrics"]["efficiency"])
```
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longfat._engine import InvalidInput, max_min_shares
    from longfat.errors import LongfatError
    from longfat.scenario import Scenario, load_scenario, run
    from longfat.study import Study, load_study

    __version__: str

__all__ = [
    "InvalidInput",
    "LongfatError",
    "Scenario",
    "Study",
    "__version__",
    "load_scenario",
    "load_study",
    "max_min_shares",
    "run",
]

_HOMES = {
    "InvalidInput": "longfat._engine",
    "LongfatError": "longfat.errors",
    "Scenario": "longfat.scenario",
    "load_scenario": "longfat.scenario",
    "run": "longfat.scenario",
    "max_min_shares": "longfat._engine",
    "Study": "longfat.study",
    "load_study": "longfat.study",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `longfat --help` pays for none of them."""
    if name == "__version__":
        from importlib.metadata import version

        return version("longfat")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'longfat' has no attribute {name!r}")

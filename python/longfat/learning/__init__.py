"""Learned congestion control: many simulations in parallel that wait for decisions.

```python
import longfat.learning

environments = longfat.learning.PathEnvironments(["path.toml"] * 8, interval_s=0.1)
observations, _ = environments.reset(seed=1)
observations, rewards, _, truncated, infos = environments.step(environments.action_space.sample())
```

Connections that learn have the flavor `{ kind = "external", control = "learner" }` in their
scenario. In studies a trained policy runs as a control that decides at intervals
(`longfat.use_control`).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longfat.learning.environments import PathEnvironment, PathEnvironments
    from longfat.learning.episodes import Episodes, Step
    from longfat.learning.signals import RELATIVE, column, power, relative

__all__ = [
    "RELATIVE",
    "Episodes",
    "PathEnvironment",
    "PathEnvironments",
    "Step",
    "column",
    "power",
    "relative",
]

_HOMES = {
    "RELATIVE": "longfat.learning.signals",
    "Episodes": "longfat.learning.episodes",
    "PathEnvironment": "longfat.learning.environments",  # needs Gymnasium
    "PathEnvironments": "longfat.learning.environments",
    "Step": "longfat.learning.episodes",
    "column": "longfat.learning.signals",
    "power": "longfat.learning.signals",
    "relative": "longfat.learning.signals",
}


if not TYPE_CHECKING:  # which would else believe in any name

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

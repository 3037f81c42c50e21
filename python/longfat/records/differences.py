"""Known differences from Linux, for those who use a control of a Linux host on such a path."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longfat.scenarios.resolved import controls_of_linux

EXPLAINED = Path(__file__).parents[1] / "shipped" / "linux" / "explained.toml"


@dataclass(frozen=True)
class Explanation:
    """An entry of the file of known differences."""

    experiment: str
    measure: str
    reason: str
    source: str
    controls: tuple[str, ...] = ()
    """Flavors whose users are told of the difference; none if the model is not its reason."""
    least_rate_mbit: float = 0.0
    """Rate of the bottleneck from which on they are told."""


def explanations() -> list[Explanation]:
    """Return the known differences with their reasons in the kernel's source."""
    return [Explanation(**entry) for entry in tomllib.loads(EXPLAINED.read_text())["explained"]]


def notices(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[str]:
    """Yield one sentence for each explained difference that concerns a resolved scenario.

    Those are the entries of the file of explanations whose `controls` the scenario has with the
    kernel's arithmetic, over a bottleneck of at least `least_rate_mbit`.
    """
    kernel = controls_of_linux(settings)
    if not kernel:
        return
    rates = [port["rate_bps"] for port in network["ports"] if port["is_bottleneck"]]
    fastest_mbit = max(rates, default=0) / 1e6
    for entry in explanations():
        if fastest_mbit >= entry.least_rate_mbit:
            for control in sorted(kernel.intersection(entry.controls)):
                yield (
                    f"{control} in Linux had another {entry.measure} on such a path: {entry.reason}"
                    f" ({entry.source}; longfat verify linux --only {entry.experiment})"
                )

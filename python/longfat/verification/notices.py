"""Known differences from Linux, for those who use a control of a Linux host on such a path."""

from collections.abc import Iterator, Mapping
from typing import Any

from longfat.verification.bands import explanations


def notices(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[str]:
    """Yield one sentence for each explained difference that concerns a resolved scenario.

    Those are the entries of the file of explanations whose `controls` the scenario has with the
    kernel's arithmetic, over a bottleneck of at least `least_rate_mbit`.
    """
    kernel = _as_in_linux(settings)
    if not kernel:
        return
    rates = [port["rate_bps"] for port in network["ports"] if port["is_bottleneck"]]
    fastest_mbit = max(rates, default=0) / 1e6
    for entry in explanations():
        if fastest_mbit >= entry.least_rate_mbit:
            for control in kernel.intersection(entry.controls):
                yield (
                    f"{control} in Linux had another {entry.measure} on such a path: {entry.reason}"
                    f" ({entry.source}; longfat verify linux --only {entry.experiment})"
                )


def _as_in_linux(settings: Mapping[str, Any]) -> set[str]:
    others = settings.get("connections", [])
    groups = [settings["tcp"], *others, *(group["tcp"] for group in others if "tcp" in group)]
    flavors = [group["flavor"] for group in groups if "flavor" in group]
    return {flavor["kind"] for flavor in flavors if flavor.get("arithmetic") == "linux"}

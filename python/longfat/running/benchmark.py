"""Benchmark of the simulator: standard scenarios, timed with each driver."""

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longfat.base.errors import LongfatError
from longfat.running.execution import Driver
from longfat.running.run import run
from longfat.scenarios.scenario import Scenario, load_scenario

SCENARIOS = Path(__file__).parents[1] / "shipped" / "benchmarks"
DRIVERS: tuple[Driver, ...] = ("events", "fast")


@dataclass(frozen=True)
class Speed:
    """The median cost of a scenario with one driver.

    `cpu_s` is the CPU time of a whole run in seconds, including set-up and record.
    """

    scenario: str
    driver: str
    cpu_s: float
    cell_hops: int
    packet_hops: int

    @property
    def cell_hops_per_cpu_s(self) -> float:
        """Cells carried per CPU second, counted on each link."""
        return self.cell_hops / self.cpu_s

    @property
    def packet_hops_per_cpu_s(self) -> float:
        """Packets carried per CPU second, counted on each link."""
        return self.packet_hops / self.cpu_s


def names() -> list[str]:
    """Return the names of the benchmark scenarios."""
    return sorted(path.stem for path in SCENARIOS.glob("*.toml"))


def chosen(words: Sequence[str]) -> list[str]:
    """Return the names that contain all `words`. Raises `LongfatError` if none does."""
    found = [name for name in names() if all(word in name for word in words)]
    if not found:
        wanted = " and ".join(repr(word) for word in words)
        raise LongfatError(f"no scenario has {wanted} in its name; there are {', '.join(names())}")
    return found


def measure(chosen_names: Sequence[str], repeat: int) -> Iterator[Speed]:
    """Time scenarios `repeat` times with each driver, alternating to share the machine's load."""
    for name in chosen_names:
        scenario = load_scenario(SCENARIOS / f"{name}.toml")
        taken: dict[Driver, list[float]] = {driver: [] for driver in DRIVERS}
        for _ in range(repeat):
            for driver, seconds in taken.items():
                work, cpu_s = _timed(scenario, driver)
                seconds.append(cpu_s)
        for driver, seconds in taken.items():
            median = statistics.median(seconds)
            yield Speed(name, driver, median, work["cell_hops"], work["packet_hops"])


def _timed(scenario: Scenario, driver: Driver) -> tuple[dict[str, int], float]:
    before = time.process_time()
    record = run(scenario, driver=driver)
    return record["work"], time.process_time() - before

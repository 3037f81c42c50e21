"""Traces are the same to the byte, whichever driver has advanced time."""

from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.execution import Driver, Watch
from tests.traces.conftest import Watched

OF_EVERY_CELL = {"queue-by-flow", "capacity"}


def leave(driver: Driver, scenario: Path, folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """Run a scenario by a driver; the files of its traces, by name."""
    watch = Watch(traces=folder / driver, names=names, error=0.0)
    run(load_scenario(scenario), watch=watch, driver=driver)  # raises for another driver
    return {file.name: file.read_bytes() for file in (folder / driver).glob("*.parquet")}


def test_traces_that_need_not_every_cell_are_the_same_by_both_drivers(
    watched: Watched, tmp_path: Path
) -> None:
    names = tuple(name for name in watched.exact.names if name not in OF_EVERY_CELL)
    fast = leave("fast", watched.scenario, tmp_path, names)
    assert len(fast) == len(names) > 10
    assert watched.exact.table("queue").height > 1000
    assert fast == leave("events", watched.scenario, tmp_path, names)


@pytest.mark.parametrize("name", sorted(OF_EVERY_CELL))
def test_traces_of_every_cell_come_from_events(name: str, watched: Watched, tmp_path: Path) -> None:
    watch = Watch(traces=tmp_path / "traces", names=(name,))
    work = run(load_scenario(watched.scenario), watch=watch)["work"]
    assert (work["driver"], work["handed_over"]) == ("events", "an observer sees every event")

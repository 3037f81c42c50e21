"""Traces are identical to the byte under both drivers."""

from pathlib import Path

from longfat import load_scenario, run
from longfat.running.execution import Driver, Watch
from tests.traces.conftest import Watched


def leave(driver: Driver, scenario: Path, folder: Path, names: tuple[str, ...]) -> dict[str, bytes]:
    """Run a scenario by a driver; the files of its traces, by name."""
    watch = Watch(traces=folder / driver, names=names, error=0.0)
    run(load_scenario(scenario), watch=watch, driver=driver)  # raises for another driver
    return {file.name: file.read_bytes() for file in (folder / driver).glob("*.parquet")}


def test_traces_are_the_same_by_both_drivers(watched: Watched, tmp_path: Path) -> None:
    names = tuple(watched.exact.names)
    fast = leave("fast", watched.scenario, tmp_path, names)
    assert len(fast) == len(names) > 12
    assert watched.exact.table("queue").height > 1000
    assert fast == leave("events", watched.scenario, tmp_path, names)


def test_a_queue_is_the_same_with_traces_that_need_every_slot_and_without(
    watched: Watched, tmp_path: Path
) -> None:
    """The recorder has a separate path for rounds of many slots."""
    every_slot = leave("fast", watched.scenario, tmp_path / "all", ("queue", "queue-by-flow"))
    in_rounds = leave("fast", watched.scenario, tmp_path / "rounds", ("queue",))
    assert in_rounds == {"queue.parquet": every_slot["queue.parquet"]}


def test_a_capture_comes_from_events(watched: Watched, tmp_path: Path) -> None:
    watch = Watch(pcap=tmp_path / "run.pcapng")
    work = run(load_scenario(watched.scenario), watch=watch)["work"]
    assert (work["driver"], work["handed_over"]) == ("events", "an observer sees every event")

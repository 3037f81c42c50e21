"""An untrusted scenario uses at most its limits, and is refused before if it would exceed them."""

import re
import time
from pathlib import Path

import pytest

from longfat import LongfatError, _engine, load_scenario, run
from longfat.base.errors import RunFailed
from longfat.running.limits import Limits
from tests.support import Longfat

NONE = Limits()

BUSY = {"duration": "1 s", "port.policy": "tail-drop", "port.buffer": "3000 cells"}
"""Settings that keep the bottleneck busy."""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["events=1e9"], Limits(events=10**9)),
        (["events = 12"], Limits(events=12)),
        (["wall=1.5 min"], Limits(wall_seconds=90.0)),
        (["memory=2 GiB"], Limits(memory_bytes=2**31)),
        (["memory=1.5MB"], Limits(memory_bytes=1_500_000)),
        (["wall=100ms"], Limits(wall_seconds=0.1)),
        (["events=5", "wall=1s"], Limits(events=5, wall_seconds=1.0)),
        (["events=5", "events=none"], Limits()),
    ],
)
def test_limits_are_given_with_their_units(given: list[str], expected: Limits) -> None:
    assert NONE.changed(given) == expected


@pytest.mark.parametrize(
    "given",
    ["events", "events=", "events=many", "events=0", "events=-5", "events=nan", "events=1e30",
     "wall=5", "wall=5 h s", "wall=5ks", "wall=0 s", "memory=k5 GiB",
     "memory=2", "memory=2 s", "cells=5", "=5"],
)  # fmt: skip
def test_a_text_that_is_no_limit_is_refused(given: str) -> None:
    with pytest.raises(LongfatError, match=f"--limit {re.escape(given)}: .*expected"):
        NONE.changed([given])


def test_the_machine_has_limits() -> None:
    limits = Limits.of_machine()
    assert limits.memory_bytes is not None
    assert 2**27 < limits.memory_bytes < 2**50
    assert limits.events == 10**12


@pytest.mark.parametrize(
    ("settings", "limits", "words"),
    [
        ({"duration": "8000000 s"}, Limits(events=10**12), ["duration", "events"]),
        ({"topology.sources": 100_000}, Limits(memory_bytes=10**8), ["topology.sources", "MiB"]),
        (
            {"tcp.receiver_window": "1 GB", "port.buffer": "unlimited", "duration": "1000 s"},
            Limits(memory_bytes=10**8),
            ["tcp.receiver_window", "iB of memory"],
        ),
        (
            {
                "tcp.receiver_window": "1 GB",
                "port.buffer": "99000000 cells",
                "duration": "1000 s",
                "topology.sources": 1000,
            },
            Limits(memory_bytes=10**8),
            ["port.buffer", "GiB"],
        ),
    ],
)
def test_what_is_beyond_a_limit_is_refused_at_once_with_the_key_to_change(
    scenario_file: Path, settings: dict[str, str | int], limits: Limits, words: list[str]
) -> None:
    scenario = load_scenario(scenario_file, settings)
    started = time.process_time()
    with pytest.raises(LongfatError, match="--limit") as caught:
        run(scenario, limits=limits)
    assert time.process_time() - started < 2
    assert str(caught.value).startswith(f"{words[0]}: ")
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(events=20_000), r"limit of 20000 events, at 0\.\d+ s of 1 s \(--limit events="),
        (Limits(memory_bytes=10_000), r"limit of 10000 bytes.*--limit memory="),
        (Limits(wall_seconds=1e-9), r"limit of 0\.000000001 s.*--limit wall="),
    ],
)
def test_a_run_that_reaches_a_limit_stops_and_says_so(
    scenario_file: Path, limits: Limits, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load_scenario(scenario_file, BUSY)
    monkeypatch.setattr(Limits, "refuse", lambda *_: None)  # as if the estimate had been too low
    with pytest.raises(RunFailed, match=words):
        run(scenario, limits=limits)


def test_a_long_run_is_looked_at_as_often_as_much_happens_in_it(
    scenario_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load_scenario(scenario_file, {**BUSY, "duration": "100 s"})
    monkeypatch.setattr(Limits, "refuse", lambda *_: None)
    with pytest.raises(RunFailed, match=r"limit of 20000 events, at 0\.\d+ s of 100 s"):
        run(scenario, limits=Limits(events=20_000))


def test_limits_change_nothing_of_a_run_that_keeps_them(
    scenario_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = load_scenario(scenario_file, BUSY)
    record = run(scenario, limits=NONE)
    events = record["work"]["events"]
    monkeypatch.setattr(Limits, "refuse", lambda *_: None)
    assert run(scenario, limits=Limits(events, 100.0, 10**8)) == record
    with pytest.raises(RunFailed):
        run(scenario, limits=Limits(events=events - 1))


@pytest.mark.parametrize(
    "settings",
    [
        {"duration": "2 s", "topology.sources": 15},
        {"duration": "2 s", "port.policy": "tail-drop", "port.buffer": "3000 cells"},
        {"duration": "4 s", "framing": "packet", "port.buffer": "100 packets",
         "port.policy": "tail-drop"},
        {"duration": "4 s", "tcp.flavor": "sack", "tcp.receiver_window": "600000 B",
         "topology.bottleneck.delay": "5 ms", "port.buffer": "12000 cells"},
    ],
)  # fmt: skip
def test_the_estimate_is_right_within_a_factor_of_a_few(
    scenario_file: Path, settings: dict[str, str | int]
) -> None:
    scenario = load_scenario(scenario_file, settings)
    events, memory_bytes, *_ = _engine.scenario_cost(scenario.resolved)
    record = run(scenario, limits=Limits(memory_bytes=int(2 * memory_bytes)))
    assert 0.2 < record["work"]["events"] / events < 2


MANY: dict[str, str | int] = {
    "topology.sources": 70_000,
    "framing": "packet",
    "port.buffer": "100 packets",
    "port.policy": "tail-drop",
}


def test_the_estimate_of_many_connections_comes_from_their_beginning(scenario_file: Path) -> None:
    """A full buffer drops most first windows, which lines that are always busy do not show."""
    scenario = load_scenario(scenario_file, MANY | {"duration": "2 ms"})
    events, *_ = _engine.scenario_cost(scenario.resolved)
    assert run(scenario)["work"]["events"] == events


def test_no_run_is_begun_for_an_estimate_that_its_limit_of_memory_does_not_allow(
    scenario_file: Path,
) -> None:
    resolved = load_scenario(scenario_file, MANY | {"duration": "20 s"}).resolved
    if_busy = _engine.scenario_cost_if_busy(resolved)
    assert _engine.scenario_cost(resolved, 2**20) == if_busy
    assert _engine.scenario_cost(resolved) != if_busy


def test_the_verbs_take_limits(longfat: Longfat, scenario_file: Path, study_folder: Path) -> None:
    refused = longfat("run", scenario_file, "--limit", "events=10")
    assert refused.returncode == 2
    assert refused.stderr.startswith("duration: a run would take about ")

    study = longfat("study", "run", study_folder, "--quick", "--limit", "memory=100 B")
    assert study.returncode == 2
    assert "a run would take about" in study.stderr
    assert "the limit is 100 B" in study.stderr

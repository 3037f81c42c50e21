"""The instructions of runs stay as recorded; the engine's tests count all else."""

from pathlib import Path

import pytest
from benchmarks.profile import (
    Profile,
    Unmeasurable,
    differences,
    kept,
    measure,
    object_to_machine,
    page,
)
from benchmarks.traces import command_instructions

SCENARIOS = Path(__file__).parent.parent / "benchmarks" / "scenarios"


def test_the_kept_counts_are_of_every_scenario_with_each_driver() -> None:
    expected = {
        f"{path.stem} {by}" for path in SCENARIOS.glob("*.toml") for by in ("events", "fast")
    }
    assert set(kept()[1]) == expected


def test_runs_take_the_instructions_that_they_did() -> None:
    try:
        object_to_machine()
        names = ("lan-5", "packets-5", "wan-15-fba")  # `make bench` counts all
        profiles = [measure(SCENARIOS / f"{name}.toml", "fast") for name in names]
        found = differences(profiles, complete=False)
    except Unmeasurable as reason:
        pytest.skip(str(reason))
    assert not found


def test_all_traces_cost_less_than_the_run() -> None:
    try:
        # `python -m benchmarks.traces` measures all, without an interpreter.
        cost = command_instructions(SCENARIOS / "lan-5.toml")
    except Unmeasurable as reason:
        pytest.skip(str(reason))
    assert cost.without > 1e7
    assert 1.1 < cost.ratio < 2


def test_a_page_has_shares_that_sum_to_all() -> None:
    profile = Profile("lan", "fast", 100, 10, 5)
    profile.of_places.update({"crates/network/src/link.rs": 30, "malloc": 20, "elsewhere": 50})
    events = Profile("lan", "events", 400, 10, 5)
    text = page([profile, events])
    assert "| `lan` | 40 | 10.0 | 20 | 4.0 |" in text
    assert "| lines and packets | 30% |" in text
    assert "| other | 50% |" in text

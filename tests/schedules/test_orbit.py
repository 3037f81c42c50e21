"""Schedules of paths over satellites: rows, outages, gaps and directions, and graphs of them."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from longfat import _engine
from longfat.schedules import import_files
from longfat.schedules.measured import Measured
from longfat.schedules.options import Options
from tests.orbits.descriptions import LONDON, NEW_YORK, PARIS, description, path_between, text_of
from tests.schedules.specimens import EXAMPLES, printed, schedule

GRID = "handover = { rule = 'nearest', every = '15 s', offset = '12 s'"


def imported(folder: Path, text: str, between: str | None = None) -> Measured:
    (folder / "orbit.toml").write_text(text)
    return import_files("orbit", {"file": folder / "orbit.toml"}, Options(between=between))


def test_a_row_has_the_delay_at_its_step(tmp_path: Path) -> None:
    more = "duration = '30 s'\nstep = '500 ms'"
    found = imported(tmp_path, text_of(LONDON, PARIS, more=more))
    expected = path_between(description(LONDON, PARIS, more=more)).delay_s.tolist()
    assert found.times_s == tuple(step / 2 for step in range(60))
    assert found.up == found.down
    assert found.up.delay_s == pytest.approx(expected, abs=1e-9)
    assert set(found.up.loss or ()) == {0}
    assert found.notes == ()


def test_each_direction_has_the_delay_that_is_added_to_it(tmp_path: Path) -> None:
    more = "duration = '2 s'\nadded_up = '3 ms'\nadded_down = '500 us'"
    found = imported(tmp_path, text_of(LONDON, PARIS, more=more))
    orbit = path_between(description(LONDON, PARIS, more=more)).delay_s
    assert found.up.delay_s == pytest.approx(orbit + 0.003, abs=1e-9)
    assert found.down.delay_s == pytest.approx(orbit + 0.0005, abs=1e-9)


def test_a_change_of_satellite_begins_with_a_gap(tmp_path: Path) -> None:
    more = f"duration = '60 s'\n{GRID}, gap = '40 ms' }}"
    found = imported(tmp_path, text_of(LONDON, PARIS, more=more))
    changes = path_between(description(LONDON, PARIS, more=more)).handovers
    assert changes
    assert found.up.loss is not None
    lost = [time for time, loss in zip(found.times_s, found.up.loss, strict=True) if loss]
    assert lost == changes
    assert {step + 0.04 for step in changes} <= set(found.times_s)
    assert len(found.times_s) == 60 + len(changes)


def test_packets_that_are_held_wait_at_a_rate_of_zero(tmp_path: Path) -> None:
    held = "outage = { kind = 'held', rate_up = '20 Mbit/s', rate_down = '200 Mbit/s' }"
    more = f"duration = '60 s'\n{held}\n{GRID}, gap = '40 ms' }}"
    found = imported(tmp_path, text_of(LONDON, PARIS, more=more))
    assert found.up.loss is None
    assert set(found.up.rate_bps or ()) == {0, 20_000_000}
    assert set(found.down.rate_bps or ()) == {0, 200_000_000}


def test_without_a_path_packets_are_lost_and_the_delay_is_the_last_one(tmp_path: Path) -> None:
    """A single plane passes: a path is there for a part of the time only."""
    shells = "kind = 'walker', walker = '53: 22/1/0', altitude_km = 550, first_node_deg = 160"
    more = "duration = '90 min'\nstep = '10 s'"
    given = description(LONDON, PARIS, shells=shells, more=more)
    found = imported(tmp_path, text_of(LONDON, PARIS, shells=shells, more=more))
    is_known = path_between(given).length_km > 0
    assert 0 < is_known.sum() < given.steps
    assert found.up.loss == tuple(0.0 if known else 1.0 for known in is_known)
    assert found.up.delay_s is not None
    for step in range(1, given.steps):
        if not is_known[step]:
            assert found.up.delay_s[step] == found.up.delay_s[step - 1]
    without = given.steps - int(is_known.sum())
    (note,) = found.notes
    assert note.endswith(f"no satellites join the stations at {without} steps of 540")


def test_stations_are_chosen_by_name(tmp_path: Path) -> None:
    text = text_of(LONDON, PARIS, NEW_YORK, more="duration = '1 s'")
    assert imported(tmp_path, text, "London,Paris").up == imported(tmp_path, text).up
    # Who chooses the nearest is the first station.
    expected = path_between(description(LONDON, PARIS, more="duration = '1 s'"), 1, 0)
    found = imported(tmp_path, text, "Paris,London").up.delay_s
    assert found == pytest.approx(expected.delay_s, abs=1e-9)


@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("London", "--between: expected two stations, such as A,B, found 'London'"),
        ("London,London", "--between: expected two stations"),
        ("London,Pariss", "no station is called 'Pariss'; did you mean 'Paris'?"),
        ("London,,Paris", "--between: an empty name"),
    ],
)
def test_other_stations_are_refused(tmp_path: Path, between: str, message: str) -> None:
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, PARIS))
    done = schedule("from-orbit", tmp_path / "orbit.toml", "--between", between)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_stations_that_no_satellite_joins_are_told(tmp_path: Path) -> None:
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, NEW_YORK, more="duration = '1 s'"))
    done = schedule("from-orbit", tmp_path / "orbit.toml")
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.search("no satellites join the stations at any step; lower the mask", done.stderr)


def test_a_graph_has_a_link_for_each_pair_and_runs(tmp_path: Path) -> None:
    more = "duration = '30 s'\nlinks = 'isl'\nhandover = { rule = 'shortest', every = '15 s' }"
    text = text_of(LONDON, PARIS, NEW_YORK, more=more)
    (tmp_path / "orbit.toml").write_text(text)
    graph = "\n".join(printed("orbit-graph", tmp_path / "orbit.toml", "--rate", "50 Mbit/s"))
    written = tomllib.loads(graph)
    names = [link["name"] for link in written["topology"]["links"] if "name" in link]
    assert names == ["London to Paris", "London to New York", "Paris to New York"]
    assert [line["at"] for line in written["lines"]] == [
        at for name in names for at in (name, f"{name} back")
    ]
    scenario = f"""\
schema_version = 1
duration = "1 s"
framing = "packet"
port = {{ buffer = "1 BDP" }}
connections = [{{ from = "London", to = "New York" }}]
{graph}
"""
    network = _engine.resolve_scenario(scenario.encode(), "graph.toml")
    (kind,) = json.loads(_engine.scenario_network(network))["kinds"]
    path = imported(tmp_path, text, "London,New York")
    assert path.up.delay_s is not None
    assert kind["round_trip_ps"] == pytest.approx(2e12 * path.up.delay_s[0], abs=2000)


def test_a_graph_around_a_hub_has_links_of_the_hub_only(tmp_path: Path) -> None:
    more = "duration = '1 s'\nlinks = 'isl'\nhandover = { rule = 'shortest' }"
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, PARIS, NEW_YORK, more=more))
    words = ("orbit-graph", tmp_path / "orbit.toml", "--hub", "Paris", "--rate", "1 Mbit/s")
    written = tomllib.loads("\n".join(printed(*words)))
    names = [link["name"] for link in written["topology"]["links"] if "name" in link]
    assert names == ["London to Paris", "New York to Paris"]


def test_a_graph_without_rates_is_refused(tmp_path: Path) -> None:
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, PARIS, more="duration = '1 s'"))
    done = schedule("orbit-graph", tmp_path / "orbit.toml")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no rates; --rate says that of each link" in done.stderr


def test_a_graph_of_another_file_is_refused() -> None:
    done = schedule("orbit-graph", EXAMPLES / "ping.log")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "expected a description of orbits" in done.stderr

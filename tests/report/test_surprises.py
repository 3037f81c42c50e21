"""Surprises that `longfat check` foresees: exactly when it says so, the run does it."""

from typing import Any

import pytest

from longfat import load_scenario, run
from longfat.report.surprises import LEAST_LOST, PROBING, surprises
from longfat.scenarios.resolved import network_of


def network(delay: str, buffer: str, **settings: Any) -> dict[str, Any]:
    """Two connections over 8 Mbit/s, with segments of 1000 B: a packet takes 1.04 ms."""
    return {
        "schema_version": 1,
        "duration": "30 s",
        "framing": "packet",
        "port": {"buffer": buffer},
        "topology": {
            "kind": "n-source",
            "sources": 2,
            "access": {"rate": "80 Mbit/s", "delay": "0 s"},
            "bottleneck": {"rate": "8 Mbit/s", "delay": delay},
        },
        "tcp": {
            "flavor": "cubic",
            "mss": "1000 B",
            "receiver_window": "8 MB",
            "initial_ssthresh": "unlimited",
            "timer_granularity": "1 ms",
            "retransmission_timeout": "rfc-6298",
            "handshake": True,
        },
        **settings,
    }


def said(scenario: dict[str, Any], word: str) -> list[str]:
    """The surprises about something."""
    settings = load_scenario(scenario).settings
    return [words for words in surprises(settings, network_of(settings)) if word in words]


@pytest.mark.parametrize(
    ("buffer", "again"),
    # The second connection meets a queue of at most 0.83 s, or of seven tenths of 2.08 s at least;
    # its round trip is 60 ms more.
    [("800 packets", False), ("2000 packets", True)],
)
def test_where_a_full_queue_outlasts_the_first_timeout_syns_are_sent_again(
    buffer: str, again: bool
) -> None:
    scenario = network("30 ms", buffer, connections=[{"count": 1}, {"count": 1, "later": "20 s"}])
    found = said(scenario, "SYNs")
    assert bool(found) == again
    late = run(load_scenario(scenario))["flows"][1]
    assert (late.get("openings_sent_again", 0) > 0) == again
    if again:
        assert "2.14 s with full queues" in found[0]
        assert "the first timeout is 1 s" in found[0]


def test_windows_that_never_fill_the_queue_surprise_nobody() -> None:
    scenario = network("30 ms", "unlimited")
    assert said(scenario, "SYNs")
    scenario["tcp"]["receiver_window"] = "64 kB"
    assert not said(scenario, "SYNs")


def test_a_round_trip_longer_than_the_timeout_is_told_without_a_word_about_the_buffer() -> None:
    scenario = network("600 ms", "20 packets")
    (words,) = said(scenario, "SYNs")
    assert "never less than 1.2 s" in words
    assert "port.buffer" not in words
    assert all(flow["openings_sent_again"] > 0 for flow in run(load_scenario(scenario))["flows"])
    scenario["tcp"]["retransmission_timeout"] = {"kind": "rfc-6298", "initial": "3 s"}
    assert not said(scenario, "SYNs")
    flows = run(load_scenario(scenario))["flows"]
    assert all("openings_sent_again" not in flow for flow in flows)


def test_of_groups_the_one_that_is_concerned_is_named() -> None:
    groups = [{"count": 1, "name": "far", "access_delay": "450 ms"}]
    (words,) = said(network("30 ms", "100 packets", connections=groups), "SYNs")
    assert words.startswith("connections[0] (far): ")


@pytest.mark.parametrize("segments", [8, 10, 11, 12, 20])
def test_of_a_first_window_that_the_buffer_cannot_hold_the_end_is_lost(segments: int) -> None:
    # Of n segments nine tenths wait, as 80 Mbit/s go into 8 Mbit/s: 9.9 of 11 and 10.8 of 12.
    scenario = network("30 ms", "9 packets", duration="100 ms")
    scenario["topology"]["sources"] = 1
    scenario["tcp"]["initial_window"] = f"{segments} MSS"
    scenario["traffic"] = {"kind": "finite", "size": f"{segments * 1000} B"}
    found = said(scenario, "burst")
    assert bool(found) == (segments >= 12)
    assert (run(load_scenario(scenario))["ports"][0]["packets_dropped"] > 0) == bool(found)
    scenario["tcp"]["pacing"] = "window-per-round-trip"
    assert not said(scenario, "burst")


@pytest.mark.parametrize(
    ("flavor", "round_trip_ms"),
    [
        *((flavor, trip) for flavor in ("bbr", "bbr3") for trip in (100, 300, 500, 600, 1000)),
        *(("leocc", trip) for trip in (100, 300, 600)),  # beyond, its Startup overflows the buffer
    ],
)
def test_the_line_that_probing_leaves_idle_is_as_much_as_is_said(
    flavor: str, round_trip_ms: int
) -> None:
    lost = PROBING[flavor].lost(round_trip_ms / 1000)
    scenario = network(f"{round_trip_ms / 2:g} ms", "2 BDP", duration="180 s")
    scenario["measure"] = {"from": "60 s"}
    scenario["topology"]["sources"] = 1
    scenario["tcp"] |= {"flavor": flavor, "handshake": False, "receiver_window": "64 MiB"}
    scenario["tcp"]["retransmission_timeout"] = {"kind": "rfc-6298", "initial": "10 s"}
    efficiency = run(load_scenario(scenario))["metrics"]["efficiency"]
    assert efficiency == pytest.approx(1 - lost, abs=0.03)
    found = said(scenario, "line idle")
    assert bool(found) == (lost >= LEAST_LOST)
    if found:
        assert f"{flavor}: every {PROBING[flavor].every_s:g} s" in found[0]
        assert f"about {100 * lost:.0f} % of the line idle" in found[0]


def test_leocc_is_said_to_leave_a_line_idle_where_round_trips_take_seconds() -> None:
    scenario = network("1250 ms", "2 BDP")
    scenario["tcp"] |= {"flavor": "leocc"}
    (words,) = said(scenario, "line idle")
    assert "leocc: every 15 s" in words


def test_round_trips_of_ten_seconds_are_too_long_for_bbr() -> None:
    scenario = network("5 s", "2 BDP", duration="400 s")
    scenario["measure"] = {"from": "100 s"}
    scenario["topology"]["sources"] = 1
    scenario["tcp"] |= {"flavor": "bbr", "handshake": False, "receiver_window": "64 MiB"}
    scenario["tcp"]["retransmission_timeout"] = {"kind": "rfc-6298", "initial": "30 s"}
    (words,) = said(scenario, "idle")
    assert "it probes all the time" in words
    assert run(load_scenario(scenario))["metrics"]["efficiency"] < 0.05
    scenario["tcp"]["flavor"] = "cubic"
    assert not said(scenario, "idle")


def test_behind_proxies_it_is_their_connections_that_are_spoken_of() -> None:
    proxies = {"kind": "split-tcp", "buffer": "8 MB", "tcp": {"handshake": False}}
    groups = [{"count": 1, "flavor": "bbr"}, {"count": 1}]
    scenario = network("600 ms", "20 packets", proxies=proxies, connections=groups)
    (words,) = said(scenario, "first timeout")
    assert words.startswith("connections[0], connections[1]: between proxies a round trip takes")
    assert "the first segments are then sent again" in words
    (cost,) = said(scenario, "bbr: ")
    assert "or proxies" not in cost
    proxies["tcp"] = {"flavor": "cubic"}
    assert not said(scenario, "bbr: ")

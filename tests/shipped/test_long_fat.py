from collections import Counter
from itertools import product
from typing import Any

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_reference

KINDS = {
    "reno": "rack-tlp-linux",
    "cubic": "cubic",
    "high-speed": "high-speed",
    "scalable": "scalable",
    "h-tcp": "h-tcp",
    "h-tcp-unscaled": "h-tcp",
    "hybla": "hybla",
    "westwood": "westwood",
    "vegas": "vegas",
    "bbr3": "bbr3",
}
PACKET_BITS = 8 * 1500
SECOND = 1e12


@pytest.fixture(scope="module")
def scenarios() -> list[tuple[dict[str, str], Scenario]]:
    plan = plan_reference(load_study("long-fat"), Selection(replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def about(
    scenarios: list[tuple[dict[str, str], Scenario]], factor: str
) -> list[tuple[dict[str, str], dict[str, Any]]]:
    """Levels and settings of the runs that have a level of this factor."""
    return [(levels, run.settings) for levels, run in scenarios if factor in levels]


def round_trip_s(settings: dict[str, Any], group: int) -> float:
    topology = settings["topology"]
    access = topology["access"]["delay_ps"]
    own = settings["connections"][group] if "connections" in settings else {}
    one_way = topology["bottleneck"]["delay_ps"] + own.get("access_delay_ps", access) + access
    return float(2 * one_way / SECOND)


def buffer_packets(settings: dict[str, Any]) -> int:
    return int(settings["port"]["buffer_cells"].split()[0])


def path_packets(settings: dict[str, Any], group: int = 0) -> float:
    """Bandwidth-delay product of the path."""
    rate = settings["topology"]["bottleneck"]["rate_bps"]
    return float(rate * round_trip_s(settings, group) / PACKET_BITS)


def test_each_control_has_each_combination_of_a_table_once(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    pairs = set(KINDS) - {"h-tcp-unscaled"}
    by_losses = pairs - {"vegas", "bbr3"}
    few = ("0", "0.00001")
    alone = [
        *product(pairs, ("10 Mbit/s", "100 Mbit/s"), ("20 ms", "100 ms", "550 ms"), few),
        *product(pairs, ("1 Gbit/s",), ("20 ms", "100 ms"), few),
        *product(by_losses, ("1 Gbit/s",), ("100 ms",), ("0.0001", "0.001", "0.01")),
        *product(by_losses, ("1 Gbit/s",), ("20 ms", "550 ms"), ("0.0001",)),
    ]
    found = Counter(tuple(levels.values()) for levels, _ in scenarios)
    expected = Counter([
        *alone,
        *product(pairs, ("30 s", "60 s", "120 s", "240 s", "480 s")),
        *product(KINDS, ("1", "2", "4", "8")),
        *product(pairs, ("short", "long", "long-deep", "satellite")),
    ])  # fmt: skip
    assert found == expected


def test_round_trips_are_those_that_the_levels_say_and_windows_reach_beyond_path_and_buffer(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, settings in about(scenarios, "rtt"):
        assert f"{1000 * round_trip_s(settings, 0):g} ms" == levels["rtt"]
    for _, run in scenarios:
        holds = 1448 * (path_packets(run.settings) + buffer_packets(run.settings))
        assert run.settings["tcp"]["receiver_window_bytes"] > 1.5 * holds


def test_buffers_of_lone_connections_are_a_fifth_of_the_path_but_for_the_smallest(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, settings in about(scenarios, "rate"):
        if (levels["rate"], levels["rtt"]) == ("10 Mbit/s", "20 ms"):
            assert buffer_packets(settings) == 8
        else:
            assert 0 <= buffer_packets(settings) - path_packets(settings) / 5 < 1


def test_what_is_measured_of_a_newcomer_is_the_second_half_of_the_time_since_it_came(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, settings in about(scenarios, "until"):
        newcomer, other = settings["connections"]
        until = float(levels["until"].split()[0]) * SECOND
        assert newcomer["later_ps"] == 60 * SECOND
        assert "later_ps" not in other
        assert settings["measure"]["from_ps"] == newcomer["later_ps"] + until / 2
        assert settings["duration_ps"] == newcomer["later_ps"] + until


def test_the_first_connection_is_as_many_times_as_far_as_its_level_says(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, settings in about(scenarios, "ratio"):
        far, near = round_trip_s(settings, 0), round_trip_s(settings, 1)
        assert near == pytest.approx(0.04)
        assert far / near == pytest.approx(float(levels["ratio"]))
        assert 0 <= buffer_packets(settings) - path_packets(settings, 1) / 5 < 1


def test_reno_meets_the_control_at_the_same_distance_and_over_a_short_path_none_has_38_segments(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    """HighSpeed TCP differs from Reno from 38 segments on."""
    for levels, settings in about(scenarios, "meeting"):
        reno, other = settings["connections"]
        assert reno["flavor"]["kind"] == "rack-tlp-linux"
        assert "flavor" not in other
        assert settings["tcp"]["flavor"]["kind"] == KINDS[levels["control"]]
        assert round_trip_s(settings, 0) == round_trip_s(settings, 1)
        if levels["meeting"] == "short":
            assert path_packets(settings) + buffer_packets(settings) < 38


def test_controls_differ_in_nothing_but_their_flavor_and_repair_losses_alike(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    others = []
    for levels, scenario in scenarios:
        tcp = dict(scenario.settings["tcp"])
        flavor = dict(tcp.pop("flavor"))
        assert flavor["kind"] == KINDS[levels["control"]]
        recovery = flavor if flavor["kind"] == "rack-tlp-linux" else flavor.get("recovery")
        if recovery is not None:  # that of BBR v3 is its own
            assert recovery["kind"] == "rack-tlp-linux"
            assert recovery["proportional_rate_reduction"]
        assert flavor.get("round_trip_scaling", False) == (levels["control"] == "h-tcp")
        for goes_with_flavor_or_rate in ("ssthresh_rule", "receiver_window_bytes", "window_scale"):
            tcp.pop(goes_with_flavor_or_rate, None)
        others.append(tcp)
    assert all(tcp == others[0] for tcp in others)

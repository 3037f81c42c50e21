"""Measured round trips as schedules of a path."""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import BadInput
from longfat.schedules.pings import Crossing, Ping, read_irtt, read_ping, schedule_of, schedule_text
from tests.support import Longfat

IPUTILS = """\
PING example.net (192.0.2.1) 56(84) bytes of data.
[1716825600.040000] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=40.0 ms
[1716825600.250000] 64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=50.0 ms
no answer yet for icmp_seq=3
[1716825600.660000] 64 bytes from 192.0.2.1: icmp_seq=4 ttl=57 time=60.0 ms
[1716825600.661000] 64 bytes from 192.0.2.1: icmp_seq=4 ttl=57 time=61.0 ms (DUP!)

--- example.net ping statistics ---
4 packets transmitted, 3 received, 25% packet loss, time 603ms
"""

MAC = """\
PING 192.0.2.1 (192.0.2.1): 56 data bytes
64 bytes from 192.0.2.1: icmp_seq=0 ttl=57 time=30.000 ms
Request timeout for icmp_seq 1
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=32.000 ms
"""

BUSYBOX = """\
64 bytes from 192.0.2.1: seq=0 ttl=57 time=30.000 ms
64 bytes from 192.0.2.1: seq=1 ttl=57 time=31.000 ms
"""


def trip(number: int, rtt_ms: float | None, lost: object) -> dict[str, object]:
    """A round trip as irtt writes it, 20 ms after the one before."""
    return {
        "seqno": number,
        "lost": lost,
        "timestamps": {"client": {"send": {"monotonic": 5_000_000 + number * 20_000_000}}},
        "delay": {} if rtt_ms is None else {"rtt": round(rtt_ms * 1e6)},
    }


def test_missing_answers_are_lost_and_times_are_those_that_ping_prints() -> None:
    pings, _ = read_ping(IPUTILS, "ping.log", interval_s=1)
    assert [ping.round_trip_s for ping in pings] == [0.04, 0.05, None, 0.06]
    assert [ping.sent_s for ping in pings] == pytest.approx([0, 0.2, 0.4, 0.6])


def test_requests_before_the_first_and_after_the_last_answer_are_lost_if_ping_says_so() -> None:
    answers = "".join(f"64 bytes: icmp_seq={n} ttl=1 time=9 ms\n" for n in range(4, 8))
    pings, _ = read_ping(f"{answers}\n10 packets transmitted, 4 received", "ping.log", interval_s=1)
    assert [ping.round_trip_s is None for ping in pings] == 3 * [True] + 4 * [False] + 3 * [True]
    assert [ping.sent_s for ping in pings] == list(range(10))
    assert len(read_ping(answers, "ping.log", interval_s=1)[0]) == 4, "nothing is said"


@pytest.mark.parametrize(
    ("text", "expected"), [(MAC, [0.03, None, 0.032]), (BUSYBOX, [0.03, 0.031])]
)
def test_without_times_requests_are_as_far_apart_as_is_said(
    text: str, expected: list[float | None]
) -> None:
    pings, _ = read_ping(text, "ping.log", interval_s=0.5)
    assert [ping.round_trip_s for ping in pings] == expected
    assert [ping.sent_s for ping in pings] == [0.5 * number for number in range(len(expected))]


def test_numbers_of_requests_go_round() -> None:
    numbers = [65534, 65535, 1, 2]
    text = "".join(f"64 bytes: icmp_seq={number} ttl=1 time=9 ms\n" for number in numbers)
    pings, _ = read_ping(text, "ping.log", interval_s=1)
    assert [ping.round_trip_s is None for ping in pings] == [False, False, True, False, False]


@pytest.mark.parametrize("pack", [lambda text: text, gzip.compress])
def test_round_trips_of_irtt_are_read_compressed_or_not(pack: object) -> None:
    trips = [trip(0, 40, lost=False), trip(1, None, lost="true_down"), trip(2, 44, lost="false")]
    content = json.dumps({"round_trips": trips}).encode()
    assert callable(pack)
    pings, _ = read_irtt(pack(content), "irtt.json")
    assert [ping.round_trip_s for ping in pings] == [0.04, None, 0.044]
    assert [ping.sent_s for ping in pings] == pytest.approx([0, 0.02, 0.04])


def test_a_window_has_half_the_median_round_trip_and_the_losses_of_a_crossing() -> None:
    first = [Ping(0.0, 0.05), Ping(0.2, None), Ping(0.4, 0.07), Ping(0.6, 0.06)]
    second = [Ping(1.0, None), Ping(1.5, None)]
    third = [Ping(2.0, 0.03), Ping(2.5, 0.03)]
    schedule = schedule_of([*first, *second, *third], 1, elsewhere_s=0.02, source="ping.log")
    # Three of four requests come back if each of two crossings loses 1 - sqrt(3/4) of its packets.
    assert schedule == [
        Crossing(0, 0.02, round(1 - 0.75**0.5, 6)),
        Crossing(1, 0.02, 1),
        Crossing(2, 0.005, 0),
    ]
    assert schedule_text(schedule) == "time_s,delay_s,loss\n0,0.02,0.133975\n1,0.02,1\n2,0.005,0"


def test_the_jitter_of_a_crossing_is_found_in_round_trips() -> None:
    chance = random.Random(1)
    held_up = [chance.uniform(0, 0.012) + chance.uniform(0, 0.012) for _ in range(4000)]
    pings = [Ping(number / 100, 0.036 + held) for number, held in enumerate(held_up)]
    (crossing,) = schedule_of(pings, 60, elsewhere_s=0.006, source="irtt", with_jitter=True)
    assert crossing.delay_s == pytest.approx(0.015, abs=1e-4)
    assert crossing.jitter_s == pytest.approx(0.012, abs=3e-4)


def test_with_jitter_a_window_has_half_the_shortest_round_trip_and_the_rest_of_the_mean() -> None:
    first = [Ping(0.0, 0.05), Ping(0.2, 0.03), Ping(0.4, 0.04)]
    schedule = schedule_of([*first, Ping(1, None)], 1, 0.01, "ping.log", with_jitter=True)
    assert schedule == [Crossing(0, 0.01, 0, 0.01), Crossing(1, 0.01, 1, 0.01)]
    text = "time_s,delay_s,jitter_s,loss\n0,0.01,0.01,0\n1,0.01,0.01,1"
    assert schedule_text(schedule) == text


def test_windows_that_are_alike_are_one() -> None:
    pings = [Ping(number / 10, 0.04) for number in range(50)]
    assert schedule_of(pings, 1, 0, "ping.log") == [Crossing(0, 0.02, 0)]


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "ping.log: expected lines of ping such as"), ("time=1 ms\n", "found 0 of them")],
)
def test_a_text_without_answers_is_refused(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_ping(text, "ping.log", 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"round_trips": 3}',
        b'{"round_trips": [{"lost": false}]}',
        b'{"round_trips": []}',
        b"\x1f\x8bnonsense",
        b"\xff\xfe",
    ],
)
def test_what_irtt_has_not_written_is_refused(content: bytes) -> None:
    with pytest.raises(BadInput, match=r"irtt\.json: (expected the JSON of|fewer than two)"):
        read_irtt(content, "irtt.json")


def test_more_elsewhere_than_a_round_trip_has_is_refused() -> None:
    with pytest.raises(BadInput, match="round trips of 40 ms at 0 s do not exceed what"):
        schedule_of([Ping(0, 0.04), Ping(1, 0.04)], 1, elsewhere_s=0.05, source="ping.log")


def test_of_windows_in_which_one_lost_answer_is_an_outage_it_is_said(
    longfat: Longfat, tmp_path: Path
) -> None:
    answers = [f"64 bytes: icmp_seq={n} ttl=1 time=9 ms\n" for n in range(30) if n != 7]
    (tmp_path / "ping.log").write_text("".join(answers))
    done = longfat("schedule", "from-ping", "ping.log")
    assert "7,0.0045,1" in done.stdout
    assert "warning: ping.log: requests are 1000 ms apart" in done.stderr
    assert "--window-ms 5000 has 5 in each" in done.stderr
    spacing = ("--interval-ms", "1000")
    assert not longfat("schedule", "from-ping", "ping.log", *spacing, "--window-ms", "5000").stderr
    often = longfat("schedule", "from-ping", "ping.log", "--interval-ms", "201")
    assert not often.stderr
    (tmp_path / "whole.log").write_text("".join(answers[:7]))
    assert not longfat("schedule", "from-ping", "whole.log", *spacing).stderr, "nothing is lost"


def test_the_command_prints_what_a_scenario_takes(longfat: Longfat, tmp_path: Path) -> None:
    (tmp_path / "ping.log").write_text(IPUTILS)
    done = longfat(
        "schedule", "from-ping", "ping.log", "--window-ms", "300", "--elsewhere-ms", "10"
    )
    assert done.stdout.splitlines() == [
        "time_s,delay_s,loss",
        "0,0.0175,0",
        "0.3,0.0175,1",
        "0.6,0.025,0",
    ]
    done = longfat("schedule", "from-ping", "ping.log", "--window-ms", "300", "--jitter")
    assert done.stdout.splitlines()[:2] == ["time_s,delay_s,jitter_s,loss", "0,0.02,0.005,0"]
    trips = [trip(number, 40 + number, lost=False) for number in range(10)]
    (tmp_path / "irtt.json").write_text(json.dumps({"round_trips": trips}))
    done = longfat("schedule", "from-irtt", "irtt.json", "--window-ms", "100")
    assert done.stdout.splitlines() == ["time_s,delay_s,loss", "0,0.021,0", "0.1,0.0235,0"]
    done = longfat("schedule", "from-irtt", "irtt.json", "--window-ms", "100", "--jitter")
    assert done.stdout.splitlines()[1:] == ["0,0.02,0.002,0", "0.1,0.0225,0.002,0"]
    record = run(
        load_scenario(
            {
                "schema_version": 1,
                "duration": "1 s",
                "framing": "packet",
                "topology": {
                    "kind": "n-source",
                    "sources": 1,
                    "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
                    "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms"},
                },
                "port": {"buffer": "100 packets"},
                "path": {"kind": "schedule", "steps": done.stdout},
            }
        )
    )
    assert record["metrics"]["goodput_bps"] > 0


def _log(prefix: Callable[[int], str], summary: str) -> str:
    """Ten requests, 200 ms apart, of which the last five are not answered."""
    answer = "64 bytes from 192.0.2.1: icmp_seq={} ttl=58 time=30.0 ms"
    lines = [prefix(number) + answer.format(number + 1) for number in range(5)]
    return "\n".join([*lines, prefix(10) + summary])


@pytest.mark.parametrize(
    ("prefix", "summary"),
    [
        (lambda n: f"[2024-05-27 12:00:{0.2 * n:09.6f}] ", ""),
        (lambda n: f"[{1716811200 + 0.2 * n:.6f}] ", ""),
        (lambda _: "", ", 5 received, 50% packet loss, time 1800ms"),
    ],
    ids=["dates", "seconds", "the time at the end"],
)
def test_the_spacing_of_requests_and_an_outage_at_the_end_are_found_in_a_log(
    prefix: Callable[[int], str], summary: str
) -> None:
    pings, warning = read_ping(_log(prefix, f"10 packets transmitted{summary}"), "ping.log")
    assert warning is None
    assert [ping.sent_s for ping in pings] == pytest.approx([0.2 * n for n in range(10)])
    assert [ping.round_trip_s for ping in pings] == [0.03] * 5 + [None] * 5
    assert schedule_of(pings, 1.0, 0.0, "ping.log")[-1] == Crossing(1.0, 0.015, 1.0)


def test_an_assumed_spacing_of_requests_is_said() -> None:
    _, warning = read_ping(BUSYBOX, "ping.log")
    assert warning is not None
    assert "assumed one request a second" in warning


def test_the_ping_of_windows_numbers_no_requests() -> None:
    text = """
Pinging 192.0.2.1 with 32 bytes of data:
Reply from 192.0.2.1: bytes=32 time=30ms TTL=57
Request timed out.
Reply from 192.0.2.1: bytes=32 time<1ms TTL=57
Request timed out.

    Packets: Sent = 4, Received = 2, Lost = 2 (50% loss),
"""
    pings, _ = read_ping(text, "ping.log")
    assert [ping.round_trip_s for ping in pings] == [0.03, None, 0.001, None]


def _asymmetric() -> bytes:
    """Requests that take 72 ms there and 48 ms back, where every second answer is lost."""
    trips = [trip(n, 120.0, "true_down" if n % 2 else "false") for n in range(20)]
    for found in trips:
        found["delay"] = {"rtt": 120_000_000, "send": 72_000_000, "receive": 48_000_000}
    return json.dumps({"round_trips": trips}).encode()


def test_one_direction_of_irtt_has_its_own_delay_and_losses() -> None:
    expected = {"up": Crossing(0.0, 0.072, 0.0), "down": Crossing(0.0, 0.048, 0.5)}
    for direction, crossing in expected.items():
        pings, warning = read_irtt(_asymmetric(), "irtt.json", direction)  # type: ignore[arg-type]
        assert warning is None
        assert schedule_of(pings, 1000.0, 0.0, "irtt.json") == [crossing]


def test_directions_of_irtt_that_differ_are_said_with_their_figures() -> None:
    _, warning = read_irtt(_asymmetric(), "irtt.json")
    assert warning is not None
    assert "72 ms and 0.0% lost up, 48 ms and 50.0% lost down" in warning


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (gzip.compress(bytes(2**28 + 1), 1), "unpacks to more than 256 MiB"),
    ],
)
def test_json_that_is_too_deep_or_unpacks_to_too_much_is_refused(
    content: bytes, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read_irtt(content, "irtt.json")

"""Logs of ping: which requests there were, when, and which were lost."""

from collections.abc import Callable
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.schedules.ping import read
from longfat.schedules.probes import Probe
from longfat.schedules.stamps import moment_s
from tests.schedules.specimens import EXAMPLES, printed, sample, schedule

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
Request timeout for icmp_seq 0
64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=30.000 ms
Request timeout for icmp_seq 2
64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=32.000 ms

--- 192.0.2.1 ping statistics ---
5 packets transmitted, 2 packets received, 60.0% packet loss
round-trip min/avg/max/stddev = 30.000/31.000/32.000/1.000 ms
"""

BUSYBOX = """\
64 bytes from 192.0.2.1: seq=0 ttl=57 time=30.000 ms
64 bytes from 192.0.2.1: seq=1 ttl=57 time=31.000 ms
"""

WINDOWS = """
Pinging example.net [192.0.2.1] with 32 bytes of data:
Reply from 192.0.2.1: bytes=32 time=30ms TTL=57
Request timed out.
Reply from 198.51.100.2: Destination host unreachable.
Reply from 2001:db8::1: time<1ms
General failure.

Ping statistics for 192.0.2.1:
    Packets: Sent = 6, Received = 3, Lost = 3 (50% loss),
"""


def requests(text: str, interval_ms: float | None = None) -> tuple[list[Probe], list[str]]:
    return read(sample(text, "ping.log"), interval_ms)


def trips(text: str) -> list[float | None]:
    return [probe.round_trip_s for probe in requests(text)[0]]


def times(text: str, interval_ms: float | None = None) -> list[float]:
    return [probe.sent_s for probe in requests(text, interval_ms)[0]]


def test_missing_answers_are_lost_and_times_are_those_that_ping_prints() -> None:
    assert trips(IPUTILS) == [0.04, 0.05, None, 0.06]
    assert times(IPUTILS) == pytest.approx([0, 0.2, 0.4, 0.6])


def test_requests_before_the_first_and_after_the_last_answer_are_lost_if_ping_says_so() -> None:
    answers = "".join(f"64 bytes: icmp_seq={n} ttl=1 time=9 ms\n" for n in range(4, 8))
    lost = [trip is None for trip in trips(f"{answers}\n10 packets transmitted, 4 received")]
    assert lost == 3 * [True] + 4 * [False] + 3 * [True]
    assert len(trips(answers)) == 4, "nothing is said"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MAC, [None, 0.03, None, 0.032, None]),
        (BUSYBOX, [0.03, 0.031]),
        (WINDOWS, [0.03, None, None, 0.001, None, None]),
    ],
    ids=["macOS", "BusyBox", "Windows"],
)
def test_the_ping_of_every_system_is_read(text: str, expected: list[float | None]) -> None:
    assert trips(text) == expected


def test_without_times_requests_are_as_far_apart_as_is_said() -> None:
    assert times(MAC, interval_ms=500) == [0, 0.5, 1, 1.5, 2]


def test_the_ping_of_windows_waits_four_seconds_for_a_lost_answer() -> None:
    assert times(WINDOWS) == [0, 1, 5, 6, 7, 8]


def test_numbers_of_requests_go_round() -> None:
    numbers = [65534, 65535, 1, 2]
    text = "".join(f"64 bytes: icmp_seq={number} ttl=1 time=9 ms\n" for number in numbers)
    assert [trip is None for trip in trips(text)] == [False, False, True, False, False]


def _log(prefix: Callable[[float], str], summary: str, answers: int = 5) -> str:
    """Ten requests, 200 ms apart, of which the last are not answered."""
    answer = "64 bytes from 192.0.2.1: icmp_seq={} ttl=58 time=30.0 ms"
    lines = [prefix(0.2 * n + 0.03) + answer.format(n + 1) for n in range(answers)]
    return "\n".join([*lines, prefix(2.0) + summary])


PLACES = {
    "ping -D": lambda t: f"[{1716811200 + t:.6f}] ",
    "dates": lambda t: f"[2024-05-27 12:00:{t:09.6f}] ",
    "ISO with a zone": lambda t: f"2024-05-27T12:00:{t:06.3f}-04:00 ",
    "ISO in UTC": lambda t: f"2024-05-27T12:00:{t:06.3f}Z: ",
    "ts %.s": lambda t: f"{1716811200 + t:.6f} ",
    "ts -s %.s": lambda t: f"{t:.6f} ",
    "ts %b %d %H:%M:%.S": lambda t: f"May 27 12:00:{t:09.6f} ",
    "ping --apple-time": lambda t: f"12:00:{t:09.6f} ",
    "date +%s%3N": lambda t: f"{1716811200000 + round(1000 * t)} ",
    "date +%s%N": lambda t: f"{1716811200000000000 + round(1e9 * t)}: ",
    "slashes": lambda t: f"2024/05/27 12:00:{t:06.3f} | ",
    "across midnight": lambda t: f"{'23:59:59' if t < 1 else '00:00:00'}.{round(t % 1 * 1e3):03} ",
}


@pytest.mark.parametrize("prefix", PLACES.values(), ids=PLACES)
def test_times_before_the_lines_are_read_wherever_they_come_from(
    prefix: Callable[[float], str],
) -> None:
    text = _log(prefix, "10 packets transmitted, 9 received", answers=9)
    probes, notes = requests(text)
    assert notes == []
    assert [probe.sent_s for probe in probes] == pytest.approx([0.2 * n for n in range(10)])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("May 27 12:00:01", True),
        ("Mon May 27 12:00:01 UTC 2024: ", True),
        ("Mon May 27 12:00:01 2024", True),
        ("5/27/2024 3:00:01 PM", True),
        ("Feb 29 12:00:00", True),
        ("host kernel:", False),
        ("May 32 12:00:01", False),
        ("nan", False),
        ("", False),
        ("9" * 50, False),
    ],
)
def test_a_time_is_told_from_other_words(words: str, expected: bool) -> None:
    assert (moment_s(words) is not None) == expected


def test_times_in_whole_seconds_say_how_far_apart_requests_are() -> None:
    lines = [
        f"May 27 12:00:{n // 5:02} 64 bytes from x: icmp_seq={n + 1} ttl=1 time=9 ms"
        for n in range(101)
    ]
    assert times("\n".join(lines)) == pytest.approx([0.2 * n for n in range(101)])


@pytest.mark.parametrize(
    ("prefix", "summary"),
    [
        (PLACES["dates"], ""),
        (PLACES["ping -D"], ""),
        (lambda _: "", ", 5 received, 50% packet loss, time 1800ms"),
    ],
    ids=["dates", "seconds", "the time at the end"],
)
def test_the_spacing_of_requests_and_an_outage_at_the_end_are_found_in_a_log(
    prefix: Callable[[float], str], summary: str
) -> None:
    probes, notes = requests(_log(prefix, f"10 packets transmitted{summary}"))
    assert notes == []
    assert [probe.sent_s for probe in probes] == pytest.approx([0.2 * n for n in range(10)])
    assert [probe.round_trip_s for probe in probes] == [0.03] * 5 + [None] * 5


def test_an_outage_lasts_as_long_as_the_times_say() -> None:
    lines = ["[100.03] 64 bytes: icmp_seq=1 ttl=1 time=30 ms"]
    lines += ["[101.03] 64 bytes: icmp_seq=2 ttl=1 time=30 ms"]
    lines += ["[113.03] 64 bytes: icmp_seq=5 ttl=1 time=30 ms"]
    assert times("\n".join(lines)) == pytest.approx([0, 1, 5, 9, 13])


def test_an_assumed_spacing_of_requests_is_said() -> None:
    (note,) = requests(BUSYBOX)[1]
    assert "assumed one request a second" in note


SUMMARY = "10 packets transmitted, 10 received, 0% packet loss, time 1800ms"


def test_times_of_a_buffer_give_way_to_the_time_at_the_end_and_that_is_said() -> None:
    text = _log(lambda t: f"[{1716811200 + t / 1000:.6f}] ", SUMMARY, answers=10)
    probes, notes = requests(text)
    assert [probe.sent_s for probe in probes] == pytest.approx([0.2 * n for n in range(10)])
    assert "0.2 ms between requests, and ping says 200 ms at its end, which is taken" in notes[0]


def test_an_interval_that_the_log_contradicts_is_taken_and_said() -> None:
    probes, notes = requests(_log(lambda _: "", SUMMARY, answers=10), interval_ms=1000)
    assert probes[-1].sent_s == 9
    assert "ping says at its end that requests were 200 ms apart" in notes[0]


def test_an_interval_for_a_log_with_times_is_not_used_and_that_is_said() -> None:
    probes, notes = requests(_log(PLACES["ping -D"], SUMMARY, answers=10), interval_ms=1000)
    assert probes[-1].sent_s == pytest.approx(1.8)
    assert "--interval-ms is not used" in notes[0]


def test_a_second_run_in_the_same_file_is_left_out_and_that_is_said() -> None:
    text = _log(PLACES["ping -D"], SUMMARY, answers=10)
    probes, notes = requests(f"{text}\n{IPUTILS}")
    assert probes == requests(text)[0]
    assert notes == ["warning: ping.log: another run of ping follows in the file, and is left out"]


def test_words_that_are_no_time_are_said() -> None:
    _, notes = requests(_log(lambda _: "router ping: ", SUMMARY, answers=10))
    assert "no time that is known: 'router ping:'" in notes[0]


def test_a_log_of_the_maine_trip_has_the_length_that_ping_reports() -> None:
    """NUWiNS, Starlink measurements of 2024-05-27: 149 requests in 29,801 ms, times in brackets."""
    head = "Start time: 1716827129856\n[2024-05-27 12:25:29.920859] PING 192.0.2.1 38(66) bytes."
    lines = [
        f"[2024-05-27 12:25:{29.9214 + n * 29.801 / 148:09.6f}] 46 bytes from 192.0.2.1: "
        f"icmp_seq={n + 1} ttl=58 time=36.9 ms"
        for n in range(149)
        if 29.9214 + n * 29.801 / 148 < 60
    ]
    tail = (
        "[2024-05-27 12:25:59.885643] \n[2024-05-27 12:25:59.886148] 149 packets transmitted, 149 "
        "received, 0% packet loss, time 29801ms\nEnd time: 1716827159909"
    )
    probes, notes = requests("\n".join([head, *lines, tail]))
    assert (len(probes), notes) == (149, [])
    assert probes[-1].sent_s == pytest.approx(29.801, abs=0.01)


def test_a_log_of_lens_is_read_with_its_times() -> None:
    """LENS, README, "Ping Example": `ping -D -i 0.01` over IPv6, with clumps of answers."""
    stamps = (0.410606, 0.421290, 0.442474, 0.465254, 0.475936)
    answers = (60.6, 56.9, 62.0, 68.8, 65.1)
    lines = [
        f"[{1700182800 + at:.6f}] 64 bytes from 2001:db8::1: icmp_seq={n} ttl=63 time={trip} ms"
        for n, (at, trip) in enumerate(zip(stamps, answers, strict=True), start=1)
    ]
    probes, notes = requests("\n".join(lines))
    assert notes == []
    sent = [at - trip / 1000 for at, trip in zip(stamps, answers, strict=True)]
    assert [probe.sent_s for probe in probes] == pytest.approx([at - sent[0] for at in sent])


def test_the_command_prints_what_a_scenario_takes(tmp_path: Path) -> None:
    log = tmp_path / "ping.log"
    log.write_text(IPUTILS)
    lines = printed("from-ping", log, "--window-ms", "900", "--jitter", "--elsewhere-ms", "10")
    assert lines == ["time_s,delay_s,jitter_s,loss", "0,0.015,0.01,0.133975"]
    done = schedule("from-ping", EXAMPLES / "ping.log")
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

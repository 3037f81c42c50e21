from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import load_scenario
from longfat.base.errors import BadInput, LongfatError
from longfat.schedules.mahimahi import (
    Rate,
    measured,
    path_of_trace,
    read_schedule,
    read_trace,
    schedule_of,
    trace_of,
)
from longfat.schedules.options import Options
from tests.schedules.specimens import EXAMPLES, printed, sample, schedule
from tests.support import Longfat


def rates(schedule: list[Rate]) -> list[tuple[int, int]]:
    return [(int(rate.time_ms), int(rate.bits_per_second)) for rate in schedule]


def test_a_rate_is_what_the_opportunities_of_a_window_deliver() -> None:
    # Two packets of 12000 bits in the first 10 ms, one at its very end; none in the second; one in
    # the last 5 ms.
    trace = read_trace("4\n10\n25\n", "trace")
    assert rates(schedule_of(trace, 10)) == [(0, 2_400_000), (10, 0), (20, 2_400_000)]


def test_a_trace_starts_anew_when_it_is_over() -> None:
    trace = read_trace("5\n20\n", "trace")
    assert rates(schedule_of(trace, 10, 45)) == [(0, 1_200_000)]
    trace = read_trace("5\n6\n20\n", "trace")
    assert rates(schedule_of(trace, 10, 45)) == [
        (0, 2_400_000), (10, 1_200_000), (20, 2_400_000), (30, 1_200_000), (40, 2_400_000)
    ]  # fmt: skip


def test_opportunities_come_when_a_packet_has_been_carried() -> None:
    # 12 Mbit/s carry a packet in each millisecond; at 5 ms, after half of one more, nothing passes.
    schedule = [Rate(Fraction(0), Fraction(12_000_000)), Rate(Fraction(11, 2), Fraction(0))]
    assert trace_of(schedule, 10) == [1, 2, 3, 4, 5]
    # The other half then takes 1 ms of 6 Mbit/s.
    schedule.append(Rate(Fraction(8), Fraction(6_000_000)))
    assert trace_of(schedule, 10) == [1, 2, 3, 4, 5, 9]


@given(st.lists(st.integers(1, 400), min_size=1, max_size=200), st.integers(1, 50))
def test_a_schedule_carries_what_the_trace_delivers(times: list[int], window: int) -> None:
    trace = sorted(times)
    schedule = schedule_of(trace, window)
    again = trace_of(schedule, trace[-1])
    assert len(again) == len(trace)
    assert all(abs(one - other) <= window for one, other in zip(again, trace, strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "trace: a trace must last longer than 0 ms"),
        ("0\n0\n", "longer than 0 ms"),
        ("1\nsoon\n", "trace:2: expected whole milliseconds, found 'soon'"),
        ("5\n4\n", "trace:2: 4 comes after 5; times must ascend"),
    ],
)
def test_an_error_in_a_trace_is_reported_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_trace(text, "trace")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time_s,loss\n0,1\n", "s.csv: a schedule without rate_bps"),
        ("loss,rate_bps\n0,1\n", "s.csv:1: expected the columns time_s and any of rate_bps"),
        ("time_s;rate_bps\n0;1\n", "s.csv:1: .* separated by semicolons"),
        ("time_s,rate_bps\n0\n", "s.csv:2: expected 2 numbers"),
        ("time_s,rate_bps\n1,1\n1,2\n", "s.csv:3: times must ascend"),
        ("time_s,rate_bps\n", "s.csv: no rows"),
        ("time_s,rate_bps\n0,1_000\n", "s.csv:2: expected 2 numbers"),
        (f"time_s,rate_bps\n0,{'1' * 200_000}\n", "s.csv:2: "),
        ("", "s.csv:1: expected the columns time_s and any of rate_bps, .* found none"),
    ],
)
def test_an_error_in_a_schedule_is_reported_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_schedule(text, "s.csv")


def test_a_schedule_is_read_as_other_tables_are() -> None:
    # With the byte order mark of spreadsheets, and whatever the other columns say.
    text = "\ufefftime_s, note, rate_bps\n0, dry, 12e6\n0.0055, , 0\n"
    assert rates(read_schedule(text, "s.csv")) == [(0, 12_000_000), (5, 0)]


def test_a_trace_too_long_for_any_disk_is_refused() -> None:
    with pytest.raises(LongfatError, match="more than 10,000,000"):
        trace_of([Rate(Fraction(0), Fraction(10**300))], 1000)


def test_a_schedule_that_carries_no_packet_is_no_trace() -> None:
    with pytest.raises(LongfatError, match=r"within 60 s these rates do not carry one packet"):
        trace_of([Rate(Fraction(0), Fraction(0))], 60_000)


def test_a_trace_becomes_a_path_that_the_engine_takes(longfat: Longfat, tmp_path: Path) -> None:
    trace = tmp_path / "lte.down"
    trace.write_text("".join(f"{time}\n" for time in range(1, 301) if time % 3 != 2))
    rates = longfat("schedule", "from-mahimahi", trace, "--window-ms", "30").stdout
    assert rates == "time_s,rate_bps\n0,8000000\n"
    csv = tmp_path / "lte.csv"
    csv.write_text(rates)
    back = longfat("schedule", "to-mahimahi", csv, "--duration-s", "1").stdout.split()
    assert len(back) == 666
    text = (
        'schema_version = 1\nduration = "1 s"\nframing = "packet"\nport.buffer = "20 packets"\n'
        'topology = { kind = "n-source", sources = 1, access = { delay = "1 ms" }, '
        'bottleneck = { delay = "1 ms" } }\n'
    )
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(text)
    steps = "\n".join(printed("from-mahimahi", EXAMPLES / "lte.down"))
    overrides = {"path.kind": "schedule", "path.steps": steps}
    assert load_scenario(scenario, overrides).settings["path"]["steps"] == steps


def test_a_bad_trace_is_one_message_and_exit_code_2(longfat: Longfat, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    trace.write_text("1\n-2\n")
    process = longfat("schedule", "from-mahimahi", trace)
    assert process.returncode == 2
    assert f"{trace}:2: expected whole milliseconds" in process.stderr
    assert process.stdout == ""


def test_a_file_of_another_kind_is_refused_in_one_line() -> None:
    with pytest.raises(BadInput) as refused:
        read_trace("no milliseconds\n" * 600, "ping.log")
    assert refused.value.problems == [
        "ping.log:1: expected whole milliseconds, found 'no milliseconds'"
    ]


def test_two_traces_are_one_path_with_a_rate_for_each_direction() -> None:
    files = {"trace": sample("5\n10\n"), "up": sample("10\n20\n30\n40\n")}
    found = measured(files, Options(window_ms=10))
    # Down repeats every 10 ms, with two packets of 12000 bits each time.
    assert list(found.times_s) == [0]
    assert (found.down.rate_bps, found.up.rate_bps) == ((2_400_000,), (1_200_000,))
    longer = measured(files | {"trace": sample("5\n20\n")}, Options(window_ms=10))
    assert list(longer.times_s) == [0]
    assert longer.down.rate_bps == (1_200_000,)


def test_the_two_traces_of_an_example_stand_side_by_side() -> None:
    words = ("from-mahimahi", EXAMPLES / "lte.down", "--up", EXAMPLES / "lte.up")
    both = printed(*words, "--direction", "both")
    assert both[0] == "time_s,rate_up_bps,rate_down_bps"
    up = printed("from-mahimahi", EXAMPLES / "lte.up")
    assert printed(*words, "--direction", "up") == up
    done = schedule(*words)
    assert done.stdout.splitlines() == printed("from-mahimahi", EXAMPLES / "lte.down")
    assert (
        "the schedule has the rate down; --direction up or down takes one, --lines keeps both"
        in done.stderr
    )


def test_traces_of_verizon_carry_their_packets_up_and_down() -> None:
    """Mahimahi, traces: 69,367 packets up from 7 ms on, 58,655 down, in 140 s each."""
    down = [round(n * 140_000 / 58_654) for n in range(58_655)]
    up = [7 + round(n * 139_993 / 69_366) for n in range(69_367)]
    for trace, megabits in ((up, 5.94574), (down, 5.02757)):
        path = path_of_trace(trace, 100, None, "down")
        assert path.down.rate_bps is not None
        ends = (*path.times_s[1:], 140.0)
        lengths = [end - begin for begin, end in zip(path.times_s, ends, strict=True)]
        bits = sum(rate * each for rate, each in zip(path.down.rate_bps, lengths, strict=True))
        assert bits / 140 / 1e6 == pytest.approx(megabits, abs=1e-5)


def test_a_trace_of_att_is_as_long_as_its_last_line() -> None:
    """Mahimahi, traces, ATT-LTE-driving-2016.up: 19,101 packets in 120,002 ms, 1.91 Mbit/s."""
    trace = [round(n * 120_002 / 19_100) for n in range(19_101)]
    path = path_of_trace(trace, 120_002, None, "up")
    assert path.up.rate_bps == pytest.approx((1_910_068,), abs=1)


def test_more_windows_than_anybody_needs_are_refused() -> None:
    with pytest.raises(BadInput, match="10,000,000,000 windows, and 1,000,000 are the most"):
        measured({"trace": sample("1\n")}, Options(duration_s=10_000_000))


def test_a_long_time_without_opportunities_is_one_outage() -> None:
    path = measured({"trace": sample("1\n2\n8000000000\n")}, Options(window_ms=2))
    assert list(path.times_s) == [0, 0.002, 7999999.998]
    assert path.down.rate_bps == (12_000_000, 0, 6_000_000)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=9), st.integers(1, 30), st.integers(1, 99))
def test_a_window_has_the_opportunities_that_mahimahi_gives_in_it(
    times: list[int], window: int, until: int
) -> None:
    trace = sorted(times)
    length = trace[-1]
    if length == 0:
        return
    # As mm-link: the trace begins anew at its end; a time belongs to the millisecond before it.
    given_in = [0] * until
    for start in range(0, until, length):
        for time in trace:
            if start + max(time - 1, 0) < until:
                given_in[start + max(time - 1, 0)] += 1
    steps = schedule_of(trace, window, until)
    for start in range(0, until, length):
        for begin in range(0, length, window):
            end = min(begin + window, length)
            if start + end <= until:
                (rate,) = [step.bits_per_second for step in steps if step.time_ms <= start + begin][
                    -1:
                ]
                packets = sum(given_in[start + begin : start + end])
                assert rate * (end - begin) == packets * 12_000_000

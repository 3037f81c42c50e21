"""Rates of iperf3, nuttcp and flent."""

import json
from typing import Any

import pytest

from longfat.base.errors import BadInput
from longfat.schedules import flent, iperf3, nuttcp
from longfat.schedules.measured import Measured, Way
from longfat.schedules.options import PLAIN, Options
from tests.schedules.specimens import EXAMPLES, printed, sample, schedule


def interval(begin_s: float, end_s: float, megabits: float, **more: object) -> dict[str, object]:
    return {"start": begin_s, "end": end_s, "bits_per_second": megabits * 1e6, **more}


def of_iperf3(intervals: list[dict[str, Any]], **test: object) -> Measured:
    document = {"start": {"test_start": test}, "intervals": intervals, "end": {}}
    return iperf3.measured({"file": sample(json.dumps(document))}, PLAIN)


@pytest.mark.parametrize(("reverse", "is_down"), [(0, False), (1, True)])
def test_a_client_of_iperf3_sends_up_unless_it_is_told_otherwise(
    reverse: int, is_down: bool
) -> None:
    found = of_iperf3([{"sum": interval(0, 1, 8)}, {"sum": interval(1, 2, 9)}], reverse=reverse)
    way = Way(rate_bps=(8_000_000, 9_000_000))
    assert (found.down, found.up) == ((way, Way()) if is_down else (Way(), way))


def test_both_ways_of_iperf3_are_kept() -> None:
    found = of_iperf3(
        [{"sum": interval(0, 1, 8), "sum_bidir_reverse": interval(0, 1, 50)}], reverse=0
    )
    assert (found.up.rate_bps, found.down.rate_bps) == ((8_000_000,), (50_000_000,))


def test_intervals_that_iperf3_omits_and_what_is_left_at_the_end_are_left_out() -> None:
    found = of_iperf3(
        [
            {"sum": interval(0, 1, 1, omitted=True)},
            {"sum": interval(0, 1.0001, 8, omitted=False)},
            {"sum": interval(1.0001, 2, 9, omitted=False)},
            {"sum": interval(2, 2.003, 300, omitted=False)},
        ],
        reverse=1,
    )
    assert list(found.times_s) == [0, 1.0001]
    assert found.down.rate_bps == (8_000_000, 9_000_000)


def test_a_stream_of_events_of_iperf3_is_read_as_its_document() -> None:
    events = [
        {"event": "start", "data": {"test_start": {"reverse": 1}}},
        {"event": "interval", "data": {"sum": interval(0, 1, 8)}},
        {"event": "interval", "data": {"sum": interval(1, 2, 9)}},
        {"event": "end", "data": {}},
    ]
    text = "\n".join(map(json.dumps, events))
    assert iperf3.recognizes(sample(text))
    found = iperf3.measured({"file": sample(text)}, PLAIN)
    assert found.down.rate_bps == (8_000_000, 9_000_000)


def test_a_failure_that_iperf3_reports_is_said() -> None:
    text = '{"start": {"test_start": {}}, "intervals": [], "error": "unable to connect"}'
    with pytest.raises(BadInput, match="no intervals with rates; iperf3 says: unable to connect"):
        iperf3.measured({"file": sample(text)}, PLAIN)


def test_a_test_of_version_3_0_carries_what_it_reports() -> None:
    """thiezn/iperf3-python, tests/results.json: 13 s of 9.36e8 bit/s, written as such."""
    rates = [9.50062e8, 9.40404e8, 9.31005e8, 930484800, 941431680, 934655040, 9.38826e8]
    rates += [9.27877e8, 9.40903e8, 9.27871e8, 9.38902e8, 9.32249e8, 9.33228e8]
    sums = [{"sum": interval(n, n + 1, rate / 1e6)} for n, rate in enumerate(rates)]
    found = of_iperf3(sums, reverse=0)
    assert found.up.rate_bps is not None
    assert sum(found.up.rate_bps) / 13 == pytest.approx(9.35992e8, rel=1e-4)


def test_a_test_of_version_3_9_ends_with_a_shorter_interval() -> None:
    """A client's JSON of 2021 with 210,507,008 bytes in 2.844722 s: 5.91993e8 bit/s."""
    found = of_iperf3(
        [
            {"sum": interval(0, 1.000131, 457.16225071215862)},
            {"sum": interval(1.000131, 2.000131, 660.60288)},
            {"sum": interval(2.000131, 2.844722, 670.42038757295859)},
        ],
        reverse=0,
    )
    assert list(found.times_s) == [0, 1.000131, 2.000131]
    lengths = (1.000131, 1, 0.844591)
    assert found.up.rate_bps is not None
    bits = sum(rate * length for rate, length in zip(found.up.rate_bps, lengths, strict=True))
    assert bits / 2.844722 == pytest.approx(5.91993194e8, rel=1e-6)


NUTTCP = """\
[2024-05-27 10:54:55.820676] nuttcp-r: connect to 192.0.2.1 with RTT=29.390 ms af=inet
[2024-05-27 10:54:55.820867]     1.0000 MB /   0.50 sec =   16.7749 Mbps     0 retrans
[2024-05-27 10:54:56.319707]     3.6875 MB /   0.50 sec =   61.8714 Mbps     0 retrans
[2024-05-27 10:54:56.819776]     4.8750 MB /   0.50 sec =   81.7821 Mbps     0 retrans
[2024-05-27 10:54:57.319673]     9.5625 MB /   1.50 sec =   53.4760 Mbps 1 %TX 3 %RX 0 retrans
"""
"""NUWiNS, Starlink measurements of 2024-05-27, with a sum at the end."""


def of_nuttcp(text: str, **options: Any) -> Measured:
    return nuttcp.measured({"file": sample(text)}, Options(**options))


def test_lines_of_nuttcp_are_intervals_one_after_the_other() -> None:
    found = of_nuttcp(NUTTCP)
    assert list(found.times_s) == [0, 0.5, 1]
    way = Way(rate_bps=(16_774_900, 61_871_400, 81_782_100))
    assert (found.down, found.up) == (way, Way())
    assert of_nuttcp(NUTTCP.replace("nuttcp-r", "nuttcp-t")).up.rate_bps == found.down.rate_bps


def test_lines_of_nuttcp_with_losses_and_those_for_programs_are_read() -> None:
    losses = (
        "    5.9609 MB /   1.00 sec =   49.9993 Mbps     0 /  6104 ~drop/pkt  0.00 ~%loss\n"
        "   25.1572 MB /   1.00 sec =  211.0065 Mbps    62 / 25823 ~drop/pkt  0.24 ~%loss\n"
        "   25.1572 MB /   1.00 sec =  211.0065 Mbps    62 / 25823 ~drop/pkt  0.24 ~%loss\n"
    )
    assert of_nuttcp(losses).down.rate_bps == (49_999_300, 211_006_500, 211_006_500)
    words = "megabytes=5.9609 real_seconds=0.50 rate_KBps=12208.00 rate_Mbps=100.0080\n" * 3
    assert of_nuttcp(words).down.rate_bps == (100_008_000,) * 3


def test_a_table_of_nuttcp_has_the_time_at_the_end_of_an_interval() -> None:
    """NUWiNS, tcp_downlink_105454920.csv: the same as the log."""
    text = (
        "time,throughput_mbps,retrans,cwnd_kb\n2024-05-27T10:54:55.820867,16.7749,0,13\n"
        "2024-05-27T10:54:56.319707,61.8714,0,13\n2024-05-27T10:54:56.819776,81.7821,0,13\n"
    )
    found = of_nuttcp(text)
    assert found.times_s == pytest.approx((0, 0.5, 1), abs=0.002)
    assert found.down.rate_bps == of_nuttcp(NUTTCP).down.rate_bps


BUFFERED = "time,throughput_mbps,pkt_drop,pkt_total,loss\n" + "".join(
    f"2024-05-27T11:13:{5 + 24.5 * (n // 49):09.6f},{20 + n},1431,2737,52\n" for n in range(147)
)
"""As NUWiNS, udp_downlink_111241037.csv: 49 rows within 2 ms, then none for 24.5 s."""


def test_times_of_a_buffer_are_refused_unless_the_interval_is_given() -> None:
    with pytest.raises(BadInput, match="times at which a buffer was written; --interval-ms says"):
        of_nuttcp(BUFFERED)
    found = of_nuttcp(BUFFERED, interval_ms=500)
    assert list(found.times_s[:3]) == [0, 0.5, 1]
    assert len(found.times_s) == 147
    assert found.down.loss is None, "what a full line drops is no loss of the path"


def of_flent(
    results: dict[str, list[float | None]], raw: dict[str, list[dict[str, float]]] | None = None
) -> Measured:
    count = len(next(iter(results.values())))
    document = {
        "version": 4,
        "x_values": [0.2 * n for n in range(count)],
        "results": results,
        "raw_values": raw or {},
    }
    return flent.measured({"file": sample(json.dumps(document))}, PLAIN)


def test_rates_of_flent_begin_with_the_first_tcp_and_end_with_the_last() -> None:
    found = of_flent(
        {
            "TCP download::1": [None, 1.0, 2.0, None, 4.0, None],
            "TCP download::2": [None, None, 1.0, None, 1.0, None],
            "TCP download::2::tcp_rtt": [9.0] * 6,
            "TCP download avg": [None, 1.0, 1.5, None, 2.5, None],
            "TCP upload": [None, None, 0.5, 0.5, 0.5, 0.5],
        }
    )
    assert found.times_s == pytest.approx((0, 0.2, 0.4, 0.6, 0.8))
    down = Way(rate_bps=(1_000_000, 3_000_000, 3_000_000, 5_000_000, 5_000_000))
    assert (found.down, found.up) == (down, Way(rate_bps=(500_000,) * 5))


def test_of_pings_beside_tcp_the_shortest_is_the_delay_and_that_is_said() -> None:
    found = of_flent({"TCP download": [9.0, 9.0], "Ping (ms) ICMP": [10.6, 94.0]})
    assert found.down == Way(rate_bps=(9_000_000, 9_000_000), delay_s=(0.0053, 0.0053))
    assert "pings waited in the queue that TCP filled" in found.notes[0]


def test_one_way_delays_of_flent_keep_their_directions() -> None:
    """tohojo/flent, test-rrul_be-socket_stats: irtt's ways of about 10.1 ms each, 20.2 together."""
    raw = [
        {"owd_down": 10.105421, "owd_up": 10.101279, "seq": 0, "t": 1588855601.609, "val": 20.2067},
        {"owd_down": 10.175446, "owd_up": 10.09691, "seq": 1, "t": 1588855601.659, "val": 20.2723},
    ]
    results: dict[str, list[float | None]] = {
        "TCP download": [9.0, 9.0],
        "Ping (ms) UDP BE1": [20.2, 20.3],
    }
    found = of_flent(results, {"Ping (ms) UDP BE1": raw})
    assert (found.up.delay_s, found.down.delay_s) == ((0.0100969,) * 2, (0.0101054,) * 2)


def test_pings_alone_have_losses_where_numbers_are_missing() -> None:
    """tohojo/flent, test-rrul-icmp: raw values with the number and time of each answer."""
    raw = [{"seq": float(n), "t": 1436735904.4 + n, "val": 50.1} for n in range(1, 9) if n != 4]
    found = of_flent({"Ping (ms) ICMP": [50.1] * 8}, {"Ping (ms) ICMP": raw})
    assert found.down.loss == (0, 0, 0, 1, 0, 0, 0, 0)


def test_the_examples_give_rates_in_the_order_of_the_file() -> None:
    lines = printed("from-iperf3", EXAMPLES / "iperf3-down.json")
    assert len(lines) == 21
    assert "4.500061,0" in lines
    assert len(printed("from-nuttcp", EXAMPLES / "nuttcp-down.txt")) == 20
    both = schedule("from-flent", EXAMPLES / "tcp.flent.gz", "--direction", "both").stdout
    assert both.startswith("time_s,rate_up_bps,rate_down_bps,delay_up_s,delay_down_s\n")

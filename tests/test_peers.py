"""Networks shared with other simulators: the dumbbell, and queue disciplines."""

import json
import shutil
from pathlib import Path

import pytest
from benchmarks.peers import queues, red
from benchmarks.peers.measure import PROGRAM, Case, Cost, page, run, tools


def cost(tool: str, user_seconds: float) -> Cost:
    return Cost(tool, "sack", 5, 20.0, 5, 1_000_000, user_seconds, setup_user_seconds=0.5)


def test_set_up_is_taken_off_before_packet_hops_are_compared() -> None:
    text = page([cost("longfat", 0.8), cost("ns-2", 3.5)])
    assert "| sack | 5 | longfat | 300 | 1.0 |  | 0.800 | 0.500 |" in text
    assert "| sack | 5 | ns-2 | 3000 | 10.0 |  | 3.500 | 0.500 |" in text


def test_a_small_difference_of_large_times_is_no_figure() -> None:
    text = page([cost("longfat", 0.8), cost("ns-2", 0.7)])
    assert "| sack | 5 | ns-2 | lost in set-up |  |  | 0.700 | 0.500 |" in text


def test_ns_2_and_longfat_send_the_same_until_the_first_loss_comes_back() -> None:
    if shutil.which("ns") is None or not PROGRAM.exists():
        pytest.skip("ns-2 and the release build of run_scenario are needed")
    by_name = {tool.name: tool for tool in tools(None, 1.0, 1)}
    case = Case("newreno", 5, 0.3)
    ours, _ = run(by_name["longfat"].command(case))
    sent = sum(flow["segments_sent"] for flow in json.loads(ours)["flows"])
    for name in ("ns-2", "ns-2, lean headers"):
        output, _ = run(by_name[name].command(case))
        assert int(output.split()[0]) == pytest.approx(sent, rel=0.01), name


ROOT = Path(__file__).parents[1]
QUEUES = queues.read(ROOT / "benchmarks/record/2026-11-22-queues.json")


def test_the_page_has_the_record_of_queue_disciplines() -> None:
    page = (ROOT / "docs/models/queue-disciplines.md").read_text()
    assert queues.page(QUEUES) in page
    cases = {(pair.discipline, pair.sources) for pair in QUEUES}
    assert cases == {(name, n) for name in queues.DISCIPLINES for n in queues.SOURCES}


@pytest.mark.parametrize("pair", QUEUES, ids=lambda pair: f"{pair.discipline}-{pair.sources}")
def test_queue_disciplines_do_what_those_of_ns_3_do(pair: queues.Pair) -> None:
    here, ns3 = queues.mean(pair.here), queues.mean(pair.ns3)
    assert here.utilization == pytest.approx(ns3.utilization, rel=0.02)
    assert here.mean_wait_s == pytest.approx(ns3.mean_wait_s, rel=0.1)


RED = red.read(ROOT / "benchmarks/record/2026-11-25-red.json")


def test_the_page_has_the_record_of_red() -> None:
    assert red.page(RED) in (ROOT / "docs/models/queue-disciplines.md").read_text()
    assert all(
        len(RED[name]) == len(red.STARTS_WITHIN_MILLISECONDS) for name in (*red.READINGS, red.NS2)
    )


def test_red_with_the_settings_of_ns_2_does_what_ns_2_does() -> None:
    here, ns2 = red.mean(RED[red.OF_NS2]), red.mean(RED[red.NS2])
    assert here.goodput_bps == pytest.approx(ns2.goodput_bps, rel=0.01)
    assert here.packets_dropped == pytest.approx(ns2.packets_dropped, rel=0.05)
    assert here.mean_queue_packets == pytest.approx(ns2.mean_queue_packets, rel=0.05)

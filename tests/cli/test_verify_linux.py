"""`longfat verify linux` at the command line."""

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from longfat import _engine
from longfat.running.execution import execute
from longfat.verification import recordings
from longfat.verification.disciplines import NotExpressible, discipline, red_weight
from longfat.verification.linux import chosen, verify
from longfat.verification.measures import first_burst, turns
from longfat.verification.network import (
    ANSWER_US,
    PACKET_US,
    Host,
    packet_s,
    scenario_of,
    starts,
)
from longfat.verification.recordings import Experiment, Recording, experiments, read_recording
from tests.support import Longfat

SMALL = "cubic-pfifo-10mbit-40ms"
"""A recording with which the preset agrees packet by packet."""


def test_a_preset_that_agrees_passes_and_tells_how_far_packets_are_in_order(
    longfat: Longfat,
) -> None:
    process = longfat("verify", "linux", "--only", SMALL, "--json")
    assert process.returncode == 0, process
    (recording,) = json.loads(process.stdout)["recordings"]
    assert (recording["kernel"], recording["held_out"]) == ("6.12.95", False)
    by_name = {measure["measure"]: measure for measure in recording["measures"]}
    assert by_name["first burst"]["linux"] == by_name["first burst"]["longfat"] == 4
    for name in ("goodput", "mean queue", "mean wait", "95th percentile of waits"):
        measure = by_name[name]
        assert abs(measure["longfat"] - measure["linux"]) <= measure["half_width"], measure
    assert recording["first_difference"]["time_s"] is None
    assert recording["first_difference"]["agreed"] == 9


def test_another_preset_is_out_of_its_bands_and_exits_with_1(longfat: Longfat) -> None:
    process = longfat("verify", "linux", "--only", SMALL, "--preset", "rfc")
    assert process.returncode == 1, process
    assert "outside" in process.stdout
    assert "of 1 recordings are outside of their bands" in process.stderr


def test_a_wrong_factor_of_cubic_is_out_of_its_bands(longfat: Longfat) -> None:
    wrong = 'connections[0].flavor={ kind = "cubic", beta = 0.5 }'
    process = longfat("verify", "linux", "--only", SMALL, "--set", wrong, "--json")
    assert process.returncode == 1, process
    document = json.loads(process.stdout)
    (recording,) = document["recordings"]
    outside = {each["measure"] for each in recording["measures"] if each["verdict"] == "outside"}
    assert {"mean queue", "mean wait"} <= outside
    assert recording["first_difference"]["event"].startswith(("threshold", "retransmission"))


def test_the_table_has_both_values_and_a_summary(longfat: Longfat) -> None:
    process = longfat("verify", "linux", "--only", SMALL)
    assert process.returncode == 0, process
    for word in ("mean queue", "none in 9 events", "summary, not held out", "6.12.95"):
        assert word in process.stdout


def test_every_declared_experiment_is_compared_or_named_with_a_reason() -> None:
    declared = recordings.experiments()
    verification = verify("linux-6.12", declared, 2)
    compared = {each.experiment.name for each in verification.compared}
    left_out = {experiment.name: reason for experiment, reason in verification.left_out}
    assert compared.isdisjoint(left_out)
    assert compared | left_out.keys() == {each.name for each in declared}
    assert all(left_out.values())
    assert len(verification.compared) == sum(
        len(each.recordings()) for each in declared if each.name in compared
    )
    for each in verification.compared:
        assert {"retransmissions", "mean queue"} <= {found.measure for found in each.findings}


def test_without_the_held_out_experiments_their_recordings_are_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def text_of(path: Path) -> str:
        read.append(path.name)
        return path.read_bytes().decode()

    monkeypatch.setattr(Path, "read_text", text_of)
    verification = verify("linux-6.12", chosen("bbr-*-10mbit-40ms", "none"), 2)
    held_out = {each.name for each in recordings.experiments() if each.held_out}
    texts = {name for name in read if name.endswith(".txt")}
    assert texts
    assert not {name for name in texts if name.removesuffix(".txt").split("+")[0] in held_out}
    assert not any(each.experiment.held_out for each in verification.compared)
    assert not any(experiment.held_out for experiment, _ in verification.left_out)


def test_held_out_ones_may_be_chosen_alone() -> None:
    assert all(each.held_out for each in chosen(None, "only"))
    assert len(chosen(None, "only")) + len(chosen(None, "none")) == len(chosen(None, "both"))


def test_known_differences_are_explained_and_those_that_are_gone_are_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    entries = "".join(
        f'[[explained]]\nexperiment = "{SMALL}"\nmeasure = "{measure}"\n'
        'reason = "a test"\nsource = "tcp.c:1"\n'
        for measure in ("mean queue", "mean wait", "drops")
    )
    (tmp_path / "explained.toml").write_text(entries)
    monkeypatch.setattr("longfat.records.differences.EXPLAINED", tmp_path / "explained.toml")
    wrong = ("connections[0].flavor", '{ kind = "cubic", beta = 0.5 }', "the test")
    changed = verify("linux-6.12", chosen(SMALL, "none"), 1, [wrong])
    verdicts = {found.measure: found.verdict for found in changed.compared[0].findings}
    assert verdicts["mean queue"] == verdicts["mean wait"] == "explained"
    as_recorded = verify("linux-6.12", chosen(SMALL, "none"), 1)
    assert [entry.measure for entry in changed.stale] == ["drops"]
    assert [entry.measure for entry in as_recorded.stale] == ["mean queue", "mean wait", "drops"]


def test_bad_options_get_one_message(longfat: Longfat) -> None:
    for arguments, message in (
        (["--only", "nothing-*"], "none of the"),
        (["--preset", "linux-6.13"], "--preset: tcp.preset: unknown preset"),
        (["--held-out", "some"], "'some' is not one of"),
        (["--only", SMALL, "--set", "tcp.mss=0 B"], "tcp.mss"),
    ):
        process = longfat("verify", "linux", *arguments)
        assert process.returncode == 2, (arguments, process)
        assert message in process.stderr
        assert "Traceback" not in process.stderr


def test_a_burst_ends_at_the_first_pause() -> None:
    assert first_burst([1.0, 1.01, 1.05, 1.12, 2.0], 0.04) == 3


def test_turns_are_falls_that_recordings_cannot_miss() -> None:
    saw = [(float(time), float(50 + time % 20), None) for time in range(100)]
    peaks, troughs = turns(saw, 20.0)
    assert [time for time, _ in peaks] == [39.0, 59.0, 79.0]
    assert {window for _, window in troughs} == {50.0}
    flat = [(float(time), 50.0 - time % 3, None) for time in range(100)]
    assert turns(flat, 0.0) == ([], [])


def of_tc(words: str) -> tuple[str, object]:
    """Return buffer and discipline for words of tc, with packets of a millisecond."""
    declared = {"buffer_packets": 65, "discipline": words}
    experiment = recordings.Experiment("of-tc", "discipline", False, declared)
    return discipline(experiment, 1e-3)


def test_words_of_tc_are_a_buffer_and_a_discipline() -> None:
    """A shaper has taken out one packet more, which waits for its transmission of a millisecond."""
    assert of_tc("fq limit 33 flow_limit 32") == ("34 packets", {"kind": "fq", "flow_limit": 33})
    assert of_tc("sfq limit 66 perturb 0") == ("66 packets", {"kind": "sfq"})
    pie = {"kind": "fq-pie", "target": "16000.000 us"}
    assert of_tc("fq_pie limit 1000") == ("1000 packets", pie)
    codel = {"kind": "codel", "target": "101000.000 us", "ce_threshold": "6000.000 us", "ecn": True}
    assert of_tc("codel limit 66 target 100ms ce_threshold 5ms ecn") == ("66 packets", codel)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("sfq perturb 10", "no words for perturb of sfq"),
        ("fq maxrate 1mbit", "no words for maxrate of fq"),
        ("fq_pie memory_limit 1m", "no words for memory_limit of fq_pie"),
        ("hhf limit 100", "no model of the discipline hhf"),
    ],
)
def test_words_of_tc_that_longfat_has_not_are_named(words: str, message: str) -> None:
    with pytest.raises(NotExpressible, match=message):
        of_tc(words)


def test_the_weight_of_red_is_the_largest_that_lets_a_burst_pass() -> None:
    def average_after(burst: int, weight: float) -> float:
        average = 0.0
        for length in range(1, burst + 1):
            average += weight * (length - average)
        return average

    weight = red_weight(17, 10)
    assert average_after(17, weight) <= 10 < average_after(17, 2 * weight)


def recorded(name: str) -> tuple[Experiment, Recording]:
    """Return a declared experiment with its first recording."""
    experiment = next(each for each in experiments() if each.name == name)
    return experiment, read_recording(experiment.recordings()[0])


def test_packets_of_a_large_window_reach_the_queue_one_processing_time_apart() -> None:
    """Whole sampling intervals of a recording whose window of 65,535 is sent at once."""
    _, recording = recorded("hybla-10mbit-600ms-248")
    rows = [[float(word) for word in row] for row in recording.rows("queue")]
    busy = [
        (now[0] - before[0], now[1] - before[1] + now[3] + now[4])
        for before, now in itertools.pairwise(rows)
        if before[3] > 1000 and now[3] > 3000
    ]
    assert len(busy) >= 4
    apart_us = 1e3 * sum(time for time, _ in busy) / sum(packets for _, packets in busy)
    assert apart_us == pytest.approx(PACKET_US, rel=0.01)


def test_the_first_connection_of_a_guest_sends_its_syn_when_its_round_trip_begins() -> None:
    _, recording = recorded("reno-of-20-40-80-160ms-10mbit")
    begun = [connection.began_s for connection in recording.connections]
    sent = starts(recording)
    assert max(begun) - min(begun) > 5e-3
    assert max(sent) - min(sent) < 5e-4


def test_the_rest_of_each_round_trip_is_on_the_way_back() -> None:
    experiment, recording = recorded("reno-of-20-40-80-160ms-10mbit")
    scenario = scenario_of(experiment, recording, Host.of("linux-6.12"))
    delays_us = {
        frozenset((link["from"], link["to"])): float(link["delay"].split()[0])
        for link in scenario["topology"]["links"]
    }

    def way_us(nodes: list[str]) -> float:
        return sum(delays_us[frozenset(pair)] for pair in itertools.pairwise(nodes))

    for group, flow in zip(scenario["connections"], experiment.declared["flows"], strict=True):
        there = way_us([group["from"], *group["route"], group["to"]])
        back = way_us([group["to"], *group["route_back"], group["from"]])
        assert there + back == pytest.approx(1e3 * flow["round_trip_ms"] + ANSWER_US)
        assert there == pytest.approx(500 * experiment.declared["round_trip_ms"] + ANSWER_US / 2)


def test_bbr_in_a_busy_guest_believes_in_more_than_the_line_carries() -> None:
    """Where it neither probes nor drains, its rate is 99 % of the bandwidth it believes in."""
    experiment, recording = recorded("bbr-1gbit-10ms-138-jumbo")
    segment = recording.connections[0].segment_bytes
    line_kbit = 8e-3 * segment / packet_s(experiment, segment)
    rates = [float(row[9]) for row in recording.rows("tcp_info 0")]
    steady = [rate / 0.99 for rate in rates if 0.9 < rate / line_kbit < 1.1]
    assert len(steady) > len(rates) / 2
    assert all(rate > line_kbit for rate in steady)


@pytest.mark.parametrize(
    ("preset", "rate", "told"),
    [("linux-6.12", "1 Gbit/s", 1), ("linux-6.12", "10 Mbit/s", 0), ("linux-like", "1 Gbit/s", 0)],
)
def test_a_control_of_linux_says_where_it_differs(
    preset: str, rate: str, told: int, longfat: Longfat, tmp_path: Path
) -> None:
    line = {"rate": rate, "delay": "5 ms"}
    scenario = {
        "schema_version": 1,
        "duration": "10 s",
        "framing": {"kind": "packet"},
        "topology": {"kind": "n-source", "sources": 1, "access": line, "bottleneck": line},
        "port": {"buffer": "100 packets"},
        "tcp": {"preset": preset, "flavor": "bbr"},
    }
    (tmp_path / "scenario.json").write_text(json.dumps(scenario))
    process = longfat("check", str(tmp_path / "scenario.json"), "--json")
    remarks = json.loads(process.stdout)["remarks"]
    assert len([remark for remark in remarks if "in Linux had" in remark]) == told
    if told:
        assert "in Linux had another mean queue on such a path" in " ".join(remarks)
    # A run says the same, once: on stderr or in JSON.
    run = longfat("run", str(tmp_path / "scenario.json"), "--set", "duration=100 ms")
    assert len(re.findall("^bbr in Linux had", run.stderr, re.M)) == told
    run = longfat("run", str(tmp_path / "scenario.json"), "--set", "duration=100 ms", "--json")
    said = [remark for remark in json.loads(run.stdout)["remarks"] if "in Linux had" in remark]
    assert said == [remark for remark in remarks if "in Linux had" in remark]
    assert "in Linux had" not in run.stderr


def test_ten_microseconds_decide_how_many_packets_short_flows_lose() -> None:
    experiment, recording = recorded("cubic-30-of-50kB-beside-cubic-10mbit-40ms")
    scenario = scenario_of(experiment, recording, Host.of("linux-6.12"))
    start_us = 1e6 * starts(recording)[0]
    outcomes: list[Any] = []
    texts = []
    for later_us in (0, 10):
        scenario["connections"][0]["later"] = f"{start_us + later_us:.0f} us"
        document = json.dumps(scenario).encode()
        texts.append(_engine.resolve_scenario(document, "scenario.json", ()))
    execute(texts, 1, lambda found, _: outcomes.extend(found))
    fewer, more = (
        sum(flow["segments_retransmitted"] for flow in outcome.record["flows"])
        for outcome in outcomes
    )
    assert more > 1.4 * fewer

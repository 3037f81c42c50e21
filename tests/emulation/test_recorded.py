"""This machine's kernel beside recordings of Linux."""

import json
from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat.emulation import recorded
from longfat.emulation.recorded import RealRun, hold, refusal
from longfat.running.execution import Watch
from longfat.scenarios.scenario import Scenario
from longfat.traces import load_traces
from longfat.traces.captured import read_capture
from longfat.verification.linux import chosen
from longfat.verification.network import Host, resolved
from longfat.verification.observed import TRACES, by_flow
from longfat.verification.recordings import Experiment, experiments, read_recording
from tests.support import Longfat

NAME = "cubic-10mbit-40ms-16"
SHORT = "bbr-100mbit-40ms-330"


def named(name: str) -> Experiment:
    (found,) = (each for each in experiments() if each.name == name)
    return found


def as_if_real(experiment: Experiment, folder: Path, *, is_on_time: bool = True) -> RealRun:
    """A run of the model, in the form in which a kernel is observed."""
    recording = read_recording(experiment.recordings()[0])
    text = resolved(experiment, recording, Host.of("linux-6.12"))
    watch = Watch(folder / "traces", (*TRACES, "flight"), error=0.0, pcap=folder / "a.pcapng")
    longfat.run(Scenario(text), watch=watch)
    traces = load_traces(folder / "traces")
    start = json.loads(text)["connections"][0]["later_ps"] / 1e12
    segment = recording.connections[0].segment_bytes
    rows = [
        [time - start, window / segment, None, 0]
        for time, window in traces.table("cwnd").select("time_s", "cwnd_bytes").iter_rows()
    ]
    lateness = {"is_on_time": is_on_time, "p99_s": 0.002}
    return RealRun(
        {"segment_bytes": segment, "rows": rows},
        read_capture(folder / "a.pcapng")[0],
        {"lateness": lateness, "scheduling": {}, "kernel": {}},
        by_flow(folder / "traces" / "queue-by-flow.parquet"),
    )


def test_a_kernel_that_does_what_the_model_does_has_its_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = named(NAME)
    real = as_if_real(experiment, tmp_path)
    monkeypatch.setattr(recorded, "_run", lambda *_: real)
    (compared,) = hold("linux-6.12", [experiment], 1)
    assert {row.measure for row in compared.rows} >= {"goodput", "period", "peak", "mean queue"}
    for row in compared.rows:
        assert row.verdict_of_longfat == "within", row
        assert row.kernel == pytest.approx(row.longfat, rel=0.01, abs=1e-3), row
    assert compared.outside == []


def test_a_run_with_late_packets_is_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = named(NAME)
    real = as_if_real(experiment, tmp_path, is_on_time=False)
    monkeypatch.setattr(recorded, "_run", lambda *_: real)
    (compared,) = hold("linux-6.12", [experiment], 1)
    assert {row.verdict for row in compared.rows} == {"not judged"}
    assert compared.rows[0].reason == "packets were late, 1 of 100 by 2 ms"


def test_experiments_that_are_not_one_sender_over_a_line_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert "100 Mbit/s" in str(refusal(named("bbr-1gbit-10ms-138-jumbo")))
    for name in ("cubic-codel-10mbit-40ms", "cubic-rate-steps-40ms", "bbr-cubic-10mbit-40ms-32"):
        assert "not one sender" in str(refusal(named(name))), name
    (tmp_path / "available").write_text("reno cubic\n")
    monkeypatch.setattr(recorded, "_AVAILABLE", tmp_path / "available")
    assert refusal(named(SHORT)) == "this kernel has no bbr now (modprobe tcp_bbr)"
    assert refusal(named(NAME)) is None
    possible = [each for each in chosen(None, "both") if refusal(each) is None]
    assert {each.declared["flows"][0]["control"] for each in possible} == {"reno", "cubic"}


def test_options_that_leave_nothing_to_run_are_told(longfat: Longfat) -> None:
    ended = longfat("verify", "kernel", "--only", "bbr-1gbit-*")
    assert ended.returncode == 2
    assert "bbr-1gbit-10ms-138-jumbo: more than 100 Mbit/s" in ended.stderr
    for options, words in (
        (["--priority", "0"], "expected a number from 1 to 99, or none"),
        (["--spin", "1 s"], "at most 10 ms"),
        (["--repetitions", "0"], "repetitions"),
    ):
        ended = longfat("verify", "kernel", "--only", NAME, *options)
        assert ended.returncode == 2
        assert words in ended.stderr


@pytest.mark.usefixtures("namespaces")
def test_the_kernel_of_this_machine_sends_over_the_network_of_a_recording(
    longfat: Longfat,
) -> None:
    """Nothing here depends on lateness but the exit code."""
    name = "reno-linux-6.1-10mbit-40ms-32"
    ended = longfat("verify", "kernel", "--only", name, "--json")
    assert ended.returncode in (0, 1), ended.stderr
    (recording,) = json.loads(ended.stdout)["recordings"]
    assert (recording["name"], recording["control"]) == (name, "reno")
    assert recording["runs"][0]["lateness"]["packets"] > 5000
    by_name: dict[str, Any] = {row["measure"]: row for row in recording["measures"]}
    assert 2 < by_name["goodput"]["kernel"] < 10
    assert by_name["goodput"]["recorded"] == pytest.approx(9.5, rel=0.03)
    assert by_name["retransmissions"]["kernel"] > 0

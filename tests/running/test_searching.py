"""The smallest setting of a scenario, by simulating some of them."""

import copy
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from longfat import _engine, load_scenario, run, smallest_setting
from longfat.base.errors import InvalidInput, LongfatError, OverLimit, RunFailed
from longfat.running.limits import Limits
from longfat.running.searching import Span

LAN: dict[str, Any] = {
    "schema_version": 1,
    "duration": "2 s",
    "framing": "ethernet",
    "topology": {
        "kind": "n-source",
        "sources": 4,
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "10 ms"},
    },
    "port": {"buffer": "50 packets", "queue": "tail-drop"},
    "tcp": {"preset": "linux-like"},
    "traffic": {"kind": "infinite", "start": "uniform(0 ms, 100 ms)"},
}
"""A scenario of some CPU milliseconds with random starts of connections."""

BUFFERS = ("port.buffer", "2 packets", "200 packets")


def of_replications(setting: str, metric: str = "efficiency") -> list[float]:
    """Results of eight replications, run one by one."""
    scenarios = load_scenario(LAN, {"port.buffer": setting}).replicated(range(1, 9))
    return [run(scenario)["metrics"][metric] for scenario in scenarios]


def test_the_smallest_buffer_is_found_between_too_little_and_enough() -> None:
    found = smallest_setting(LAN, *BUFFERS, 0.9, resolution=0.2)
    assert found.enough is not None
    assert found.too_little is not None
    assert 2 <= found.too_little < found.enough < 200
    mean = math.fsum(of_replications(f"{found.enough} packets")) / 8
    assert found.tried[found.enough] == pytest.approx(mean, abs=1e-12)
    assert found.verdicts[found.enough] == "enough"


def test_a_checked_scenario_is_searched_as_what_it_was_loaded_from() -> None:
    answers = [
        smallest_setting(each, *BUFFERS, 0.9, resolution=1) for each in (LAN, load_scenario(LAN))
    ]
    assert answers[0] == answers[1]


def test_the_answer_is_the_same_with_any_number_of_threads() -> None:
    answers = [smallest_setting(LAN, *BUFFERS, 0.9, resolution=0.5, jobs=n) for n in (1, 3)]
    assert answers[0] == answers[1]


def test_shares_are_of_the_largest_in_the_same_replication() -> None:
    found = smallest_setting(LAN, *BUFFERS, 0.95, of_largest=True, resolution=1)
    assert (found.tried[200], found.half_widths[200]) == (1, 0)
    pairs = zip(of_replications("2 packets"), of_replications("200 packets"), strict=True)
    shares = [own / most for own, most in pairs]
    assert found.tried[2] == pytest.approx(math.fsum(shares) / 8, abs=1e-12)


def test_of_some_metrics_less_is_better() -> None:
    found = smallest_setting(LAN, *BUFFERS, 0.05, metric="cell_loss_ratio", resolution=0.5)
    assert found.enough is not None
    assert found.verdicts[2] == "too little"
    assert found.tried[found.enough] <= 0.05 < found.tried[2]


def test_settings_may_have_no_unit_and_others_may_be_set_beside_them() -> None:
    found = smallest_setting(
        LAN, "topology.sources", 1, 4, 0.5, overrides={"duration": "500 ms"}, replications=2
    )
    assert set(found.tried) <= {1, 2, 3, 4}
    with pytest.raises(LongfatError, match="topology.sources is the setting that is searched for"):
        smallest_setting(LAN, "topology.sources", 1, 4, 1, overrides={"topology.sources": 2})


def test_a_file_that_changes_during_a_search_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "lan.json"
    file.write_text(json.dumps(LAN))
    changed = copy.deepcopy(LAN)
    changed["topology"]["sources"] = 1

    def change(*_look: object) -> None:
        file.write_text(json.dumps(changed))

    found = smallest_setting(file, *BUFFERS, 0.9, resolution=1, show=change)
    assert found == smallest_setting(LAN, *BUFFERS, 0.9, resolution=1)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ("50 packets", "4000 cells", "only if both have one unit"),
        ("50", "4000 cells", "only if both have one unit"),
        ("4000 cells", "50 cells", "up from a setting above 0, not from 4000 cells to 50 cells"),
        ("50 cells", "50 cells", "up from a setting above 0"),
        ("0 cells", "50 cells", "up from a setting above 0"),
        ("0.5 RTT", "2 BDP", "only if both have one unit"),
        ("0.00 BDP", "2 BDP", "up from a setting above 0"),
        ("0.5 BDP", "0.50 BDP", "up from a setting above 0"),
        (".5 RTT", "2 RTT", "numbers of a unit, such as '50 packets' or '0.5 BDP', not '.5 RTT'"),
        ("0.1234567 BDP", "2 BDP", "not '0.1234567 BDP'"),
        ("-5 cells", "50 cells", "not '-5 cells'"),
        ("1e3 cells", "2e3 cells", "not '1e3 cells'"),
        ("1_000 cells", "2_000 cells", "not '1_000 cells'"),
        ("unlimited", "unlimited", "not 'unlimited'"),
        ("", "5", "not ''"),
        ("9" * 5000, "5", "numbers of a unit"),
    ],
)
def test_settings_that_are_no_numbers_of_one_unit_in_order_are_refused(
    low: str, high: str, message: str
) -> None:
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, "port.buffer", low, high, 0.9)


def test_a_setting_is_written_as_scenarios_have_it() -> None:
    assert Span.between(" 64kB", "512 kB ").text(80) == "80 kB"
    assert Span.between(2, "40").text(3) == "3"
    assert Span.between("1 packet", "200 packets").text(1) == "1 packets"
    assert Span.between("1 Mbit/s", "9 Mbit/s").unit == "Mbit/s"


def test_settings_have_as_many_decimals_as_the_bounds() -> None:
    span = Span.between("0.25 BDP", "2 BDP")
    assert (span.low, span.high) == (25, 200)
    assert [span.number(25), span.number(37), span.number(200)] == [0.25, 0.37, 2]
    assert [span.text(span.number(steps)) for steps in (25, 200)] == ["0.25 BDP", "2.00 BDP"]
    assert Span.between(0.5, 2).text(1.5) == "1.5"


def test_hundredths_of_a_bandwidth_delay_product_are_searched_through() -> None:
    found = smallest_setting(LAN, "port.buffer", "0.10 BDP", "4 BDP", 0.9)
    assert found.enough is not None
    assert found.too_little is not None
    assert 0.1 <= found.too_little < found.enough < 4
    assert {0.1, 4}.issubset(found.tried)
    assert found.enough == round(found.enough, 2)
    mean = math.fsum(of_replications(f"{found.enough:.2f} BDP")) / 8
    assert found.tried[found.enough] == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize(
    ("path", "low", "high", "message"),
    [
        ("port.bufer", "5 packets", "9 packets", r'--set port.bufer=9 packets: .* mean "buffer"'),
        ("port.buffer", "5 B", "9000 B", "--set port.buffer=5 B: .* cannot hold one"),
        ("port.buffer", "50 apples", "90 apples", "--set port.buffer=90 apples"),
        ("port.buffer", 50, 90, "--set port.buffer=90: .* found the number 90"),
    ],
)
def test_a_refusal_of_the_engine_is_reported_unchanged_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, path: str, low: str | int, high: str | int, message: str
) -> None:
    monkeypatch.delattr(_engine, "run_batch")
    with pytest.raises(InvalidInput, match=message):
        smallest_setting(LAN, path, low, high, 0.9)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("efficency", "no metric is called 'efficency'; did you mean 'efficiency'?"),
        ("xyz", "no metric is called 'xyz'; known: cell_loss_ratio, .*efficiency"),
        ("offered_bps", "of offered_bps neither more nor less is better; of these .*efficiency"),
    ],
)
def test_metrics_of_which_nothing_is_better_are_refused(metric: str, message: str) -> None:
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, *BUFFERS, 0.9, metric=metric)


def test_a_metric_that_runs_do_not_have_is_refused_with_those_that_they_have() -> None:
    message = "runs of this scenario have no least_share_of_mcr; they have efficiency, fairness"
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, *BUFFERS, 0.9, metric="least_share_of_mcr")


def test_nothing_is_a_share_of_a_largest_that_is_zero() -> None:
    message = "200 packets: packets_lost is 0 in replication 1, so no share of it is a target"
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, *BUFFERS, 1.1, metric="packets_lost", of_largest=True)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "efficiency is 1 at most, and 90 is asked for; 90 % are 0.9"),
        ({"metric": "cell_loss_ratio"}, "cell_loss_ratio is 1 at most"),
        ({"metric": "goodput_bps", "of_largest": True}, "the largest setting yields is 1 at most"),
    ],
)
def test_percents_in_place_of_shares_are_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], message: str
) -> None:
    monkeypatch.delattr(_engine, "run_batch")
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, *BUFFERS, 90, **asked)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"target": math.nan}, "a target that is a finite number, not nan"),
        ({"replications": 1}, "replications: 1 is no whole number from 2 on"),
        ({"jobs": 0}, "jobs: 0 is no whole number from 1 on"),
        ({"confidence": 1.0}, "a confidence between 0 and 1"),
        ({"resolution": 0.0}, "a resolution above 0"),
    ],
)
def test_numbers_that_cannot_be_searched_with_are_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, numbers: dict[str, Any], message: str
) -> None:
    monkeypatch.delattr(_engine, "run_batch")
    with pytest.raises(LongfatError, match=message):
        smallest_setting(LAN, *BUFFERS, **{"target": 0.9, **numbers})


def test_limits_are_kept_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_engine, "run_batch")
    with pytest.raises(OverLimit, match="raise the limit"):
        smallest_setting(LAN, *BUFFERS, 0.9, limits=Limits(events=10))


def test_a_run_that_fails_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def batch(
        resolved: Sequence[str],
        _jobs: int,
        report: Callable[[list[tuple[int, str]], float], object],
        *_others: Any,
    ) -> None:
        failure = json.dumps({"failure": "a cell is lost"})
        report([(index, failure) for index in range(len(resolved))], 0)

    monkeypatch.setattr(_engine, "run_batch", batch)
    with pytest.raises(RunFailed, match="200 packets, replication 1: a cell is lost"):
        smallest_setting(LAN, *BUFFERS, 0.9)

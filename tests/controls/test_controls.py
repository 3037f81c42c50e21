"""Congestion controls of users: classes and libraries that the engine calls."""

# ruff: noqa: ARG002 - controls get more arguments than they use

from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat import _engine
from longfat.controls import Delivery, Progress, Window
from longfat.records.record import Record

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "controls"

WAN = {
    "schema_version": 1,
    "duration": "5 s",
    "topology": {
        "kind": "n-source",
        "sources": 3,
        "access": {"delay": "5 ms"},
        "bottleneck": {"delay": "5 ms"},
    },
    "port": {"buffer": "1000 cells"},
    "tcp": {"receiver_window": "600000 B"},
}


def external(control: str, recovery: str = "newreno", **parameters: float) -> dict[str, Any]:
    """A flavor with a control of the user."""
    return {
        "kind": "external",
        "control": control,
        "recovery": recovery,
        "parameters": parameters,
    }


def run_with(flavor: str | dict[str, Any], **settings: Any) -> Record:
    """The record of a WAN with a flavor."""
    return longfat.run(longfat.load_scenario(WAN, {"tcp.flavor": flavor, **settings}))


class Fixed:
    """A window of so many segments."""

    def __init__(self, segments: float = 10) -> None:
        self.segments = segments

    def on_acknowledgment(self, window: Window, progress: Progress) -> None:
        """Make it what it is to be."""
        window.cwnd = self.segments * window.mss

    def on_loss(self, window: Window, flight: int) -> None:
        """Do nothing."""

    def on_timeout(self, window: Window, flight: int) -> None:
        """Do nothing."""


def test_reno_written_out_in_python_sends_every_packet_as_the_engines_own() -> None:
    longfat.use_control("reno", EXAMPLES / "reno.py")
    own = run_with("newreno")
    assert own["flows"][0]["segments_retransmitted"] > 0
    record = run_with(external("reno"))
    assert record["fingerprint"] == own["fingerprint"]
    assert record["metrics"] == own["metrics"]
    assert {flow["flavor"] for flow in record["flows"]} == {"reno"}


def test_both_drivers_ask_a_control_alike() -> None:
    longfat.use_control("fixed", Fixed)
    scenario = longfat.load_scenario(WAN, {"tcp.flavor": external("fixed", segments=200)})
    fast, events = (longfat.run(scenario, driver=driver) for driver in ("fast", "events"))
    assert fast["fingerprint"] == events["fingerprint"]
    assert fast["flows"][0]["max_cwnd_bytes"] == 200 * 512


def test_a_control_that_goes_by_round_trips_keeps_the_queue_near_its_target() -> None:
    longfat.use_control("delay", EXAMPLES.parent / "newcomer" / "newcomer.py")
    path = {
        **WAN,
        "duration": "20 s",
        "framing": "packet",
        "topology": {
            "kind": "n-source",
            "sources": 2,
            "access": {"rate": "1 Gbit/s", "delay": "5 ms"},
            "bottleneck": {"rate": "50 Mbit/s", "delay": "10 ms"},
        },
        "port": {"buffer": "1 BDP"},
        "tcp": {"preset": "linux-like", "flavor": external("delay", "rack-tlp", target_ms=5)},
    }
    record = longfat.run(path)
    waiting_s = record["metrics"]["mean_queue_cells"] * 1500 * 8 / 50e6
    assert 0.003 < waiting_s < 0.007
    assert record["metrics"]["efficiency"] > 0.9
    assert record["metrics"]["cell_loss_ratio"] == 0


def test_every_method_of_a_control_is_called_with_its_documented_arguments() -> None:
    told: dict[str, Any] = {}

    class Curious(Fixed):
        def on_acknowledgment(self, window: Window, progress: Progress) -> None:
            told["progress"] = progress
            window.grow_classically(progress.acknowledged)

        def on_loss(self, window: Window, flight: int) -> None:
            told["loss"] = flight
            window.halve(flight)

        def on_timeout(self, window: Window, flight: int) -> None:
            told["timeout"] = (window.mss, window.receiver_window, repr(window))
            window.halve_threshold(flight)
            window.collapse()

        def on_delivery(self, window: Window, delivery: Delivery) -> None:
            told["delivery"] = delivery

        def on_lost_segment(self, window: Window, lost: Any) -> None:
            told["lost"] = lost

        def on_opened(self, now_s: float, round_trip_s: float) -> None:
            told["opened"] = (now_s, round_trip_s)

        def on_restart_from_idle(self, now_s: float) -> None:
            told["restart"] = now_s

        def pacing_rate(self, window: Window) -> float | None:
            told["rate"] = window.cwnd
            return 1e6

        def take_chance(self, chance: Any) -> None:
            told["drawn"] = [chance.draw() for _ in range(100)]

    longfat.use_control("curious", Curious)
    run_with(
        external("curious", "rack-tlp"),
        **{
            "tcp.handshake": True,
            "tcp.timestamps": True,
            "loss": {"kind": "random", "probability": 0.003},
            "traffic": {"kind": "messages", "size": "100000 B", "interval": "500 ms"},
        },
    )
    assert told["progress"].acknowledged > 0
    assert 0.03 < told["progress"].smoothed_round_trip_s < 1
    assert 0.015 < told["progress"].one_way_delay_s < told["progress"].smoothed_round_trip_s
    assert told["delivery"].total >= told["delivery"].total_when_sent
    assert told["lost"].bytes == 512
    assert 0.029 < told["opened"][1] < 0.04
    assert told["rate"] >= 512
    assert len(set(told["drawn"])) == 100
    assert all(0 <= number < 1 for number in told["drawn"])
    assert {"loss", "restart"} <= set(told)


def test_marks_are_losses_to_a_control_that_makes_nothing_else_of_them() -> None:
    answers: list[str] = []

    class Marked(Fixed):
        def on_acknowledgment(self, window: Window, progress: Progress) -> None:
            window.grow_classically(progress.acknowledged)

        def on_loss(self, window: Window, flight: int) -> None:
            answers.append("loss")
            window.halve(flight)

    class Telling(Marked):
        def on_mark(self, window: Window, flight: int) -> None:
            answers.append("mark")
            window.halve(flight)

        def observe_marks(self, acknowledged: int, marked: int, *_: int) -> None:
            answers.extend(["seen"] * (marked > 0))

    marking = {
        "framing": "packet",
        "port": {"buffer": "500 packets", "queue": {"kind": "red"}},
        "tcp.ecn": "classic",
    }
    longfat.use_control("marked", Marked)
    record = run_with(external("marked"), **marking)
    assert record["flows"][0]["reductions_for_marks"] > 0
    assert set(answers) == {"loss"}
    answers.clear()
    longfat.use_control("marked", Telling)
    run_with(external("marked"), **marking)
    assert {"mark", "seen"} <= set(answers)


def test_runs_of_two_versions_have_two_names_and_old_ones_keep_theirs(tmp_path: Path) -> None:
    file = tmp_path / "control.py"
    text = (EXAMPLES / "reno.py").read_text()
    file.write_text(text)
    longfat.use_control("mine", file)
    first = longfat.load_scenario(WAN, {"tcp.flavor": external("mine")})
    file.write_text(text.replace("beta: float = 0.5", "beta: float = 0.8"))
    longfat.use_control("mine", file)
    second = longfat.load_scenario(WAN, {"tcp.flavor": external("mine")})
    assert first.run_id != second.run_id
    assert longfat.run(first)["fingerprint"] == run_with("newreno")["fingerprint"]
    assert longfat.run(second)["fingerprint"] != longfat.run(first)["fingerprint"]


def test_a_class_has_the_version_of_its_text_or_the_one_that_is_given() -> None:
    def digest() -> str:
        return dict(_engine.provided_controls())["fixed"]

    def made_elsewhere(segments: int) -> type:
        text = (
            "class Made:\n"
            "    def on_acknowledgment(self, window, progress):\n"
            f"        window.cwnd = {segments} * window.mss\n"
            "    def on_loss(self, window, flight): pass\n"
            "    def on_timeout(self, window, flight): pass\n"
        )
        module: dict[str, Any] = {"__name__": "a notebook"}
        exec(text, module)
        made: type = module["Made"]
        return made

    digests = []
    for control in (made_elsewhere(3), made_elsewhere(3), made_elsewhere(4)):
        longfat.use_control("fixed", control)
        digests.append(digest())
    assert digests[0] == digests[1] != digests[2]
    longfat.use_control("fixed", made_elsewhere(3), version="2")
    assert digest() not in digests


def test_a_scenario_is_not_simulated_without_the_version_that_it_names() -> None:
    nobodys = external("nobodys")
    with pytest.raises(
        longfat.InvalidInput, match='provided as "nobodys": --control nobodys=FILE'
    ) as raised:
        run_with(nobodys, connections=[{"count": 1, "flavor": nobodys}])
    assert len(raised.value.problems) == 1, "told once, however many name it"
    longfat.use_control("fixed", Fixed)
    resolved = longfat.load_scenario(WAN, {"tcp.flavor": external("fixed")})
    digest = dict(_engine.provided_controls())["fixed"]
    changed = longfat.Scenario(resolved.resolved.replace(digest, "0" * 64))
    with pytest.raises(longfat.InvalidInput, match="has changed: this run is of its version 00000"):
        longfat.run(changed)
    assert changed.hash != resolved.hash


@pytest.mark.parametrize(
    ("method", "body", "message"),
    [
        ("on_acknowledgment", "1 / 0", "ZeroDivisionError: division by zero"),
        ("on_acknowledgment", "window.cwnd = float('nan')", "cwnd is a number of bytes, not NaN"),
        ("on_loss", "window.ssthresh = -1", "ssthresh is a number of bytes or infinite, not -1"),
        ("on_acknowledgment", "window.cwnd = None", "TypeError"),
        ("on_acknowledgment", "progress.nothing", "no attribute 'nothing'"),
        ("on_timeout", "raise SystemExit(5)", "SystemExit: 5"),
    ],
)
def test_a_control_that_fails_ends_its_run_with_the_place(
    method: str, body: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "failing.py"
    text = (EXAMPLES / "reno.py").read_text()
    head, sign, rest = text.partition(f"def {method}(")
    signature, colon, tail = rest.partition("None:\n")
    file.write_text(f"{head}{sign}{signature}{colon}        {body}\n{tail}")
    longfat.use_control("failing", file)
    with pytest.raises(longfat.LongfatError) as raised:
        run_with(external("failing"))
    assert raised.value.exit_code == 1
    assert 'the congestion control "failing" failed: ' in str(raised.value)
    assert message in str(raised.value)
    assert f"({file}, line " in str(raised.value)
    assert f", in {method})" in str(raised.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "control.py: no control: that is a class with on_acknowledgment, on_loss, on_timeout"),
        ("class A:\n    def on_loss(", "'(' was never closed"),
        ("import nothing_of_that_name", "control.py:1: ModuleNotFoundError: No module named"),
        ("class A:\n    def on_loss(self): pass", "A is no control: it has no on_acknowledgment"),
        ("\0", "control.py: a binary file; expected Python"),
        ("import sys\nsys.exit(5)", "control.py:2: SystemExit: 5"),
    ],
)
def test_a_file_without_a_control_is_refused_with_the_place(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "control.py"
    file.write_text(text)
    with pytest.raises(longfat.InvalidInput) as raised:
        longfat.use_control("mine", file)
    assert message in str(raised.value)


def test_of_several_controls_in_a_file_one_is_named(tmp_path: Path) -> None:
    reno = (EXAMPLES / "reno.py").read_text()
    file = tmp_path / "two.py"
    file.write_text(reno + reno.replace("class Reno", "class Other") + "class Third: pass\n")
    with pytest.raises(longfat.InvalidInput, match=r"several controls \(Reno, Other\)"):
        longfat.use_control("mine", file)
    with pytest.raises(longfat.InvalidInput, match="no class Fourth; classes: Reno, Other, Third"):
        longfat.use_control("mine", f"{file}:Fourth")
    with pytest.raises(longfat.InvalidInput, match="class Third has no on_acknowledgment"):
        longfat.use_control("mine", f"{file}:Third")
    longfat.use_control("mine", f"{file}:Other")
    assert run_with(external("mine"))["fingerprint"] == run_with("newreno")["fingerprint"]


def test_names_and_classes_that_are_none_are_refused() -> None:
    with pytest.raises(longfat.InvalidInput, match="'my control' is no name of a control"):
        longfat.use_control("my control", Fixed)
    with pytest.raises(longfat.InvalidInput, match="class int is no control: it has no on_ack"):
        longfat.use_control("mine", int)
    with pytest.raises(longfat.LongfatError, match="no such file"):
        longfat.use_control("mine", "nowhere.py")

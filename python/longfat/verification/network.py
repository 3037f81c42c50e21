"""Scenarios of longfat for the networks in which Linux was recorded."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from longfat import _engine
from longfat.base.errors import InvalidInput
from longfat.verification.disciplines import NotExpressible, discipline, is_shaped
from longfat.verification.recordings import Experiment, Recording

FLAVORS = {"highspeed": "high-speed", "htcp": "h-tcp"}
"""Flavors that have other names than the kernel's modules."""

ACCESS_US = 1
ACCESS_RATE = "100 Gbit/s"
"""Of lines that the recorder's network does not have: their delay is taken from that of others."""

BACK_RATE = "10 Gbit/s"
"""Of the way back: netem's, with which acknowledgments keep their order."""

PACKET_US = 13.2
"""Time that the guest's processor takes to send a packet and to put it into the line's queue.

The packets of a large window are that far apart. It follows from the queue of a recording in which
a window of many thousand packets is sent at once: arrivals between two samples are what left, what
was dropped and what the queue has grown by.
"""

ANSWER_US = 28
"""Time that the guest takes from the last bit of a packet on the line until its acknowledgment is
processed, beside the delays.

Between `qdisc_dequeue` and `tcp_probe` in the trace of the guest that records
`reno-20mbit-100ms-82`, the same for each packet of the first window.
"""

HEADER_BYTES = 54
"""Headers of Ethernet, IPv4 and TCP."""

BUFFER_BYTES = 64 << 20
"""The receiver's buffer at first, the second number of `tcp_rmem`."""

OVERHEAD_BYTES = 896
"""Memory that a segment takes beside its data (`truesize`, include/linux/skbuff.h)."""

PACED_BY_FQ = "linux-fq"
"""Senders that are paced have the discipline `fq`."""

QUEUE_PRESET = "linux-6.12"

TIMESTAMPS_BYTES = 12
"""The option of timestamps, with which every segment is sent."""

FIRST_TIMEOUT_S = 1.0
"""Time after which a SYN is sent again (`TCP_TIMEOUT_INIT`)."""

KEYS = {
    "name", "kind", "held_out", "rate_mbit", "round_trip_ms", "buffer_packets", "seconds", "flows",
    "kernel", "pacing", "mtu", "offsets_ms", "discipline", "loss", "ack_loss", "steps",
}  # fmt: skip
KEYS_OF_FLOWS = {
    "control", "start_ms", "round_trip_ms", "bytes", "chunk_bytes", "every_ms", "ecn", "count",
    "spacing_ms",
}  # fmt: skip


@cache
def known_controls() -> frozenset[str]:
    """Return the kernel's names of the controls that longfat has."""
    flavors = {
        model["name"] for model in json.loads(_engine.models()) if model["kind"] == "TCP flavor"
    }
    names = {flavor: module for module, flavor in FLAVORS.items()}
    return frozenset({names.get(flavor, flavor) for flavor in flavors} | {"reno"})


@dataclass(frozen=True)
class Host:
    """The end systems that a preset describes."""

    preset: str
    plain: str
    """Flavor whose window law is Reno's, with the loss recovery of the preset's own flavor."""

    @classmethod
    def of(cls, preset: str) -> "Host":
        """Resolve a preset. Raises `InvalidInput` for an unknown one."""
        bare = {"kind": "n-source", "sources": 1}
        line = {"rate": "1 Mbit/s", "delay": "1 ms"}
        scenario = {
            "schema_version": 1,
            "duration": "1 s",
            "framing": {"kind": "packet"},
            "topology": bare | {"access": line, "bottleneck": line},
            "port": {"buffer": "10 packets"},
        }
        text = json.dumps(scenario).encode()
        named = [("tcp.preset", preset, "--preset")]
        flavor = json.loads(_engine.resolve_scenario(text, "linux.json", named))["tcp"]["flavor"]
        recovery = flavor.get("recovery", {"kind": flavor["kind"]})
        return cls(preset, recovery["kind"])

    def flavor(self, control: str) -> str:
        """Return our name of a control of the kernel."""
        return self.plain if control == "reno" else FLAVORS.get(control, control)


def flavor_of(preset: str, control: str) -> str:
    """Return our name of a control of the kernel, for end systems with a preset."""
    return Host.of(preset).flavor(control)


def packet_s(experiment: Experiment, segment_bytes: int) -> float:
    """Return the transmission time of a full packet in seconds."""
    bits = 8 * (segment_bytes + HEADER_BYTES + TIMESTAMPS_BYTES)
    rate_mbit: float = experiment.declared["rate_mbit"]
    return bits / (rate_mbit * 1e6)


def resolved(
    experiment: Experiment,
    recording: Recording,
    host: Host,
    overrides: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Return the resolved scenario of a recording.

    Raises `NotExpressible` with the reason if longfat cannot have it, and `InvalidInput` if there
    are overrides that do not fit.
    """
    scenario = scenario_of(experiment, recording, host)
    try:
        text = json.dumps(scenario).encode()
        return _engine.resolve_scenario(text, f"{experiment.name}.json", overrides)
    except InvalidInput as error:
        if overrides:
            raise
        raise NotExpressible(str(error)) from error


def scenario_of(experiment: Experiment, recording: Recording, host: Host) -> dict[str, Any]:
    """Return the scenario of a recording as its document."""
    it = experiment.declared
    unknown = (it.keys() - KEYS) | ({key for flow in it["flows"] for key in flow} - KEYS_OF_FLOWS)
    if unknown:
        raise NotExpressible(f"no words for {', '.join(sorted(unknown))}")
    missing = {flow["control"] for flow in it["flows"]} - known_controls()
    if missing:
        raise NotExpressible(f"no model of the control {', '.join(sorted(missing))}")
    segment = max(connection.segment_bytes for connection in recording.connections)
    packet = packet_s(experiment, segment)
    buffer, queue = discipline(experiment, packet)
    scenario: dict[str, Any] = {
        "schema_version": 1,
        "duration": f"{it['seconds']} s",
        "framing": {"kind": "packet", "header": f"{HEADER_BYTES} B"},
        "topology": _topology(experiment, packet),
        "port": {"buffer": buffer, "queue": queue, "preset": QUEUE_PRESET},
        "tcp": {
            "preset": host.preset,
            "mss": f"{segment} B",
            **_receiver(recording.kernel, segment),
        },
        "connections": _connections(experiment, recording, host),
    }
    if any("chunk_bytes" in flow for flow in it["flows"]):
        # The guest's application counts from when it is connected, longfat's from when it connects.
        scenario["tcp"]["handshake"] = False
        for group, connection in zip(scenario["connections"], recording.connections, strict=True):
            group["later"] = f"{(connection.established_s or 0.0) * 1e6:.0f} us"
    if it.get("pacing"):
        # The senders' `fq` paces every control, those without a rate of their own by their window.
        scenario["tcp"]["pacing"] = {"kind": "window-per-round-trip", "timer": PACED_BY_FQ}
    if "loss" in it:
        scenario["loss"] = _random(it["loss"])
    if "ack_loss" in it:
        scenario["acknowledgment_loss"] = _random(it["ack_loss"])
    if "steps" in it:
        scenario |= _steps(experiment, recording, packet)
    return scenario


def _topology(experiment: Experiment, packet: float) -> dict[str, Any]:
    """Return the network: a line, or a graph if there are several senders.

    The line of the senders has the guest's time for a packet. They share it, since the guest has
    one processor. What a connection's round trip has more than the least one is on its way back.
    """
    it = experiment.declared
    own = _round_trips_ms(experiment)
    hops = 2 if len(own) == 1 else 3
    delay = 1e6 * _delay_s(experiment, packet, it["round_trip_ms"]) - hops * ACCESS_US
    line = {
        "rate": f"{it['rate_mbit']} Mbit/s",
        "rate_back": BACK_RATE,
        "delay": f"{delay:.3f} us",
    }
    bits = it["rate_mbit"] * 1e6 * packet
    access = {"rate": ACCESS_RATE, "delay": f"{ACCESS_US} us"}
    send = {**access, "rate": f"{bits / PACKET_US:.6f} Mbit/s", "rate_back": ACCESS_RATE}
    if len(own) == 1:
        return {"kind": "n-source", "sources": 1, "access": send, "bottleneck": line}
    links = [
        {"from": "processor", "to": "near", **send},
        {"from": "near", "to": "far", "name": "line", "managed": "there", **line},
        {"from": "far", "to": "receiver", **access},
    ]
    for number, round_trip in enumerate(own, 1):
        back = delay + ACCESS_US + 1e3 * (round_trip - it["round_trip_ms"])
        way = {"rate": BACK_RATE, "delay": f"{back:.3f} us"}
        links += [
            {"from": f"sender {number}", "to": "processor", **access},
            {"from": "far", "to": f"back {number}", **way},
            {"from": f"back {number}", "to": f"sender {number}", **access},
        ]
    numbers = range(1, len(own) + 1)
    return {
        "kind": "graph",
        "hosts": [*(f"sender {number}" for number in numbers), "receiver"],
        "switches": ["processor", "near", "far", *(f"back {number}" for number in numbers)],
        "links": links,
        "bottleneck": "line",
    }


def _round_trips_ms(experiment: Experiment) -> list[float]:
    """Return the round trip of each connection."""
    it = experiment.declared
    return [
        flow.get("round_trip_ms", it["round_trip_ms"])
        for flow in it["flows"]
        for _ in range(flow.get("count", 1))
    ]


def _delay_s(experiment: Experiment, packet: float, round_trip_ms: float) -> float:
    """Return the propagation delay of all lines, one way."""
    transmission = packet / 2 if is_shaped(experiment) else 0.0
    return round_trip_ms / 2e3 - transmission + ANSWER_US / 2 * 1e-6


def _random(share: str) -> dict[str, Any]:
    return {"kind": "random", "probability": float(share.rstrip("%")) / 100}


def _connections(experiment: Experiment, recording: Recording, host: Host) -> list[dict[str, Any]]:
    flows = [flow for flow in experiment.declared["flows"] for _ in range(flow.get("count", 1))]
    groups = []
    for number, (flow, start) in enumerate(zip(flows, starts(recording), strict=True), 1):
        control = flow["control"]
        group: dict[str, Any] = {
            "count": 1,
            "flavor": host.flavor(control),
            "later": f"{start * 1e6:.0f} us",
        }
        if control == "bbr" and experiment.declared.get("pacing"):
            group["flavor"] = {"kind": "bbr", "pacing_timer": PACED_BY_FQ}
        if len(flows) > 1:
            way = {"route": ["processor", "near", "far"], "route_back": ["far", f"back {number}"]}
            group |= {"from": f"sender {number}", "to": "receiver", **way}
        if flow.get("ecn"):
            group["ecn"] = "per-segment" if control == "dctcp" else "classic"
        if "bytes" in flow:
            group["traffic"] = {"kind": "finite", "size": f"{flow['bytes']} B"}
        if "chunk_bytes" in flow:
            group["traffic"] = {
                "kind": "messages",
                "size": f"{flow['chunk_bytes']} B",
                "interval": f"{flow['every_ms']} ms",
            }
        groups.append(group)
    return groups


def starts(recording: Recording) -> list[float]:
    """Return when each connection sends its SYN.

    The guest's scheduler decides which of several flows that begin within a millisecond sends data
    first: such flows share their starts in the order of their first data.
    """
    begun = [_syn_s(recording, number) for number in range(len(recording.connections))]
    order = sorted(range(len(begun)), key=lambda number: begun[number])
    together: list[list[int]] = []
    for number in order:
        if together and begun[number] - begun[together[-1][0]] < 1e-3:
            together[-1].append(number)
        else:
            together.append([number])
    for numbers in together:
        times = sorted(begun[number] for number in numbers)
        first = sorted(numbers, key=lambda number: _first_data(recording, number))
        for number, time in zip(first, times, strict=True):
            begun[number] = time
    return begun


def _syn_s(recording: Recording, number: int) -> float:
    """Return when a connection sent its SYN.

    The first `connect` of a guest takes 6 ms before that. The round trip of the SYN is known: with
    it begins the smoothed round trip. A SYN that was lost is sent again after a second or more.
    """
    connection = recording.connections[number]
    rows = recording.rows(f"window {number}")
    if not rows or connection.established_s is None:
        return connection.began_s
    sent = connection.established_s - 1e-6 * float(rows[0][3])
    return sent if sent - connection.began_s < FIRST_TIMEOUT_S else connection.began_s


def _first_data(recording: Recording, number: int) -> float:
    rows = recording.rows(f"window {number}")
    return float(rows[0][0]) if rows else recording.connections[number].began_s


def _steps(experiment: Experiment, recording: Recording, packet: float) -> dict[str, Any]:
    """Return the path of recorded steps; what strikes acknowledgments only is a list of losses."""
    it = experiment.declared
    times = [float(row[0]) for row in recording.rows("steps")]
    rate, round_trip, loss = it["rate_mbit"], it["round_trip_ms"], "0"
    changes = {key for step in it["steps"] for key in step} - {"at_ms"}
    if "ack_loss" in changes:
        return _lost_answer(it["steps"], times)
    rows = {0.0: (rate, round_trip, loss)}
    for step, time in zip(it["steps"], times, strict=True):
        rate = step.get("rate_mbit", rate)
        round_trip = step.get("round_trip_ms", round_trip)
        loss = step.get("loss", loss)
        rows[max(0.0, time)] = (rate, round_trip, loss)
    lines = [
        f"{time},{round(rate * 1e6)},"
        f"{_delay_s(experiment, packet, round_trip) - 2e-6 * ACCESS_US:.9f},"
        f"{float(loss.rstrip('%')) / 100}"
        for time, (rate, round_trip, loss) in sorted(rows.items())
    ]
    table = "\n".join(["time_s,rate_bps,delay_s,loss", *lines])
    return {"path": {"kind": "schedule", "steps": table}}


def _receiver(kernel: str, segment: int) -> dict[str, Any]:
    """Return the receiver's window, and the growth of what it advertises.

    Its buffer has 64 MiB at first, of which a window takes half (`tcp_select_initial_window`). With
    6.1 it grows to there from 64 KiB. With 6.12 it begins there and grows to the share of data in
    the memory of a segment (`tcp_measure_rcv_mss`): 7.5 MiB with segments of 1,448 bytes.
    """
    half = BUFFER_BYTES // 2
    window = {"receiver_window": f"{half} B"}
    if kernel.startswith("6.1."):
        return window
    share = segment * 256 // (segment + OVERHEAD_BYTES)
    growth = BUFFER_BYTES * share // 256 - half
    return {**window, "acknowledgments": {"kind": "linux", "growth": f"{growth} B"}}


def _lost_answer(steps: list[dict[str, Any]], times: list[float]) -> dict[str, Any]:
    """Return the loss of the first answer: in less than a second a SYN is not sent again."""
    if len(steps) != 2 or times[0] > 0 or times[1] >= 1:
        raise NotExpressible("no losses of acknowledgments that change with time")
    return {"acknowledgment_loss": {"kind": "list", "drops": [[1]]}}

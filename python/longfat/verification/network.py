"""Scenarios of longfat for the networks in which Linux was recorded."""

import json
import math
from dataclasses import dataclass
from typing import Any

from longfat import _engine
from longfat.base.errors import InvalidInput
from longfat.verification.recordings import Experiment, Recording

FLAVORS = {"highspeed": "high-speed", "htcp": "h-tcp"}
"""Flavors that have other names than the kernel's modules."""

ACCESS_US = 1
HEADER_BYTES = 54
"""Ethernet's header and those of IPv4 and TCP with timestamps beyond the segment's data."""

KEYS = {
    "name", "kind", "held_out", "rate_mbit", "round_trip_ms", "buffer_packets", "seconds", "flows",
    "kernel", "pacing", "mtu", "offsets_ms", "discipline", "loss", "ack_loss", "steps",
}  # fmt: skip
KEYS_OF_FLOWS = {
    "control", "start_ms", "round_trip_ms", "bytes", "chunk_bytes", "every_ms", "ecn", "count",
    "spacing_ms",
}  # fmt: skip


class NotExpressible(Exception):
    """longfat has no words for an experiment; the text says for what of it."""


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
            "tcp": {"preset": preset},
        }
        text = json.dumps(scenario).encode()
        resolved = json.loads(_engine.resolve_scenario(text, "--preset.json"))
        flavor = resolved["tcp"]["flavor"]
        recovery = flavor.get("recovery", {"kind": flavor["kind"]})
        return cls(preset, recovery["kind"])


def packet_s(experiment: Experiment, segment_bytes: int) -> float:
    """Return the transmission time of a full packet in seconds."""
    bits = 8 * (segment_bytes + HEADER_BYTES + 12)  # 12 bytes: the option of timestamps
    return bits / (experiment.declared["rate_mbit"] * 1e6)


def resolved(experiment: Experiment, recording: Recording, host: Host) -> str:
    """Return the resolved scenario of a recording.

    Raises `NotExpressible` with the reason if longfat cannot have it.
    """
    scenario = scenario_of(experiment, recording, host)
    try:
        return _engine.resolve_scenario(json.dumps(scenario).encode(), f"{experiment.name}.json")
    except InvalidInput as error:
        raise NotExpressible(str(error)) from error


def scenario_of(experiment: Experiment, recording: Recording, host: Host) -> dict[str, Any]:
    """Return the scenario of a recording as its document."""
    it = experiment.declared
    unknown = (it.keys() - KEYS) | {key for flow in it["flows"] for key in flow.keys()} - KEYS_OF_FLOWS
    if unknown:
        raise NotExpressible(f"no words for {', '.join(sorted(unknown))}")
    segment = max(connection.segment_bytes for connection in recording.connections)
    one_way_us = it["round_trip_ms"] * 500
    if experiment.discipline == "cake":
        # Its shaper sends the first packet after an idle time at once, so a round trip
        # without queueing has no transmission time.
        one_way_us -= packet_s(experiment, segment) * 1e6 / 2
    bottleneck = {
        "rate": f"{it['rate_mbit']} Mbit/s",
        "delay": f"{one_way_us - 2 * ACCESS_US:.3f} us",
    }
    scenario: dict[str, Any] = {
        "schema_version": 1,
        "duration": f"{it['seconds']} s",
        "framing": {"kind": "packet", "header": f"{HEADER_BYTES} B"},
        "topology": {
            "kind": "n-source",
            "sources": len(recording.connections),
            "access": {"rate": "100 Gbit/s", "delay": f"{ACCESS_US} us"},
            "bottleneck": bottleneck,
        },
        "port": {"buffer": f"{it['buffer_packets']} packets", "queue": discipline(it)},
        "tcp": {"preset": host.preset, "mss": f"{segment} B", "receiver_window": "32 MiB"},
        "connections": _connections(experiment, recording, host),
    }
    if "loss" in it:
        scenario["loss"] = _random(it["loss"])
    if "ack_loss" in it:
        scenario["acknowledgment_loss"] = _random(it["ack_loss"])
    if "steps" in it:
        scenario |= _steps(experiment, recording)
    return scenario


def _random(share: str) -> dict[str, Any]:
    return {"kind": "random", "probability": float(share.rstrip("%")) / 100}


def _connections(
    experiment: Experiment, recording: Recording, host: Host
) -> list[dict[str, Any]]:
    flows = [
        flow for flow in experiment.declared["flows"] for _ in range(flow.get("count", 1))
    ]
    groups = []
    for flow, start in zip(flows, starts(recording), strict=True):
        control = flow["control"]
        group: dict[str, Any] = {
            "count": 1,
            "flavor": host.plain if control == "reno" else FLAVORS.get(control, control),
            "later": f"{start * 1e6:.0f} us",
        }
        own = flow.get("round_trip_ms", experiment.declared["round_trip_ms"])
        extra = (own - experiment.declared["round_trip_ms"]) * 500
        if extra:
            group["access_delay"] = f"{ACCESS_US + extra} us"
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
    """Return when each connection starts.

    The guest's scheduler decides which of several flows that begin within a millisecond sends data
    first: such flows share their starts in the order of their first data.
    """
    begun = [connection.began_s for connection in recording.connections]
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


def _first_data(recording: Recording, number: int) -> float:
    rows = recording.rows(f"window {number}")
    return float(rows[0][0]) if rows else recording.connections[number].began_s


def _steps(experiment: Experiment, recording: Recording) -> dict[str, Any]:
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
        f"{time},{round(rate * 1e6)},{round_trip / 2e3 - 2e-6 * ACCESS_US:.6f},"
        f"{float(loss.rstrip('%')) / 100}"
        for time, (rate, round_trip, loss) in sorted(rows.items())
    ]
    table = "\n".join(["time_s,rate_bps,delay_s,loss", *lines])
    return {"path": {"kind": "schedule", "steps": table}}


def _lost_answer(steps: list[dict[str, Any]], times: list[float]) -> dict[str, Any]:
    """Return the loss of the first answer: in less than a second a SYN is not sent again."""
    if len(steps) != 2 or times[0] > 0 or times[1] >= 1:
        raise NotExpressible("no losses of acknowledgments that change with time")
    return {"acknowledgment_loss": {"kind": "list", "drops": [[1]]}}


def discipline(it: dict[str, Any]) -> Any:
    """Return the queue discipline for words of `tc`."""
    name, *words = it.get("discipline", "pfifo").split()
    flags = {word for word in words if word in {"ecn", "noecn"}}
    settings = dict(zip(*[iter(word for word in words if word not in {*flags, "besteffort"})] * 2, strict=True))
    settings.pop("limit", None)
    ecn = "ecn" in flags or name in {"fq_codel", "cake"}
    if name == "pfifo":
        return "tail-drop"
    if name == "red":
        return _red(settings, ecn, it["mtu"] + 14 if "mtu" in it else 1514)
    if name in {"codel", "fq_codel"}:
        if "ce_threshold" in settings:
            raise NotExpressible(f"no {name} with a threshold of marks (ce_threshold)")
        times = {key: settings.pop(key) for key in ("target", "interval") if key in settings}
        kind: dict[str, Any] = {"kind": name.replace("_", "-"), "ecn": ecn, **times}
    elif name in {"pie", "cake"}:
        kind = {"kind": name, "ecn": ecn}
        if name == "pie":
            kind |= {"update_period": "16 ms"}
    else:
        raise NotExpressible(f"no model of the discipline {name}")
    if settings:
        raise NotExpressible(f"no words for {name}'s {', '.join(sorted(settings))}")
    return kind


def _red(settings: dict[str, str], ecn: bool, packet_bytes: int) -> dict[str, Any]:
    minimum, average = float(settings["min"]), float(settings["avpkt"])
    return {
        "kind": "red",
        "minimum": f"{minimum / packet_bytes:g} packets",
        "maximum": f"{float(settings['max']) / packet_bytes:g} packets",
        "maximum_probability": float(settings.get("probability", "0.02")),
        "weight": red_weight(float(settings["burst"]), minimum / average),
        "gentle": False,
        "ecn": ecn,
        "hard_drop": False,
    }


def red_weight(burst: float, minimum: float) -> float:
    """Return the weight of RED's average that `tc` chooses.

    The largest power of 1/2 with which a burst of `burst` packets into an empty queue takes the
    average to no more than `minimum` packets (Floyd and Jacobson 1993, section 6.2).
    """
    for power in range(1, 32):
        weight = 0.5**power
        if burst + 1 - minimum <= (1 - math.pow(1 - weight, burst)) / weight:
            return weight
    raise NotExpressible(f"no weight of RED lets a burst of {burst:g} packets pass")

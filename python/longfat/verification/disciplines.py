"""Queue disciplines in words of `tc`, as longfat has them."""

import math
from typing import Any

from longfat import _engine
from longfat.verification.recordings import Experiment


class NotExpressible(Exception):
    """longfat has no words for an experiment; the text says for what of it."""


def discipline(experiment: Experiment, packet: float) -> tuple[str, Any]:
    """Return the buffer and the queue discipline for words of `tc`.

    A shaper takes a packet out of `codel`, `fq_codel`, `pie` and `fq_pie` when the one before it
    has left. They see waiting times that are shorter by a transmission than those until the packet
    leaves, so their target and their threshold for marks are that much longer here.
    """
    it = experiment.declared
    name, *words = it.get("discipline", "pfifo").split()
    flags = {word for word in words if word in {"ecn", "besteffort"}}
    rest = [word for word in words if word not in flags]
    settings = dict(zip(rest[::2], rest[1::2], strict=True))
    limit = settings.pop("limit", None)
    buffer = f"{limit or it['buffer_packets'] + is_shaped(experiment)} packets"
    ecn = "ecn" in flags
    if name in {"fq", "sfq"}:
        return _fair(name, settings, int(limit or it["buffer_packets"]))
    if name == "pfifo":
        return buffer, "tail-drop"
    if name == "red":
        assert limit is not None
        size = it.get("mtu", 1500) + 14
        return f"{int(limit) // size} packets", _red(settings, ecn, size)
    if name == "cake" and not settings:
        return "4 MB", "cake"  # its limit by default
    if name not in {"codel", "fq_codel", "pie", "fq_pie"}:
        raise NotExpressible(f"no model of the discipline {name}")
    queue: dict[str, Any] = {"kind": name.replace("_", "-")}
    words = {"target": settings.pop("target", "15ms" if "pie" in name else "5ms")}
    if "codel" in name and "ce_threshold" in settings:
        words["ce_threshold"] = settings.pop("ce_threshold")
    _leave_no_word(name, settings)
    for word, time in words.items():
        until_sent = _engine.parse_time(_spaced(time)) / 1e12 + packet
        queue[word] = f"{until_sent * 1e6:.3f} us"
    return buffer, {**queue, "ecn": True} if ecn else queue


def _leave_no_word(name: str, settings: dict[str, str]) -> None:
    if settings:
        raise NotExpressible(f"no words for {', '.join(sorted(settings))} of {name}")


def _fair(name: str, settings: dict[str, str], limit: int) -> tuple[str, dict[str, Any]]:
    """Return the buffer and the queue discipline for words of `tc` about `fq` or `sfq`.

    The packet that a shaper has taken out to look at it counts in the limit of `sfq`, and in none
    of those of `fq`.
    """
    queue: dict[str, Any] = {"kind": name}
    if name == "fq":
        limit += 1
        if "flow_limit" in settings:
            queue["flow_limit"] = int(settings.pop("flow_limit")) + 1
    elif settings.get("perturb") == "0":
        del settings["perturb"]
    _leave_no_word(name, settings)
    return f"{limit} packets", queue


def _spaced(time: str) -> str:
    """Return a time of `tc`, such as 5ms, as longfat writes it."""
    number = time.rstrip("mus")
    return f"{number} {time[len(number) :]}"


def _red(settings: dict[str, str], ecn: bool, packet_bytes: int) -> dict[str, Any]:
    minimum, average = float(settings["min"]), float(settings["avpkt"])
    bounds = [float(settings["min"]) / packet_bytes, float(settings["max"]) / packet_bytes]
    whole = all(bound.is_integer() for bound in bounds)
    return {
        "kind": "red",
        "minimum": f"{bounds[0]:g} packets" if whole else f"{settings['min']} B",
        "maximum": f"{bounds[1]:g} packets" if whole else f"{settings['max']} B",
        "maximum_probability": float(settings.get("probability", "0.02")),
        "weight": red_weight(float(settings["burst"]), minimum / average),
        "ecn": ecn,
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


def is_shaped(experiment: Experiment) -> bool:
    """Return whether the line is a shaper instead of netem.

    A shaper sends the first packet of a busy period at once, and the next when the line has had the
    time for it. So a packet leaves it when longfat's line takes the packet: nothing is on
    the line, one more packet waits, and a round trip has no transmission time.
    """
    steps = experiment.declared.get("steps", [])
    return experiment.discipline != "FIFO" or any("rate_mbit" in step for step in steps)

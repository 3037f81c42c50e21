"""Surprises of a run, found in its scenario: a number for each, and what changes it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longfat.base.numbers import significant
from longfat.base.units import PICOSECONDS_PER_SECOND

_DIGITS = 3

LEAST_LOST = 0.1
"""Share of the line that BBR's probing has to cost to be said: at short round trips it is 2 %."""

LONGEST_KNOWN_S = 3.0
"""Longest round trip for which that share is told: beyond, probing and its windows overlap."""


@dataclass(frozen=True)
class Probing:
    """How a BBR looks for the least round trip: how often, how long at least, with which window.

    A window of 0 stands for four segments. `forgets_s` is the age at which the least round trip is
    too old to be used.
    """

    every_s: float
    least_s: float
    window: float
    forgets_s: float

    def lost(self, round_trip_s: float) -> float:
        """Return the share of the line that is idle: no other connection uses it meanwhile.

        The window falls at once, so nothing is sent until the rest of what was under way is
        acknowledged, and then little for `least_s` or a round trip.
        """
        drains_s = (1 - self.window) * round_trip_s
        probes_s = max(self.least_s, round_trip_s)
        idle_s = drains_s + (1 - self.window) * probes_s
        return idle_s / (self.every_s + drains_s + probes_s)


PROBING = {
    # RTpropFilterLen, ProbeRTTDuration, BBRMinPipeCwnd: draft-cardwell-iccrg-bbr-congestion-
    # control-00 sections 4.1.2.3, 4.2.3.3 and 4.3.4.
    "bbr": Probing(every_s=10, least_s=0.2, window=0, forgets_s=10),
    # ProbeRTTInterval, ProbeRTTDuration, ProbeRTTCwndGain, MinRTTFilterLen:
    # draft-cardwell-iccrg-bbr-congestion-control-02 sections 4.3.4 and 4.5.1.
    "bbr3": Probing(every_s=5, least_s=0.2, window=0.5, forgets_s=10),
    # PERIOD, leocc_probe_rtt_mode_ms, leocc_probe_rtt_cwnd_gain and leocc_min_rtt_win_sec.
    "leocc": Probing(every_s=15, least_s=0.2, window=0.5, forgets_s=20),
}
"""By flavor, with its defaults."""


def surprises(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each surprise, with the groups of connections that it is about."""
    found: dict[str, list[str]] = {}
    for kind in network["kinds"]:
        for surprise in (_opening, _burst, _probing):
            if words := surprise(kind, network):
                found.setdefault(words, []).append(_who(kind, settings))
    for words, groups in found.items():
        yield f"{', '.join(groups)}: {words}" if any(groups) else words


def _who(kind: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    groups = settings.get("connections", [])
    if not groups:
        return ""
    if kind["group"] is None:
        return "connections in no group"
    name = groups[kind["group"]].get("name")
    return f"connections[{kind['group']}]{f' ({name})' if name else ''}"


def _opening(kind: Mapping[str, Any], network: Mapping[str, Any]) -> str | None:
    """Return whether a round trip with full queues outlasts the first timeout (RFC 6298, 2.1)."""
    first_ps = kind["tcp"]["retransmission_timeout"].get("initial_ps")
    if first_ps is None:
        return None
    under_way_bits = sum(
        other["senders"] * other["tcp"]["receiver_window_bytes"] for other in network["kinds"]
    ) * (kind["segment_bits"] / kind["tcp"]["mss_bytes"])
    crossed = [at["port"] for at in kind["ports"]] + list(kind["ports_back"])
    waits_ps = sum(_longest_wait_ps(network["ports"][number], under_way_bits) for number in crossed)
    full_ps = kind["round_trip_ps"] + waits_ps
    if full_ps <= first_ps:
        return None
    full, first = (
        significant(time_ps / PICOSECONDS_PER_SECOND, _DIGITS) for time_ps in (full_ps, first_ps)
    )
    what = "SYNs are" if kind["tcp"]["handshake"] else "the first segments are"
    where = "between proxies " if kind["is_split"] else ""
    if kind["round_trip_ps"] > first_ps:
        when, remedy = (
            f"{where}a round trip takes {full} s with full queues and never less than",
            "",
        )
        when = f"{when} {significant(kind['round_trip_ps'] / PICOSECONDS_PER_SECOND, _DIGITS)} s"
    else:
        when, remedy = (
            f"{where}a round trip takes {full} s with full queues",
            "a smaller port.buffer or ",
        )
    return (
        f"{when}, and the first timeout is {first} s: {what} then sent again though nothing is "
        f"lost; {remedy}a longer tcp.retransmission_timeout.initial avoids it (RFC 6298 section 2)"
    )


def _longest_wait_ps(port: Mapping[str, Any], under_way_bits: float) -> float:
    """Return how long a full queue takes to empty: no more waits than the windows let."""
    room_bits = port["buffer_bits"]
    bits = under_way_bits if room_bits is None else min(room_bits, under_way_bits)
    return float(bits / port["rate_bps"] * PICOSECONDS_PER_SECOND)


def _burst(kind: Mapping[str, Any], network: Mapping[str, Any]) -> str | None:
    """Return whether the first window of one connection finds no room in a buffer on its way.

    Of a burst that arrives at rate A and leaves at rate B, the share 1 - B/A waits at its end, and
    one segment of it is on the line.
    """
    if kind["is_paced"] or kind["asks"]:
        return None
    segments, segment_bits = kind["first_window_segments"], kind["segment_bits"]
    for at in kind["ports"]:
        port = network["ports"][at["port"]]
        arrives_bps = at["rate_before_bps"]
        if port["buffer_bits"] is None or arrives_bps is None or arrives_bps <= port["rate_bps"]:
            continue
        waiting = segments * (1 - port["rate_bps"] / arrives_bps)
        room = port["buffer_bits"] / segment_bits
        if waiting > room + 1:
            return (
                f"the first window is a burst of {segments} segments, of which "
                f"{significant(waiting, _DIGITS)} wait at {port['name']}, whose buffer holds "
                f"{significant(room, _DIGITS)}: its end is lost; a larger port.buffer, a smaller "
                "tcp.initial_window, or tcp.pacing avoids it"
            )
    return None


def _probing(kind: Mapping[str, Any], _: Mapping[str, Any]) -> str | None:
    """Return what BBR's search for the least round trip costs on long round trips."""
    flavor = kind["tcp"]["flavor"]["kind"]
    probing = PROBING.get(flavor)
    round_trip_s = kind["round_trip_ps"] / PICOSECONDS_PER_SECOND
    if probing is None or probing.lost(round_trip_s) < LEAST_LOST:
        return None
    trip = significant(round_trip_s, _DIGITS)
    if round_trip_s >= probing.forgets_s:
        cost = (
            f"no round trip of {trip} s is younger than the {probing.forgets_s:g} s for which it "
            "keeps the least: it probes all the time, and most of the line stays idle"
        )
    else:
        share = (
            f"about {100 * probing.lost(round_trip_s):.0f} %"
            if round_trip_s <= LONGEST_KNOWN_S
            else "a large part"
        )
        cost = (
            f"every {probing.every_s:g} s it waits for the least round trip, with round trips of "
            f"{trip} s for two of them: alone it leaves {share} of the line idle"
        )
    proxies = "" if kind["is_split"] else ", or proxies around the long line,"
    return f"{flavor}: {cost}; another flavor{proxies} avoids it"

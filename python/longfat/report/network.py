"""Properties of a network before a run: bandwidth-delay products, buffers, and cautions."""

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from longfat import _engine
from longfat.base.numbers import significant
from longfat.base.units import BITS_PER_BYTE, PICOSECONDS_PER_MILLISECOND, PICOSECONDS_PER_SECOND
from longfat.records.differences import notices
from longfat.report.surprises import surprises

HEADER = [
    *("managed line", "Mbit/s", "round trip, ms", "rate x round trip, kB"),
    *("buffer", "empties in, ms", "x round trip"),
]
"""Columns of `network_rows`; the round trip is the longest over the line, without queueing."""

_DIGITS = 4


def network_rows(network: Mapping[str, Any]) -> list[list[str]]:
    """Return a row for each managed port, under `HEADER`."""
    return [_row(port) for port in network["ports"]]


def _row(port: Mapping[str, Any]) -> list[str]:
    rate_bps, round_trip_ps = port["rate_bps"], port["longest_round_trip_ps"]
    empties = ["-", "-"]
    if (bits := port["buffer_bits"]) is not None:
        empties_ps = bits / rate_bps * PICOSECONDS_PER_SECOND
        empties = [
            significant(empties_ps / PICOSECONDS_PER_MILLISECOND, _DIGITS),
            significant(empties_ps / round_trip_ps, _DIGITS) if round_trip_ps else "-",
        ]
    size = port["buffer_cells"]
    return [
        port["name"],
        significant(rate_bps / 1e6, _DIGITS),
        significant(round_trip_ps / PICOSECONDS_PER_MILLISECOND, _DIGITS),
        significant(_product_bytes(port) / 1e3, _DIGITS),
        size if isinstance(size, str) else f"{size:,} cells",
        *empties,
    ]


def _product_bytes(port: Mapping[str, Any]) -> float:
    """Compute the bandwidth-delay product of a line in bytes, for the longest round trip."""
    bits: float = port["rate_bps"] * port["longest_round_trip_ps"] / PICOSECONDS_PER_SECOND
    return bits / BITS_PER_BYTE


def network_words(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences of advice before a run.

    They compare windows with the bandwidth-delay product, and the length of the run with its
    transients, name the congestion controls that do not respond to ECN marks, say what will
    surprise, and name the controls that are known to differ from Linux on such a path.
    """
    yield from _windows(settings, network)
    yield from _lengths(settings)
    kinds = _engine.scenario_marks(json.dumps(settings))
    yield from dict.fromkeys(filter(None, itertools.starmap(_marks, kinds)))
    yield from surprises(settings, network)
    yield from notices(settings, network)


def _windows(settings: Mapping[str, Any], network: Mapping[str, Any]) -> Iterator[str]:
    bottlenecks = [port for port in network["ports"] if port["is_bottleneck"]]
    if not bottlenecks or not (product := _product_bytes(bottlenecks[0])):
        return
    if not network["kinds"]:  # no connection has the engine's TCP
        return
    (window, due_to), name = _most_under_way(settings, network), bottlenecks[0]["name"]
    share = window / product
    words = f"a connection may have {window / 1e3:,.1f} kB under way ({due_to})"
    of_what = f"what {name} carries in its round trip"
    if share < 1:
        yield f"{words}, {significant(share, 3)} of {of_what}: alone it cannot fill it"
    else:
        yield f"{words}, {significant(share, 3)} times {of_what}"


def _lengths(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield warnings that saturated senders do not reach a steady state within the run."""
    from longfat.analysis.run_length import FEWEST_CYCLES, LONGEST_START, path_of

    path = path_of(settings)
    if path is None or settings["traffic"]["kind"] != "infinite":
        return
    if path.start > LONGEST_START:
        yield (
            f"slow start takes about {significant(path.slow_start_s, 2)} s of {path.duration_s:g} "
            "s: let the run be longer, or leave the beginning out with measure.from"
        )
    if path.cycles < FEWEST_CYCLES:
        yield (
            f"a window that a loss has reduced takes about {significant(path.regrowth_s, 2)} s to "
            f"grow back, and {path.measured_s:g} s are measured: single losses decide the results"
        )


def _most_under_way(settings: Mapping[str, Any], network: Mapping[str, Any]) -> tuple[int, str]:
    """Return the largest window over the bottleneck in bytes, and the setting that limits it."""
    windows = [kind["tcp"]["receiver_window_bytes"] for kind in network["kinds"]]
    own = max(windows), "tcp.receiver_window"
    proxies = settings.get("proxies")
    if proxies is None:
        return own
    window = proxies["tcp"].get("receiver_window_bytes")
    between = own if window is None else (window, "proxies.tcp.receiver_window")
    return min(between, (proxies["buffer_bytes"], "proxies.buffer"))


def _marks(flavor: str, ecn: str, response: str, echoes: Sequence[str]) -> str | None:
    """Return a warning if the ECN mechanism does not suit a flavor's response to marks."""
    if response == "by-share" and ecn not in echoes:
        listed = " or ".join(f'"{name}"' for name in echoes)
        return (
            f'{flavor} responds to the share of marked bytes, which ecn = "{ecn}" does not report: '
            f"write {listed}"
        )
    if response == "none" and ecn != "none":
        return (
            f'{flavor} does not respond to marks: with ecn = "{ecn}" queues mark its packets '
            "instead of dropping them, so that neither signal reaches it"
        )
    return None

"""Measures of a run, by the same functions for Linux and for longfat."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from longfat.verification.observed import Flow, Observed
from longfat.verification.recordings import Experiment

TURN = 0.06
LEAST_TURN = 3
"""A window that falls by this share of its peak, and by so many segments, has been reduced. The
smallest reduction of the kernel's modules is an eighth, of which recordings may miss a segment at
either end."""

GAP_ROUND_TRIPS = 1.5
"""Longer pauses separate bursts of retransmissions; a round trip with a full queue is shorter than
two without one."""

FEWEST_PERIODS = 2
"""Fewer periods in the second half of a run have no median worth comparing."""


@dataclass(frozen=True)
class Measure:
    """A kind of measure: its name, and the unit of its values."""

    name: str
    unit: str


GOODPUT = Measure("goodput", "Mbit/s")
"""Since the connection was established."""
TOTAL = Measure("goodput of all", "Mbit/s")
SHARE = Measure("share", "%")
QUEUE = Measure("mean queue", "packets")
FIRST = Measure("first retransmission", "s")
"""Time since the connection was established."""
BURST = Measure("first burst", "segments")
RESENT = Measure("retransmissions", "segments")
PERIOD = Measure("period", "s")
PEAK = Measure("peak", "segments")
TROUGH = Measure("trough", "segments")
COMPLETION = Measure("mean completion time", "s")
LONGEST = Measure("longest completion time", "s")
OPENED = Measure("time to connect", "s")
WAIT = Measure("mean wait", "ms")
WAIT_P95 = Measure("95th percentile of waits", "ms")
DROPS = Measure("drops", "packets")
MARKS = Measure("marks", "packets")

Key = tuple[Measure, str]
"""A measure, and the flow that it is of ("" for all)."""


def measures(experiment: Experiment, run: Observed) -> dict[Key, float]:
    """Return the measures of a run; what a run does not have, such as a period, is left out."""
    of: dict[Key, float] = {}
    long = [flow for flow in run.flows if flow.acknowledged is not None]
    if len(long) == 1:
        of |= {(measure, ""): value for measure, value in _of_one(experiment, run, long[0])}
    elif long:
        counts = _acknowledged(long, 0, run.until_s)
        of[TOTAL, ""] = sum(counts) * 8e-6 / run.until_s
        # Shares of the time in which all of them exist.
        counts = _acknowledged(long, max(flow.began_s for flow in long), run.until_s)
        for number, (flow, count) in enumerate(zip(long, counts, strict=True), 1):
            of[SHARE, f"flow {number} ({flow.control})"] = 100 * count / max(1.0, sum(counts))
    of[RESENT, ""] = float(sum(len(flow.resent) for flow in run.flows))
    of[QUEUE, ""] = _mean_queue(experiment, run)
    of |= _completions(experiment, run)
    if experiment.kind == "handshake":
        for flow in run.flows:
            if flow.established_s is not None:
                of[OPENED, ""] = flow.established_s - flow.began_s
    if experiment.discipline != "FIFO":
        packets = sum(row[1] for row in run.waits)
        of[WAIT, ""] = 1e3 * sum(row[1] * row[2] for row in run.waits) / packets
        of[WAIT_P95, ""] = 1e3 * sum(row[1] * row[3] for row in run.waits) / packets
        of[DROPS, ""] = float(run.drops)
        if any(flow.get("ecn") for flow in experiment.declared["flows"]):
            of[MARKS, ""] = float(run.marks)
    return of


def _of_one(experiment: Experiment, run: Observed, flow: Flow) -> Iterator[tuple[Measure, float]]:
    """Yield the measures of the only flow whose window was recorded."""
    connected = run.until_s - (flow.established_s or 0.0)
    yield GOODPUT, _acknowledged([flow], 0, run.until_s)[0] * 8e-6 / connected
    if len(run.flows) > 1:
        return
    if flow.resent and not is_random(experiment):
        yield FIRST, flow.resent[0] - (flow.established_s or 0.0)
        yield BURST, float(first_burst(flow.resent, experiment.declared["round_trip_ms"] / 1e3))
    if experiment.kind in {"single", "kernel", "discipline", "ecn"}:
        peaks, troughs = turns(flow.windows, run.until_s / 2)
        periods = [after - before for (before, _), (after, _) in pairwise(peaks)]
        if len(periods) >= FEWEST_PERIODS:
            yield PERIOD, median(periods)
            yield PEAK, median(window for _, window in peaks)
            yield TROUGH, median(window for _, window in troughs)


def is_random(experiment: Experiment) -> bool:
    """Return whether an experiment has random losses, whose numbers are the guest's own."""
    chance = {"loss", "ack_loss"} & experiment.declared.keys()
    return bool(chance) or experiment.discipline in {"red", "pie", "fq_pie"}


DRAWING = {"bbr", "cdg", "lp", "nv"}
"""Controls for which the kernel draws: the phase in which a cycle begins
(`bbr_reset_probe_bw_mode`), whether a window backs off (`tcp_cdg_backoff`), when the shortest round
trip is renewed (`tcpnv_acked`), and where timestamps begin, from which one-way delays are read
(`secure_tcp_ts_off`)."""


def is_drawn(experiment: Experiment) -> bool:
    """Return whether random numbers of the guest's own matter: of losses, or of a control."""
    controls = {flow["control"] for flow in experiment.declared["flows"]}
    return is_random(experiment) or bool(controls & DRAWING)


def _acknowledged(flows: Sequence[Flow], since: float, until: float) -> list[float]:
    counts = []
    for flow in flows:
        assert flow.acknowledged is not None
        counts.append(flow.acknowledged(until) - flow.acknowledged(since))
    return counts


def first_burst(resent: Sequence[float], round_trip_s: float) -> int:
    """Return the number of retransmissions before the first pause."""
    count = 1
    for before, after in pairwise(resent):
        if after - before > GAP_ROUND_TRIPS * round_trip_s:
            break
        count += 1
    return count


def turns(
    windows: Sequence[tuple[float, float, float | None]], since: float
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Return the peaks and troughs of a window from a time on, each with its time.

    A peak is followed by a fall of `TURN` and `LEAST_TURN`, a trough by as much of a rise.
    """
    peaks, troughs = [], []
    peak = trough = None
    for time, window, _ in windows:
        if time < since:
            continue
        if trough is None:
            if peak is None or window >= peak[1]:
                peak = (time, window)
            elif window <= min((1 - TURN) * peak[1], peak[1] - LEAST_TURN):
                peaks.append(peak)
                trough = (time, window)
        elif window < trough[1]:
            trough = (time, window)
        elif window >= max((1 + TURN) * trough[1], trough[1] + LEAST_TURN):
            troughs.append(trough)
            peak, trough = (time, window), None
    return peaks, troughs


def _mean_queue(experiment: Experiment, run: Observed) -> float:
    """Return the mean queue after the first third of a run."""
    since = experiment.declared["seconds"] / 3
    lengths = [length for time, length in run.queue if time > since]
    return sum(lengths) / len(lengths)


def _completions(experiment: Experiment, run: Observed) -> dict[Key, float]:
    """Return completion times of flows with an end."""
    sizes = [
        flow.get("bytes")
        for flow in experiment.declared["flows"]
        for _ in range(flow.get("count", 1))
    ]
    end = experiment.declared["seconds"]
    times = [
        flow.completed_s - flow.began_s
        for flow, size in zip(run.flows, sizes, strict=True)
        if size and flow.completed_s is not None and flow.completed_s < end
    ]
    if not times:
        return {}
    return {(COMPLETION, ""): sum(times) / len(times), (LONGEST, ""): max(times)}

"""A recording: what the guest wrote, as one text.

Sections follow a header of `# key: value` lines. A section is a line such as `[window 0]`, a
line of columns, and rows. Counters are told as their increase since the row before.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from experiment import FIRST_PORT, Experiment

FOLDER = Path(__file__).parent / "recordings"
SYSCTLS = [
    "tcp_adv_win_scale",
    "tcp_app_win",
    "tcp_autocorking",
    "tcp_dsack",
    "tcp_early_retrans",
    "tcp_ecn",
    "tcp_ecn_fallback",
    "tcp_fastopen",
    "tcp_frto",
    "tcp_limit_output_bytes",
    "tcp_min_rtt_wlen",
    "tcp_no_metrics_save",
    "tcp_no_ssthresh_metrics_save",
    "tcp_notsent_lowat",
    "tcp_pacing_ca_ratio",
    "tcp_pacing_ss_ratio",
    "tcp_recovery",
    "tcp_reordering",
    "tcp_retrans_collapse",
    "tcp_rmem",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_syn_linear_timeouts",
    "tcp_syn_retries",
    "tcp_timestamps",
    "tcp_tso_rtt_log",
    "tcp_tso_win_divisor",
    "tcp_window_scaling",
    "tcp_wmem",
]
"""Settings of TCP that bear on a recording."""
EVENT = re.compile(r"\s(\d+\.\d+): (\w+): (.*)$")
INFINITE = 0x7FFFFFFF


def path(experiment: Experiment, offset_ms: float) -> Path:
    """Where the recording of an experiment is, with its starts shifted by `offset_ms`."""
    return FOLDER / f"{experiment.name}{f'+{offset_ms:g}ms' if offset_ms else ''}.txt"


def text(experiment: Experiment, offset_ms: float, versions: dict[str, str], written: Path) -> str:
    """Make the recording of what the guest wrote into a folder."""
    if "overrun: 0\n" not in (written / "trace.stats").read_text():
        raise ValueError("the kernel's trace was longer than its buffer; shorten the experiment")
    header = {
        "name": experiment.name,
        "kind": experiment.kind,
        "held_out": str(experiment.held_out).lower(),
        "offset_ms": f"{offset_ms:g}",
        "kernel": f"{(written / 'release').read_text().strip()}, {versions['kernel']}",
        "qemu": versions["qemu"],
        "iproute2": versions["iproute2"],
        "busy": f"{_busy(written / 'busy'):.3f}",
        "experiment": json.dumps(experiment.described()),
        "sysctls": _sysctls(written / "sysctls"),
        "discipline_at_end": " ".join((written / "discipline").read_text().split()),
    }
    trace = Trace(written / "trace", float((written / "origin").read_text()))
    parts = [
        "# longfat recording of Linux, version 1\n",
        *(f"# {key}: {value}\n" for key, value in header.items()),
    ]
    parts.append(_connections(experiment, written))
    for number, (_, flow) in enumerate(experiment.connections):
        if flow.count == 1:
            parts.append(
                _section(
                    f"window {number}",
                    "seconds segments threshold smoothed_round_trip_us",
                    trace.windows(number),
                )
            )
            parts.append(_tcp_info(number, written / f"sent.{number}"))
        if trace.resent[number]:
            rows = (
                trace.resent[number][at : at + 10] for at in range(0, len(trace.resent[number]), 10)
            )
            parts.append(_section(f"retransmissions {number}", "seconds (ten a row)", rows))
    parts.append(_queue(written / "queue"))
    parts.append(_section("waiting", "second packets mean_us p95_us longest_us", trace.waits()))
    steps = written / "steps"
    if steps.exists():
        rows = [[f"{float(time) - trace.origin:.4f}"] for time in steps.read_text().split()]
        parts.append(_section("steps", "seconds", rows))
    return "".join(parts)


class Trace:
    """What the kernel traced: windows at acknowledgments, retransmissions, times in the queue."""

    def __init__(self, file: Path, origin: float) -> None:
        self.origin = origin
        self.probes: dict[int, list[tuple[float, int, int, int]]] = defaultdict(list)
        self.resent: dict[int, list[str]] = defaultdict(list)
        self._waits: dict[int, list[int]] = defaultdict(list)
        entered: dict[str, float] = {}
        with file.open() as lines:
            for line in lines:
                found = EVENT.search(line)
                if not found:
                    continue
                time, event, rest = float(found[1]) - origin, found[2], found[3]
                if time < 0:
                    continue
                if event == "tcp_probe":
                    values = dict(re.findall(r"(dest|snd_cwnd|ssthresh|srtt)=(\S+)", rest))
                    number = int(values["dest"].rsplit(":", 1)[1]) - FIRST_PORT
                    row = (
                        time,
                        int(values["snd_cwnd"]),
                        int(values["ssthresh"]),
                        int(values["srtt"]),
                    )
                    self.probes[number].append(row)
                elif event.startswith("tcp_retransmit"):
                    ports = dict(re.findall(r"(sport|dport)=(\d+)", rest))
                    to, of = int(ports["dport"]) - FIRST_PORT, int(ports["sport"]) - FIRST_PORT
                    if 0 <= to < 1000 or 0 <= of < 1000:
                        mark = "" if 0 <= to < 1000 else "r"  # of the receiver: its SYN or FIN
                        self.resent[to if not mark else of].append(f"{time:.4f}{mark}")
                else:
                    packet = rest.rsplit("skbaddr=", 1)[1]
                    if event == "qdisc_enqueue":
                        entered[packet] = time
                    elif packet in entered:
                        self._waits[int(time)].append(round((time - entered.pop(packet)) * 1e6))

    def windows(self, number: int) -> Iterable[list[object]]:
        """Rows of windows that changed by over a segment and 2 %, turned, or changed threshold."""
        kept = before = None
        rising = True
        for row in self.probes[number]:
            if kept is None or row[2] != kept[2] or abs(row[1] - kept[1]) > max(1, kept[1] // 50):
                if (
                    before
                    and before != kept
                    and kept
                    and (row[1] > kept[1]) != rising
                    and before[1] != kept[1]
                ):
                    yield _window(before)
                    kept = before
                rising = kept is None or row[1] > kept[1]
                yield _window(row)
                kept = row
            before = row
        if before and before != kept:
            yield _window(before)

    def waits(self) -> Iterable[list[object]]:
        """Times from entering the discipline to leaving it, second by second."""
        for second, waits in sorted(self._waits.items()):
            waits.sort()
            yield [
                second,
                len(waits),
                round(sum(waits) / len(waits)),
                waits[len(waits) * 95 // 100],
                waits[-1],
            ]


def _window(row: tuple[float, int, int, int]) -> list[object]:
    time, segments, threshold, smoothed = row
    return [f"{time:.4f}", segments, "-" if threshold >= INFINITE else threshold, smoothed]


def _section(title: str, columns: str, rows: Iterable[Iterable[object]]) -> str:
    return f"[{title}]\n{columns}\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows)


def _busy(file: Path) -> float:
    """Share of the guest's processor that was not idle; near 1, the line was not the limit."""
    before, after = (
        [int(word) for word in line.split()[1:8]] for line in file.read_text().splitlines()
    )
    passed = [now - then for then, now in zip(before, after, strict=True)]
    return 1 - passed[3] / sum(passed)


def _sysctls(file: Path) -> str:
    values = dict(line.split(" = ", 1) for line in file.read_text().splitlines() if " = " in line)
    told = {name: " ".join(values.get(f"net.ipv4.{name}", "none").split()) for name in SYSCTLS}
    return "; ".join(f"{name} {value}" for name, value in told.items())


def _connections(experiment: Experiment, written: Path) -> str:
    rows = []
    for number, (sender, flow) in enumerate(experiment.connections):
        log = (written / f"sent.{number}").read_text().splitlines()
        begun, established, segment = log[0].split() if log else ("-", "-", "-")
        received = written / f"received.{number}"
        size, last = received.read_text().split() if received.exists() else ("0", "-")
        rows.append([number, sender, flow.control, begun, established, segment, size, last])
    return _section(
        "connections",
        "number sender control began_s established_s segment_bytes received_bytes last_byte_s",
        rows,
    )


def _tcp_info(number: int, file: Path) -> str:
    """Every 100 ms; states are 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss."""
    rows, resent, acked, marked = [], 0, 0, 0
    for line in file.read_text().splitlines()[1:]:
        time, window, state, smoothed, variation, _, timeout, flight, *counts = line.split()
        total, received, pacing, delivery, marks = map(int, counts)
        rows.append(
            [
                round(float(time) * 1000),
                window,
                state,
                smoothed,
                variation,
                round(int(timeout) / 1000),
                flight,
                total - resent,
                received - acked,
                round(pacing / 125),
                round(delivery / 125),
                marks - marked,
            ]
        )
        resent, acked, marked = total, received, marks
    columns = (
        "ms segments state smoothed_round_trip_us variation_us timeout_ms flight"
        " retransmitted acked_bytes pacing_kbit delivery_kbit marked"
    )
    return _section(f"tcp_info {number}", columns, rows)


def _queue(file: Path) -> str:
    rows, dropped, sent = [], 0, 0
    for line in file.read_text().splitlines():
        time, packets, size, drops, total = line.split()
        rows.append(
            [round(float(time) * 1000), packets, size, int(drops) - dropped, int(total) - sent]
        )
        dropped, sent = int(drops), int(total)
    return _section("queue", "ms packets bytes dropped sent", rows)

"""This machine's kernel over the networks in which Linux was recorded, in real time.

The network is that of `longfat verify linux`, with programs at its ends: what differs from a
recording is the kernel's version and the machine, and not the line. Retransmissions and
acknowledgments are those of the packets at the sender's interface, windows those that the kernel
tells (`tcp_info`), the queue is the engine's.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.emulation.run import DEFAULT_BOUND_PS, Programs, emulate
from longfat.emulation.timing import Timing
from longfat.running.execution import Watch
from longfat.scenarios.scenario import Scenario
from longfat.traces.captured import SYNCHRONIZE, Captured, Row, read_capture
from longfat.verification.bands import Finding, judge
from longfat.verification.disciplines import is_shaped
from longfat.verification.linux import Comparison, verify
from longfat.verification.measures import Key, measures
from longfat.verification.network import Host, packet_s, scenario_of, starts
from longfat.verification.observed import (
    Flow,
    Observed,
    by_flow,
    of_linux,
    queues,
    sampled,
)
from longfat.verification.recordings import Experiment, Recording, read_recording

KINDS = {"single", "kernel"}
"""Experiments with one sender that always has data, over a line that stays as it is."""

MOST_MBIT = 100
"""Rate up to which packets are on time on a usual machine."""

PORT = 5201

MARGIN_SECONDS = 5
"""Time that programs have to start, beside that of the experiment."""

_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_SEEN, _PACKETS, _TRACES = "seen.json", "packets.pcapng", "traces"


@dataclass(frozen=True)
class RealRun:
    """A run of this machine's kernel: its measures, and how late packets were."""

    observed: Mapping[str, Any]
    """Windows, thresholds and bytes acknowledged, as the sender has asked its kernel for them."""
    sent: Captured
    emulation: Mapping[str, Any]
    queue: Mapping[int, list[dict[str, Any]]]

    @property
    def is_on_time(self) -> bool:
        """Return True if at most one packet of a hundred was later than the bound."""
        return bool(self.emulation["lateness"]["is_on_time"])


@dataclass(frozen=True)
class Beside:
    """A measure of a recording, of this kernel, and of longfat."""

    measure: str
    flow: str
    unit: str
    recorded: float | None
    kernel: float | None
    longfat: float | None
    half_width: float | None
    verdict: str
    """Of this kernel beside the recording."""
    verdict_of_longfat: str
    """Of longfat beside this kernel, with the same band."""
    reason: str


@dataclass(frozen=True)
class KernelComparison:
    """A recording, and the runs of this kernel over its network."""

    model: Comparison
    runs: list[RealRun]
    rows: list[Beside]

    @property
    def outside(self) -> list[Beside]:
        """Measures of this kernel that are outside of their bands around the recording's."""
        return [row for row in self.rows if row.verdict in {"outside", "reversed"}]

    def document(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "name": self.model.name,
            "experiment": self.model.experiment.name,
            "held_out": self.model.experiment.held_out,
            "control": self.model.experiment.declared["flows"][0]["control"],
            "recorded_kernel": self.model.recording.kernel,
            "runs": [
                {key: run.emulation[key] for key in ("lateness", "scheduling", "kernel")}
                for run in self.runs
            ],
            "measures": [asdict(row) for row in self.rows],
        }


def refusal(experiment: Experiment) -> str | None:
    """Return why this machine's kernel cannot be held against an experiment; None if it can."""
    declared = experiment.declared
    flows = declared["flows"]
    if not experiment.recordings():
        return "declared, not yet recorded"
    if experiment.kind not in KINDS or experiment.discipline != "FIFO" or len(flows) != 1:
        return "not one sender with data at any time over a constant line"
    if declared["rate_mbit"] > MOST_MBIT:
        return f"more than {MOST_MBIT} Mbit/s"
    control = flows[0]["control"]
    available = _AVAILABLE.read_text().split() if _AVAILABLE.is_file() else []
    if control not in available:
        return f"this kernel has no {control} now (modprobe tcp_{control})"
    return None


def hold(
    preset: str,
    experiments: Sequence[Experiment],
    jobs: int,
    *,
    timing: Timing | None = None,
    repetitions: int = 1,
    tell: Callable[[str, RealRun], None] = lambda _name, _run: None,
) -> list[KernelComparison]:
    """Run this kernel over the network of each experiment, and judge it by each recording.

    The bands are those of `longfat verify linux`, and are as wide. Raises as `emulate` does, where
    the machine allows no network namespaces.
    """
    host = Host.of(preset)
    real: dict[str, list[RealRun]] = {}
    for experiment in experiments:
        real[experiment.name] = []
        for _ in range(repetitions):
            run = _run(experiment, host, timing or Timing())
            tell(experiment.name, run)
            real[experiment.name].append(run)
    compared = verify(preset, experiments, jobs).compared
    return [_beside(comparison, real[comparison.experiment.name]) for comparison in compared]


def _run(experiment: Experiment, host: Host, timing: Timing) -> RealRun:
    """Send over the network of an experiment, as long as it was recorded."""
    recording = read_recording(experiment.recordings()[0])
    settings = scenario_of(experiment, recording, host)
    seconds = experiment.declared["seconds"]
    settings["duration"] = f"{seconds + MARGIN_SECONDS} s"
    settings["connections"] = [{"stack": "outside"}]
    text = json.dumps(settings).encode()
    scenario = Scenario(_engine.resolve_scenario(text, f"{experiment.name}.json"))
    program = [sys.executable, "-m", "longfat.emulation.transfer"]
    with tempfile.TemporaryDirectory(prefix="longfat-verify-") as name:
        folder = Path(name)
        control = experiment.declared["flows"][0]["control"]
        send = ["send", "server", str(PORT), control, str(seconds), str(folder / _SEEN)]
        record = emulate(
            scenario,
            Programs([*program, *send], " ".join([*program, "receive", str(PORT)])),
            timing=timing,
            bound_ps=DEFAULT_BOUND_PS,
            watch=Watch(folder / _TRACES, ("queue-by-flow",), error=0.0, pcap=folder / _PACKETS),
            keep_stdout=True,
        )
        return RealRun(
            json.loads((folder / _SEEN).read_text()),
            read_capture(folder / _PACKETS)[0],
            record["emulation"],
            by_flow(folder / _TRACES / "queue-by-flow.parquet"),
        )


def observed(experiment: Experiment, recording: Recording, run: RealRun) -> Observed:
    """Return the observations of a run, as those of the recording are made.

    The SYN leaves when it left in the recording: a program needs longer to start.
    """
    (start,) = starts(recording)
    first, answer = (
        next(row.time_ps for row in run.sent.rows if _is_synchronize(row, is_answer))
        for is_answer in (False, True)
    )
    later_ps = round(start * PICOSECONDS_PER_SECOND) - first
    moved: dict[str, list[dict[str, Any]]] = {"segments": [], "acknowledgments": []}
    for row in run.sent.rows:
        if row.trace in moved:
            moved[row.trace].append({"time_ps": row.time_ps + later_ps, **row.fields})
    end = experiment.declared["seconds"]
    resent = [row["time_ps"] / 1e12 for row in moved["segments"] if row["is_again"]]
    flow = Flow(
        experiment.declared["flows"][0]["control"],
        start,
        (answer + later_ps) / PICOSECONDS_PER_SECOND,
        [
            (time + start, window, None if threshold is None else float(threshold))
            for time, window, threshold, _ in run.observed["rows"]
            if time + start <= end
        ],
        [time for time in resent if time <= end],
        sampled(moved["acknowledgments"], recording.rows("tcp_info 0")),
    )
    packet = packet_s(experiment, run.observed["segment_bytes"])
    of_flow = {
        number: [{**row, "time_ps": row["time_ps"] + later_ps} for row in rows]
        for number, rows in run.queue.items()
    }
    samples = [float(row[0]) / 1e3 for row in recording.rows("queue")]
    waits, queue = queues(of_flow, packet, samples, is_shaped(experiment))
    return Observed([flow], queue, waits, 0, 0, of_linux(experiment, recording).until_s)


def _is_synchronize(row: Row, is_answer: bool) -> bool:
    return row.trace == SYNCHRONIZE and row.fields["is_answer"] is is_answer


def _beside(comparison: Comparison, runs: list[RealRun]) -> KernelComparison:
    experiment, recording = comparison.experiment, comparison.recording
    recorded = measures(experiment, of_linux(experiment, recording))
    real = [measures(experiment, observed(experiment, recording, run)) for run in runs]
    segment = max(connection.segment_bytes for connection in recording.connections)
    model = {(each.measure, each.flow): each for each in comparison.findings}
    keys = dict.fromkeys(key for side in (recorded, *real) for key in side)
    # As wide as for the model: recordings with other starts differ, and so do random numbers.
    spreads = {key: found.widened for key in keys if (found := model.get(_named(key)))}
    values = {
        key: found.longfat
        for key in keys
        if (found := model.get(_named(key))) and found.longfat is not None
    }
    judged = judge(experiment, segment, recorded, real, spreads, ())
    mirrored = {
        (each.measure, each.flow): each
        for each in judge(experiment, segment, values, real, spreads, ())
    }
    late = _late(runs)
    rows = [
        _row(finding, model.get(name), mirrored.get(name), late)
        for finding in judged
        for name in [(finding.measure, finding.flow)]
    ]
    return KernelComparison(comparison, runs, rows)


def _named(key: Key) -> tuple[str, str]:
    return key[0].name, key[1]


def _late(runs: Sequence[RealRun]) -> str:
    """Return what is said of runs in which packets were late; empty if there is none."""
    late = [run.emulation["lateness"] for run in runs if not run.is_on_time]
    if not late:
        return ""
    worst = max(lateness["p99_s"] for lateness in late)
    return f"packets were late, 1 of 100 by {1e3 * worst:.3g} ms"


def _row(real: Finding, model: Finding | None, mirrored: Finding | None, late: str) -> Beside:
    return Beside(
        real.measure,
        real.flow,
        real.unit,
        real.linux,
        real.longfat,
        None if model is None else model.longfat,
        real.half_width,
        "not judged" if late else real.verdict,
        "not judged" if late or mirrored is None else mirrored.verdict,
        late or real.reason,
    )

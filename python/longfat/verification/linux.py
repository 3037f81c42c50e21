"""A preset of longfat held against the recordings of Linux."""

import fnmatch
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from longfat import _engine
from longfat.base.errors import Interrupted, LongfatError, RunFailed
from longfat.base.stopping import requested_stop
from longfat.records.differences import Explanation, explanations
from longfat.running.execution import Watch, execute_watched
from longfat.verification.bands import Finding, judge
from longfat.verification.disciplines import NotExpressible
from longfat.verification.divergence import Divergence, first_divergence
from longfat.verification.measures import Key, is_drawn, is_random, measures
from longfat.verification.network import Host, packet_s, resolved
from longfat.verification.observed import TRACES, Observed, of_linux, of_longfat
from longfat.verification.recordings import Experiment, Recording, experiments, read_recording

if TYPE_CHECKING:
    from longfat.records.record import Record

HeldOut = Literal["none", "only", "both"]

REPLICATIONS = 8
"""Replications of an experiment in which random numbers matter."""

NOT_RECORDED = "declared, not yet recorded"


@dataclass
class Comparison:
    """One recording, and what came of it."""

    experiment: Experiment
    recording: Recording
    findings: list[Finding] = field(default_factory=list)
    divergence: Divergence | None = None
    """None with random losses, where packets have no common order."""

    @property
    def name(self) -> str:
        """The recording's name: the experiment's, with the offset of the starts."""
        offset = self.recording.offset_ms
        return f"{self.experiment.name}{f'+{offset:g}ms' if offset else ''}"


@dataclass
class Verification:
    """All that was compared, and what was not, with the reason."""

    preset: str
    compared: list[Comparison]
    left_out: list[tuple[Experiment, str]]
    stale: list[Explanation]

    @property
    def outside(self) -> list[tuple[Comparison, Finding]]:
        """The differences without an explanation."""
        return [
            (comparison, finding)
            for comparison in self.compared
            for finding in comparison.findings
            if finding.is_outside
        ]


def chosen(only: str | None, held_out: HeldOut) -> list[Experiment]:
    """Return the declared experiments that the options choose.

    Raises `LongfatError` if there are none.
    """
    wanted = {"none": {False}, "only": {True}, "both": {False, True}}[held_out]
    declared = [each for each in experiments() if each.held_out in wanted]
    found = [each for each in declared if only is None or fnmatch.fnmatchcase(each.name, only)]
    if not found:
        raise LongfatError(
            f"--only {only}: none of the {len(declared)} experiments with --held-out {held_out} has"
            " such a name; docs/method/linux.md lists them"
        )
    return found


def verify(
    preset: str,
    chosen_experiments: Sequence[Experiment],
    jobs: int,
    overrides: Sequence[tuple[str, str, str]] = (),
) -> Verification:
    """Run every recorded experiment with a preset, and judge each recording.

    Raises `InvalidInput` for an unknown preset, and `RunFailed` if a run fails.
    """
    host = Host.of(preset)
    compared: list[Comparison] = []
    left_out: list[tuple[Experiment, str]] = []
    runs: list[tuple[Comparison, str]] = []
    for experiment in chosen_experiments:
        files = experiment.recordings()
        if not files:
            left_out.append((experiment, NOT_RECORDED))
        try:
            for file in files:
                comparison = Comparison(experiment, read_recording(file))
                text = resolved(experiment, comparison.recording, host, overrides)
                compared.append(comparison)
                runs.append((comparison, text))
        except NotExpressible as reason:
            left_out.append((experiment, str(reason)))
    seen = _run_all(runs, jobs)
    known = explanations()
    linux = {id(each): of_linux(each.experiment, each.recording) for each in compared}
    theirs = {id(each): measures(each.experiment, linux[id(each)]) for each in compared}
    for each in compared:
        ours = seen[id(each)]
        segment = max(connection.segment_bytes for connection in each.recording.connections)
        siblings = [theirs[id(other)] for other in compared if other.experiment is each.experiment]
        each.findings = judge(
            each.experiment,
            segment,
            theirs[id(each)],
            [measures(each.experiment, run) for run in ours],
            _spreads(siblings),
            known,
        )
        if not is_random(each.experiment):
            each.divergence = first_divergence(
                linux[id(each)],
                ours[0],
                packet_s(each.experiment, segment),
                each.experiment.declared["round_trip_ms"] / 1e3,
            )
    return Verification(preset, compared, left_out, _stale(known, compared))


def _spreads(recordings: Sequence[dict[Key, float]]) -> dict[Key, float]:
    """Return the range of each measure that all recordings of an experiment have."""
    common = set(recordings[0]).intersection(*recordings[1:])
    return {
        key: max(each[key] for each in recordings) - min(each[key] for each in recordings)
        for key in common
    }


def _stale(known: Sequence[Explanation], compared: Sequence[Comparison]) -> list[Explanation]:
    """Return the explanations of differences that are no longer there."""
    names = {each.experiment.name for each in compared}
    used = {
        (each.experiment.name, _named(finding))
        for each in compared
        for finding in each.findings
        if finding.verdict == "explained"
    }
    return [
        entry
        for entry in known
        if entry.experiment in names and (entry.experiment, entry.measure) not in used
    ]


def _named(finding: Finding) -> str:
    return f"{finding.measure} of {finding.flow}" if finding.flow else finding.measure


def _run_all(runs: Sequence[tuple[Comparison, str]], jobs: int) -> dict[int, list[Observed]]:
    """Run scenarios with traces, several at a time; returns the replications of each comparison."""
    tasks = [
        (comparison, replication)
        for comparison, text in runs
        for replication in _replications(comparison, text)
    ]
    seen: dict[int, list[Observed]] = {id(comparison): [] for comparison, _ in runs}
    with requested_stop() as requested, ThreadPoolExecutor(jobs) as pool:
        futures = [
            (comparison, pool.submit(_observed, comparison, text, requested))
            for comparison, text in tasks
        ]
        for comparison, future in futures:
            seen[id(comparison)].append(future.result())
    return seen


def _replications(comparison: Comparison, text: str) -> list[str]:
    if not is_drawn(comparison.experiment):
        return [text]
    before, behind, _, _ = _engine.replicate(text, range(REPLICATIONS + 1))
    return [f"{before}{number}{behind}" for number in range(1, REPLICATIONS + 1)]


def _observed(comparison: Comparison, text: str, requested: Sequence[int]) -> Observed:
    records: list[Record] = []
    failures: list[str] = []

    def report(outcomes: Sequence[Any], _seconds: float) -> None:
        if requested:
            raise Interrupted(requested[0])
        for outcome in outcomes:
            records.extend([outcome.record] if outcome.record is not None else [])
            failures.extend([outcome.failure] if outcome.failure is not None else [])

    with tempfile.TemporaryDirectory(prefix="longfat-verify-") as folder:
        traces = Path(folder) / "traces"
        if requested:
            raise Interrupted(requested[0])
        execute_watched(text, Watch(traces, TRACES, error=0.0), report)
        if failures:
            raise RunFailed(f"{comparison.name}: {failures[0]}")
        return of_longfat(comparison.experiment, comparison.recording, records[0], traces)

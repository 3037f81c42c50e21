"""Results of a verification for programs, and by control and discipline for people."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from longfat.verification import measures as of
from longfat.verification.linux import Comparison, Verification
from longfat.verification.measures import Measure

RELATIVE = (of.GOODPUT, of.QUEUE, of.PERIOD, of.WAIT, of.WAIT_P95)
"""Measures whose largest difference, in percent of Linux's value, a summary states."""

SUMMARY_COLUMNS = [
    "kernel",
    "queue",
    "controls",
    "recordings",
    "measures within",
    "explained",
    *(f"{measure.name}, %" for measure in RELATIVE),
    f"{of.SHARE.name}, points",
]


def figure(value: float | None) -> str:
    """Return a number with four significant digits, or a dash."""
    return "-" if value is None else f"{value:.4g}"


def summaries(compared: Iterable[Comparison]) -> list[list[str]]:
    """Return a row for each kernel, queue and set of controls."""
    together: dict[tuple[str, str, str], list[Comparison]] = defaultdict(list)
    for each in compared:
        experiment = each.experiment
        controls = " and ".join(
            dict.fromkeys(str(flow["control"]) for flow in experiment.declared["flows"])
        )
        together[each.recording.kernel, experiment.discipline, controls].append(each)
    rows: list[list[str]] = []
    for (kernel, queue, controls), group in sorted(together.items(), key=_order):
        findings = [finding for each in group for finding in each.findings]
        within = sum(finding.verdict == "within" for finding in findings)
        explained = sum(finding.verdict == "explained" for finding in findings)
        rows.append(
            [
                kernel,
                queue,
                controls,
                str(len(group)),
                f"{within} of {len(findings)}",
                str(explained) if explained else "",
                *(_largest(group, measure, relative=True) for measure in RELATIVE),
                _largest(group, of.SHARE, relative=False),
            ]
        )
    return rows


def _order(item: tuple[tuple[str, str, str], Any]) -> tuple[Any, ...]:
    (kernel, queue, controls), _ = item
    return (kernel != "6.12.95", kernel, queue != "FIFO", queue, " and " in controls, controls)


def _largest(group: Sequence[Comparison], measure: Measure, relative: bool) -> str:
    """Return the largest difference of a measure among recordings, "" if none has it."""
    differences = [
        abs(finding.difference) / (abs(finding.linux) / 100 if relative else 1)
        for each in group
        for finding in each.findings
        if finding.measure == measure.name and finding.difference is not None and finding.linux
        if measure != of.QUEUE or finding.linux > 1  # shares of less than a packet mean nothing
    ]
    return f"{max(differences):.1f}" if differences else ""


def document(verification: Verification) -> dict[str, Any]:
    """Return all results as a document for JSON."""
    return {
        "preset": verification.preset,
        "recordings": [
            {
                "name": each.name,
                "experiment": each.experiment.name,
                "kind": each.experiment.kind,
                "held_out": each.experiment.held_out,
                "kernel": each.recording.kernel,
                "offset_ms": each.recording.offset_ms,
                "discipline": each.experiment.discipline,
                "measures": [finding.document() for finding in each.findings],
                "first_difference": each.divergence and each.divergence.document(),
            }
            for each in verification.compared
        ],
        "not_compared": [
            {"experiment": experiment.name, "held_out": experiment.held_out, "reason": reason}
            for experiment, reason in verification.left_out
        ],
        "stale": [
            {"experiment": entry.experiment, "measure": entry.measure}
            for entry in verification.stale
        ],
        "outside": len(verification.outside),
    }

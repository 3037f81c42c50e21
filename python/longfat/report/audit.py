"""Audits as JSON, as rows of tables, and as Markdown."""

from collections import Counter
from collections.abc import Sequence, Set
from typing import Any

from longfat import _engine
from longfat.analysis.audit import Audit, AuditedClaim, Distance, VariationOutcome
from longfat.analysis.claims import Verdict
from longfat.base.numbers import counted, formatted
from longfat.report.markdown import markdown_table
from longfat.studies.audit import AuditPlan, Variation
from longfat.studies.cost import Cost
from longfat.studies.plan import Plan

SHOWN_VERDICTS: Sequence[Verdict] = ("holds", "fails", "undecided")
CLAIM_COLUMNS = (
    *("claim", "statement", "as here", "survives"),
    *("holds under", "fails under", "undecided under"),
)
PLAN_COLUMNS = ("", "knob", "as here", "instead", "combinations", "stored")
AS_HERE = "as here"


def audit_document(audit: Audit, confidence: float, refused: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of ``longfat study audit --json``.

    `refused` are the variations that are not possible, with the reasons.
    """
    return {
        "study": audit.study.name,
        "engine": _engine.ENGINE_VERSION,
        "replications": audit.replications,
        "confidence": confidence,
        "missing_runs": audit.missing,
        "refused": list(refused),
        "tables": [
            {
                "table": response.table,
                "response": response.metric,
                "mean_absolute_error": distance.error,
                "bias": distance.bias,
            }
            for response, distance in zip(audit.responses, audit.distances, strict=True)
        ],
        "claims": [
            {
                "id": found.claim.id,
                "statement": found.claim.statement,
                "verdict": found.verdict,
                "measured": found.measured.value,
                "combinations": found.combinations,
                "combinations_here": found.covered,
            }
            for found in audit.claims
        ],
        "variations": [_variation(audit, found) for found in audit.variations],
    }


def _variation(audit: Audit, found: VariationOutcome) -> dict[str, Any]:
    return {
        "alternatives": _alternatives(found.variation),
        "combinations": len(found.variation.plan.scenarios),
        "missing_runs": found.missing,
        "moves_nothing": found.is_idle,
        "tables": [
            {
                "table": response.table,
                "response": response.metric,
                "mean_absolute_error": move.error,
                "bias": move.bias,
            }
            for response, move in zip(audit.responses, found.moves, strict=True)
        ],
        "claims": [
            {
                "id": claim.claim.id,
                "outcome": claim.outcome,
                "verdict": claim.verdict,
                "measured": claim.measured.value,
                "low": claim.measured.low,
                "high": claim.measured.high,
            }
            for claim in found.claims
        ],
    }


def move_rows(audit: Audit) -> tuple[list[str], list[list[str]]]:
    """Return header and rows with the effect of each variation on each table and on verdicts.

    The first row has the study's own distances, mean absolute error and bias in parentheses; the
    others have the differences from them, empty if a table does not change. Variations without any
    effect are omitted.
    """
    header = [
        *("", "knob", AS_HERE, "instead"),
        *(f"{response.metric} (table {response.table})" for response in audit.responses),
        *("flips", "undecided"),
    ]
    verdicts = Counter(found.verdict for found in audit.claims if found.is_conclusive)
    distances = [_distance(distance) for distance in audit.distances]
    rows = [["", AS_HERE, "", "", *distances, "", str(verdicts["undecided"])]]
    for number, found in _numbered(audit).items():
        outcomes = Counter(
            claim.outcome
            for claim, own in zip(found.claims, audit.claims, strict=True)
            if own.is_conclusive
        )
        rows.append(
            [
                str(number),
                *_named(found.variation),
                *(_move(move) for move in found.moves),
                str(outcomes["flips"]),
                str(outcomes["undecided"]),
            ]
        )
    return header, rows


def claim_rows(audit: Audit) -> list[list[str]]:
    """Return a row for each claim that the audited part decides, under `CLAIM_COLUMNS`.

    The last columns list the variations whose verdict differs from the study's, by number.
    """
    numbered = _numbered(audit)
    rows = []
    for index, found in enumerate(audit.claims):
        if not found.is_conclusive:
            continue
        under: dict[Verdict, list[str]] = {"holds": [], "fails": [], "undecided": [], "no data": []}
        for number, variation in numbered.items():
            under[variation.claims[index].verdict].append(str(number))
        idle = len(audit.variations) - len(numbered)
        survives = len(under.pop(found.verdict)) + idle
        rows.append(
            [
                found.claim.id + _part(found),
                " ".join(found.claim.statement.split()),
                found.verdict,
                f"{survives} of {len(audit.variations)}",
                *(", ".join(under.get(verdict, [])) for verdict in SHOWN_VERDICTS),
            ]
        )
    return rows


def summary(audit: Audit) -> str:
    """Return a summary of the audit in a few sentences."""
    told = [index for index, found in enumerate(audit.claims) if found.is_conclusive]
    decided = [index for index in told if audit.claims[index].verdict != "undecided"]
    kept = sum(
        all(variation.claims[index].outcome != "flips" for variation in audit.variations)
        for index in decided
    )
    knobs = {
        alternative.knob
        for found in audit.variations
        for alternative in found.variation.alternatives
    }
    lines = (
        f"{counted(len(audit.variations), 'variation')} of {counted(len(knobs), 'knob')}, "
        f"{counted(audit.replications, 'replication')}. "
        f"Of {counted(len(audit.claims), 'claim')} {len(decided)} are decided here; "
        f"{kept} of these verdicts flip under no variation."
    )
    if any(not audit.claims[index].is_whole for index in told):
        lines += " Claims marked * hold in the audited part of what they are about."
    return lines


def idle_sentence(audit: Audit) -> str:
    """Return a sentence listing the variations without any effect; empty if there are none."""
    idle = [_label(found) for found in audit.variations if found.is_idle]
    return f"Nothing at all moves under: {'; '.join(idle)}." if idle else ""


def audit_markdown(audit: Audit) -> str:
    """Return the audit as Markdown."""
    header, rows = move_rows(audit)
    lines = [
        f"Engine {_engine.ENGINE_VERSION}. {summary(audit)}",
        "",
        *markdown_table(header, rows),
    ]
    if idle := idle_sentence(audit):
        lines += ["", idle]
    if claims := claim_rows(audit):
        lines += ["", "Verdicts, and the choices above under which they are others:"]
        lines += ["", *markdown_table(CLAIM_COLUMNS, claims)]
    return "\n".join(lines) + "\n"


def plan_rows(plan: AuditPlan, missing: Set[str]) -> list[list[str]]:
    """Return rows for the study's own runs and for each variation, under `PLAN_COLUMNS`.

    `missing` has the run ids that the store does not have.
    """
    rows = [(["", AS_HERE, "", ""], plan.baseline)]
    rows += [
        ([str(number), *_named(variation)], variation.plan)
        for number, variation in enumerate(plan.variations, start=1)
    ]
    return [
        [*named, str(len(runs.scenarios)), f"{_stored(runs, missing)} of {runs.distinct_runs}"]
        for named, runs in rows
    ]


def plan_document(plan: AuditPlan, missing: Set[str], cost: Cost) -> dict[str, Any]:
    """Return the document of ``longfat study audit --plan --json``."""
    return {
        "study": plan.baseline.study.name,
        "distinct_runs": plan.everything.distinct_runs,
        "missing_runs": len(missing),
        "estimated_core_seconds": cost.core_seconds,
        "estimated_from_stored_runs": cost.measured_runs,
        "estimated_roughly": cost.rough_runs,
        "refused": list(plan.refused),
        "variations": [
            {
                "alternatives": _alternatives(variation),
                "combinations": len(variation.plan.scenarios),
                "distinct_runs": variation.plan.distinct_runs,
                "stored_runs": _stored(variation.plan, missing),
            }
            for variation in plan.variations
        ],
    }


def _stored(plan: Plan, missing: Set[str]) -> int:
    return len(plan.distinct.keys() - missing)


def _alternatives(variation: Variation) -> list[dict[str, Any]]:
    return [
        {
            "knob": alternative.knob,
            "here": alternative.here or None,
            "alternative": alternative.name,
            "reason": alternative.reason,
        }
        for alternative in variation.alternatives
    ]


def _numbered(audit: Audit) -> dict[int, VariationOutcome]:
    """Number the variations that have any effect, from 1."""
    moving = [found for found in audit.variations if not found.is_idle]
    return dict(enumerate(moving, start=1))


def _named(variation: Variation) -> list[str]:
    alternatives = variation.alternatives
    return [
        "; ".join(alternative.knob for alternative in alternatives),
        "; ".join(alternative.here or "-" for alternative in alternatives),
        "; ".join(alternative.name for alternative in alternatives),
    ]


def _label(found: VariationOutcome) -> str:
    return ", ".join(
        f"{alternative.knob} = {alternative.name}" for alternative in found.variation.alternatives
    )


def _part(found: AuditedClaim) -> str:
    return "" if found.is_whole else "*"


def _distance(distance: Distance) -> str:
    return f"{formatted(distance.error, 3)} ({_signed(distance.bias)})"


def _move(move: Distance) -> str:
    """Format a change of distance; empty if it is 0."""
    if (move.error, move.bias) == (0, 0):
        return ""
    return f"{_signed(move.error)} ({_signed(move.bias)})"


def _signed(value: float | None) -> str:
    text = formatted(value, 3)
    return text if value is None or value < 0 else f"+{text}"

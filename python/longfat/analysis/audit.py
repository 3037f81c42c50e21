"""Audit: sensitivity of verdicts and tables to settings that the source leaves open.

For each variation, the runs of a part of a study are replaced by runs with other settings; claims
are judged and tables compared as for the study itself. Pure functions.
"""

import dataclasses
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from longfat.analysis.claim_tables import NONE, run_tables
from longfat.analysis.claims import Measured, Verdict, judge_runs
from longfat.results.comparison import Results, compare
from longfat.statistics.intervals import DEFAULT_CONFIDENCE
from longfat.studies.audit import AuditPlan, Variation
from longfat.studies.claims import Claim
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, Replicated
from longfat.studies.reference import Combination
from longfat.studies.responses import Response

Outcome = Literal["survives", "flips", "decided", "undecided", "no data"]
"""Outcome of a verdict under a variation: unchanged, reversed, newly decided, or undecided."""

Metrics = Replicated[Mapping[str, float]]


@dataclass(frozen=True)
class Distance:
    """Distance of a table from the paper's: mean absolute error and bias (ours minus the paper's).

    Both are in the unit of the response, and None if runs are missing.
    """

    error: float | None
    bias: float | None

    def less(self, other: "Distance") -> "Distance":
        """Return the difference, this distance minus `other`, in error and bias."""
        return Distance(_less(self.error, other.error), _less(self.bias, other.bias))


@dataclass(frozen=True)
class ClaimOutcome:
    """Verdict on a claim under a variation, compared with the study's own."""

    claim: Claim
    verdict: Verdict
    measured: Measured
    outcome: Outcome


@dataclass(frozen=True)
class VariationOutcome:
    """Effect of a variation: the change of each table's distance, and each claim's outcome.

    `missing` counts runs without a result; `is_idle` is true if all runs have the same results as
    the study's own.
    """

    variation: Variation
    moves: Sequence[Distance]
    claims: Sequence[ClaimOutcome]
    missing: int
    is_idle: bool


@dataclass(frozen=True)
class AuditedClaim:
    """Claim with the verdict of the study's own runs.

    `combinations` counts those that it reads, `covered` those among them in the audited part.
    """

    claim: Claim
    verdict: Verdict
    measured: Measured
    covered: int
    combinations: int

    @property
    def is_whole(self) -> bool:
        """Whether the audited part has all combinations that the claim reads."""
        return self.covered == self.combinations

    @property
    def is_conclusive(self) -> bool:
        """Whether the verdict is conclusive: with missing rows, a failure may be an artefact."""
        return self.verdict == "holds" or (self.is_whole and self.verdict != "no data")


@dataclass(frozen=True)
class Audit:
    """Result of an audit: the study's own runs, and each variation in the order of the plan."""

    study: StudyDefinition
    replications: int
    responses: Sequence[Response]
    distances: Sequence[Distance]
    claims: Sequence[AuditedClaim]
    missing: int
    variations: Sequence[VariationOutcome]


ReadByClaims = Mapping[str, frozenset[Combination]]
"""Factor combinations that each claim reads in the whole study, by claim id."""


def audit(
    plan: AuditPlan,
    metrics: Metrics,
    claims: Sequence[Claim],
    read: ReadByClaims,
    confidence: float = DEFAULT_CONFIDENCE,
    completions: Replicated[str] = NONE,
) -> Audit:
    """Evaluate the runs of an audit, as far as their `metrics` are available.

    `claims` must have passed `check_claims`; `completions` serve those that read them.
    `confidence` is a share between 0.5 and 1.
    """
    auditor = _Auditor(plan.baseline, metrics, claims, read, confidence, completions)
    return auditor.audit(plan.variations)


def outcome(before: Verdict, after: Verdict) -> Outcome:
    """Return the outcome of a verdict under a variation."""
    if "no data" in (before, after):
        return "no data"
    if after == "undecided":
        return "undecided"
    if before == "undecided":
        return "decided"
    return "survives" if before == after else "flips"


class _Auditor:
    """Judges the study's own runs once, and each variation against them."""

    def __init__(
        self,
        baseline: Plan,
        metrics: Metrics,
        claims: Sequence[Claim],
        read: ReadByClaims,
        confidence: float,
        completions: Replicated[str],
    ) -> None:
        self._baseline = baseline
        self._completions = completions
        self._metrics = metrics
        self._read = read
        self._confidence = confidence
        results = baseline.by_combination(metrics)
        self._responses = [
            response
            for response in baseline.study.responses
            if response.is_printed and compare(response, results).entries
        ]
        self._distances = self._distances_of(baseline, results)
        self._claims = self._judged(claims, results)

    def audit(self, variations: Sequence[Variation]) -> Audit:
        """Evaluate all variations."""
        return Audit(
            study=self._baseline.study,
            replications=self._baseline.replications,
            responses=self._responses,
            distances=self._distances,
            claims=self._claims,
            missing=self._missing(self._baseline),
            variations=[self._vary(variation) for variation in variations],
        )

    def _judged(self, claims: Sequence[Claim], results: Results) -> list[AuditedClaim]:
        tables = run_tables(self._baseline, results, self._completions)
        verdicts = judge_runs(claims, tables, self._confidence)
        there = self._baseline.scenarios.keys()
        return [
            AuditedClaim(
                claim, *verdict, len(self._read[claim.id] & there), len(self._read[claim.id])
            )
            for claim, verdict in zip(claims, verdicts, strict=True)
        ]

    def _vary(self, variation: Variation) -> VariationOutcome:
        changed = variation.plan.scenarios.keys()
        kept = [series for series in self._baseline.series if series.combination not in changed]
        plan = dataclasses.replace(self._baseline, series=[*kept, *variation.plan.series])
        results = plan.by_combination(self._metrics)
        distances = zip(self._distances_of(plan, results), self._distances, strict=True)
        return VariationOutcome(
            variation=variation,
            moves=[distance.less(own) for distance, own in distances],
            claims=self._outcomes(changed, plan, results),
            missing=self._missing(variation.plan),
            is_idle=self._is_idle(variation.plan),
        )

    def _outcomes(
        self, changed: Set[Combination], plan: Plan, results: Results
    ) -> list[ClaimOutcome]:
        """Judge the claims under a variation; those that read no changed run keep their verdict."""
        touched = [found.claim for found in self._claims if self._read[found.claim.id] & changed]
        tables = run_tables(plan, results, self._completions)
        verdicts = judge_runs(touched, tables, self._confidence)
        judged = {claim.id: verdict for claim, verdict in zip(touched, verdicts, strict=True)}
        outcomes = []
        for found in self._claims:
            verdict, measured = judged.get(found.claim.id, (found.verdict, found.measured))
            became = outcome(found.verdict, verdict)
            outcomes.append(ClaimOutcome(found.claim, verdict, measured, became))
        return outcomes

    def _distances_of(self, plan: Plan, results: Results) -> list[Distance]:
        incomplete = plan.incomplete(results)
        return [_distance(response, results, incomplete) for response in self._responses]

    def _is_idle(self, plan: Plan) -> bool:
        own = self._baseline.by_combination(self._metrics)
        theirs = plan.by_combination(self._metrics)
        return plan.lacking(theirs) == 0 and all(
            metrics == own[combination].get(number)
            for combination, runs in theirs.items()
            for number, metrics in runs.items()
        )

    def _missing(self, plan: Plan) -> int:
        found = self._metrics
        return sum(len(own - found.get(key, {}).keys()) for key, own in plan.numbers.items())


def _distance(response: Response, results: Results, incomplete: Set[Combination]) -> Distance:
    """Compute the distance of the means, or of the deterministic values without replications."""
    table = compare(response, results)
    shown = {entry.combination for entry in table.entries}
    rows = [row for row in response.rows if row.combination in shown]
    if any(member in incomplete for row in rows for member in row.simulated):
        return Distance(None, None)
    if table.summary.mean_absolute_error is None:
        return Distance(table.summary.deterministic_error, table.summary.deterministic_bias)
    return Distance(table.summary.mean_absolute_error, table.summary.bias)


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b

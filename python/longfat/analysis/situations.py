"""Verdicts on a controller in situations, from the runs of a store."""

from collections.abc import Sequence
from dataclasses import dataclass

from longfat.analysis.claim_tables import run_tables
from longfat.analysis.claims import InPaper, Judgement, Verdict, check_claims, judge_runs
from longfat.results.stored import load_completions, load_results
from longfat.store import Store
from longfat.studies.plan import Plan
from longfat.studies.situations import Situation

WORST_FIRST: tuple[Verdict, ...] = ("fails", "no data", "undecided", "holds")
"""The verdict on a situation is the first of these that one of its expectations has."""


@dataclass(frozen=True)
class Tried:
    """A situation with the judgements of its expectations, and the messages of failed runs."""

    situation: Situation
    judgements: Sequence[Judgement]
    failures: Sequence[str]

    @property
    def verdict(self) -> Verdict:
        """The worst verdict on any of its expectations."""
        verdicts = {judgement.verdict for judgement in self.judgements}
        return next(verdict for verdict in WORST_FIRST if verdict in verdicts)

    @property
    def fails(self) -> bool:
        """True if an expectation is not met, or cannot be measured, as after runs that failed."""
        return self.verdict in ("fails", "no data")


def check_expectations(situation: Situation, plan: Plan) -> None:
    """Check the SQL of the expectations against the planned runs. Raises `BadInput`."""
    planned = run_tables(plan, {combination: {} for combination in plan.combinations})
    check_claims(situation.study, situation.expectations, planned)


def judge_situation(situation: Situation, plan: Plan, store: Store, confidence: float) -> Tried:
    """Judge a situation by the stored runs of its plan; `confidence` is between 0.5 and 1."""
    completions = load_completions(plan, store, situation.expectations)
    tables = run_tables(plan, load_results(plan, store), completions)
    verdicts = judge_runs(situation.expectations, tables, confidence)
    judgements = [
        Judgement(expectation, *verdict, InPaper(None))
        for expectation, verdict in zip(situation.expectations, verdicts, strict=True)
    ]
    failures = store.failures(list(plan.distinct))
    return Tried(situation, judgements, list(dict.fromkeys(failures.values())))

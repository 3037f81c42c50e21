"""Verdicts on the claims of a study, from the runs of a store."""

from collections.abc import Sequence
from dataclasses import dataclass

from longfat.analysis.cautions import lengths, paths_of
from longfat.analysis.claim_tables import claims_within, paper_tables, planned_tables, run_tables
from longfat.analysis.claims import Judgement, check_claims, judge_claims
from longfat.base.errors import BadInput, LongfatError
from longfat.results.caution import Caution
from longfat.results.sequential import in_effect
from longfat.results.stored import load_completions, load_results
from longfat.store import Store
from longfat.studies.claims import Claim, load_claims
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, plan_everything


@dataclass(frozen=True)
class Verdicts:
    """Judgement of each claim, and the plan of the runs that decide them.

    `replications` is the number per combination; `has_runs` is true if any run of the plan is
    stored; `left_out` counts the claims that need runs outside of the requested part. `cautions`
    are about the runs as such.
    """

    plan: Plan
    judgements: Sequence[Judgement]
    replications: int
    has_runs: bool
    left_out: int
    cautions: Sequence[Caution]


def stored_verdicts(
    study: StudyDefinition,
    store: Store,
    confidence: float,
    *,
    only: Sequence[str] | None = None,
    replications: int | None = None,
    quick: bool = False,
) -> Verdicts:
    """Judge the claims of a study, or those with the ids `only`, by the runs of a store.

    With `quick`, only the runs of the study's quick part are used, and claims that need others are
    omitted. `confidence` is a share between 0.5 and 1. Raises `BadInput` for an unknown id and for
    invalid claims, and `LongfatError` if the quick part has all runs of no claim.
    """
    claims = load_claims(study)
    check_claims(study, claims, planned_tables(study))
    wanted = _chosen(claims, only)
    plan = plan_everything(study, replications, study.quick if quick else None)
    plan = in_effect(plan, store)
    results = load_results(plan, store)
    decidable = claims_within(study, wanted, plan) if quick else wanted
    if not decidable:
        raise LongfatError(f"the small part of {study.name} has not all runs of any of its claims")
    ours = run_tables(plan, results, load_completions(plan, store, claims))
    return Verdicts(
        plan,
        judge_claims(decidable, ours, paper_tables(plan), confidence),
        ours.replications,
        any(results.values()),
        len(wanted) - len(decidable),
        list(lengths(paths_of(plan))),
    )


def _chosen(claims: Sequence[Claim], ids: Sequence[str] | None) -> list[Claim]:
    """Return the claims with these ids, in the order of their file."""
    if ids is None:
        return list(claims)
    known = [claim.id for claim in claims]
    unknown = sorted(set(ids) - set(known))
    if unknown:
        raise BadInput([f"no claim {name!r}; known: {', '.join(known)}" for name in unknown])
    return [claim for claim in claims if claim.id in ids]

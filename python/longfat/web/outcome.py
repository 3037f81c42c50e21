"""Outcome of a study so far: its answer in words, and the verdicts on its claims."""

from collections.abc import Collection, Mapping
from typing import Any

from longfat.analysis.answer import Answer, answer_of_table
from longfat.analysis.cautions import with_cautions
from longfat.analysis.claim_tables import combinations_read
from longfat.analysis.verdicts import stored_verdicts
from longfat.report.answer import answer_document
from longfat.report.claims import claims_document, how_sure, summary, undecided
from longfat.report.markdown import table_name
from longfat.results.comparison import TableComparison
from longfat.results.sequential import in_effect
from longfat.results.stored import compare_results, load_results
from longfat.statistics.intervals import DEFAULT_CONFIDENCE
from longfat.store import Store
from longfat.studies.claims import claims_of
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Selection, plan_reference
from longfat.studies.reference import Combination
from longfat.web.view import View

Document = dict[str, Any]


def outcome(view: View, name: str) -> Document:
    """Return the answers about a study's tables and the verdicts on its claims, from its runs.

    Both are those of `longfat study compare` and `longfat study claims`. Factor combinations are
    given by their numbers on the study's page. Raises `Unknown` for an unknown study, and
    `LongfatError` for claims that are invalid.
    """
    study = view.study(name)
    numbers = {found: number for number, found in enumerate(view.plan(name).combinations)}
    with view.store() as store:
        plan = in_effect(plan_reference(study, Selection()), store)
        results = load_results(plan, store)
        claims = _claims(view, study, store, numbers)
    tables = with_cautions(plan, results, compare_results(plan, results), view.paths(plan))
    sure = study.design.precision.confidence
    common = study.design.seeds == "common"
    answers = ((table, answer_of_table(table, sure, common=common)) for table in tables)
    return {
        "confidence": sure,
        "tables": [
            {
                "name": table_name(table),
                "metric": table.response.metric,
                **_document(found, table, numbers),
                "cautions": [str(caution) for caution in table.cautions],
            }
            for table, found in answers
            if found is not None
        ],
        "claims": claims,
    }


def _document(
    found: Answer, table: TableComparison, numbers: Mapping[Combination, int]
) -> Document:
    """Return an answer, whose best combinations have the numbers of what was run for them."""
    members = {tuple(level for _, level in own.combination): own.members for own in table.entries}
    document = answer_document(found)
    for best, placed in zip(document["best"], found.placed, strict=True):
        own = members[placed.levels]
        best["combinations"] = sorted(numbers[member] for member in own if member in numbers)
    return document


def _claims(
    view: View, study: StudyDefinition, store: Store, numbers: Mapping[Combination, int]
) -> Document | None:
    """Return the verdicts, each with the combinations that it rests on; None without claims."""
    if not claims_of(study):
        return None
    judged = stored_verdicts(study, store, DEFAULT_CONFIDENCE)
    judgements, drawn = judged.judgements, judged.replications
    document = claims_document(study, judgements, DEFAULT_CONFIDENCE, drawn, judged.cautions)
    read = view.remembered(f"claims of {study.name}", lambda: _read(study))
    return {
        "summary": summary(judgements),
        "how_sure": how_sure(DEFAULT_CONFIDENCE, drawn),
        "undecided": undecided(judgements),
        "cautions": document["cautions"],
        "claims": [
            {
                **claim,
                "combinations": sorted(numbers[own] for own in read[claim["id"]] if own in numbers),
            }
            for claim in document["claims"]
        ],
    }


def _read(study: StudyDefinition) -> Mapping[str, Collection[Combination]]:
    return combinations_read(study, claims_of(study))

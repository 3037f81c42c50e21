"""The claims of the shipped studies, before any run."""

import pytest

from longfat.analysis.claim_tables import paper_tables, planned_tables
from longfat.analysis.claims import check_claims, judge_claims
from longfat.studies.claims import load_claims
from longfat.studies.definition import StudyDefinition, load_study, shipped_studies
from longfat.studies.kinds import CLAIMS_FILE
from longfat.studies.plan import plan_everything

FAIL_IN_THE_PAPER = {
    "ubr-plus": {"UP-09W", "UP-11", "UP-12W"},
    "guaranteed-rate": {"GR-13R", "GR-14R", "GR-15"},
    "final-report": set[str](),
    "www-satellite": {"WW-07", "WW-11"},
    "coexistence": set[str](),
    "leo": set[str](),
    "buffer-sizing": set[str](),
    "long-fat": set[str](),
    "geo-service": set[str](),
    "initial-window": set[str](),
    "ecn-gains": set[str](),
    "minimum-rates": set[str](),
    "satellite-buffers": set[str](),
}
"""Statements that the tables printed beside them contradict."""

PREFIXES = {
    "ubr-plus": "UP-",
    "guaranteed-rate": "GR-",
    "final-report": "FR-",
    "www-satellite": "WW-",
    "coexistence": "CX-",
    "leo": "LEO-",
    "buffer-sizing": "BS-",
    "long-fat": "LF-",
    "geo-service": "GS-",
    "initial-window": "IW-",
    "ecn-gains": "EC-",
    "minimum-rates": "MR-",
    "satellite-buffers": "SB-",
}


@pytest.fixture(params=[
    name for name in shipped_studies() if (load_study(name).folder / CLAIMS_FILE).exists()
])  # fmt: skip
def study(request: pytest.FixtureRequest) -> StudyDefinition:
    return load_study(request.param)


def test_every_claim_can_be_measured_and_every_run_that_it_reads_is_planned(
    study: StudyDefinition,
) -> None:
    check_claims(study, load_claims(study), planned_tables(study))


def test_claims_fail_in_the_paper_where_its_own_tables_contradict_it(
    study: StudyDefinition,
) -> None:
    plan = plan_everything(study, 1)
    judgements = judge_claims(load_claims(study), planned_tables(study), paper_tables(plan))
    failing = {found.claim.id for found in judgements if found.in_paper.holds is False}
    assert failing == FAIL_IN_THE_PAPER[study.name]
    assert all(found.verdict == "no data" for found in judgements)


def test_claims_have_a_place_in_the_source_and_an_id_of_their_study(study: StudyDefinition) -> None:
    for claim in load_claims(study):
        assert claim.section
        assert claim.id.startswith(PREFIXES[study.name])


def test_what_is_not_measured_in_the_paper_says_why(study: StudyDefinition) -> None:
    assert all(claim.note for claim in load_claims(study) if claim.in_paper != "measured")

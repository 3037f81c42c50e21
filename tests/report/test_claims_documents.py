import dataclasses
import json
from dataclasses import replace

import pytest

from longfat.analysis.claims import InPaper, Judgement, Measured
from longfat.analysis.measures import Row
from longfat.report.claims import (
    claim_table,
    claims_document,
    claims_markdown,
    explanation,
    summary,
    undecided,
)
from longfat.studies.claims import Bound, Claim
from longfat.studies.definition import StudyDefinition


def claim(name: str) -> Claim:
    bound = Bound(">= 0.15", 0.15, None, is_strict=False)
    return Claim(
        name, "5, table 2", "EPD\nhelps", "SELECT 1", "claims.toml:5:1", bound, "measured", "why"
    )


@pytest.fixture
def judgements() -> list[Judgement]:
    missing = [Row(["lan", None], 2, "{}", None)]
    return [
        Judgement(
            claim("C-1"),
            "holds",
            Measured(0.25, 0.2, 0.3, [0.24, 0.1], runs=24, combinations=12),
            InPaper(True, 0.3, 1),
        ),
        Judgement(claim("C-2"), "fails", Measured(0.1, 0.1, 0.1), InPaper(True)),
        Judgement(claim("C-3"), "no data", Measured(missing=missing), InPaper(None)),
        Judgement(claim("C-4"), "no data", Measured(), InPaper(False, 0.0)),
    ]


def test_the_document_has_the_fields_that_scripts_rely_on(
    study: StudyDefinition, judgements: list[Judgement]
) -> None:
    document = json.loads(json.dumps(claims_document(study, judgements, 0.9, 2)))
    assert (document["study"], document["confidence"], document["replications"]) == (
        "small",
        0.9,
        2,
    )
    assert document["verdicts"] == {"holds": 1, "fails": 1, "no data": 2}
    assert document["claims"][0] == {
        "id": "C-1",
        "section": "5, table 2",
        "statement": "EPD\nhelps",
        "verdict": "holds",
        "measured": 0.25,
        "low": 0.2,
        "high": 0.3,
        "criterion": ">= 0.15",
        "by_replication": [0.24, 0.1],
        "replications_that_hold": 1,
        "measured_on": {"runs": 24, "combinations": 12},
        "missing_runs": 0,
        "replications_needed": None,
        "holds_in_paper": True,
        "paper": {"measured": 0.3, "doubtful_digits": 1, "source": "measured"},
        "cautions": [],
        "note": "why",
    }
    assert document["claims"][2]["measured"] is None
    assert document["claims"][2]["missing_runs"] == 1


@pytest.mark.parametrize(
    ("value", "low", "high", "needed"),
    [
        (0.17, 0.125, 0.21, 26),  # 0.045 down to 0.125, 0.02 down to the bound: 5 x 2.25^2 = 25.3
        (0.10, 0.05, 0.16, 8),  # 0.06 up, 0.05 up to the bound: 5 x 1.2^2 = 7.2
        (0.15, 0.13, 0.21, None),
    ],
)
def test_an_undecided_claim_says_how_many_replications_would_decide_it(
    value: float, low: float, high: float, needed: int | None
) -> None:
    measured = Measured(value, low, high, [value] * 5)
    judgement = Judgement(claim("C-5"), "undecided", measured, InPaper(None))
    assert judgement.replications_to_decide == needed
    (sentence,) = undecided([judgement])
    assert sentence.startswith("C-5 is undecided: ")
    assert (f"about {needed} replications would decide it" in sentence) == (needed is not None)
    assert sentence in explanation(judgement, [])
    decided = replace(judgement, verdict="holds")
    assert decided.replications_to_decide is None
    assert undecided([decided]) == []


def test_a_row_has_the_number_its_interval_and_both_verdicts(judgements: list[Judgement]) -> None:
    columns, rows = claim_table(judgements)
    assert columns[-1] == "in the paper"
    assert rows[0] == [
        "C-1", "EPD helps", ">= 0.15", "0.250", "(0.200, 0.300)", "holds", "holds?",
    ]  # fmt: skip
    assert rows[1][3:] == ["0.100", "", "fails", "holds"]
    assert rows[2][3:] == ["-", "", "no data", "-"]


def test_without_a_paper_that_has_numbers_nothing_is_said_of_one(
    judgements: list[Judgement],
) -> None:
    ours = [dataclasses.replace(found, in_paper=InPaper(None)) for found in judgements]
    columns, rows = claim_table(ours)
    assert columns[-1] == "verdict"
    assert [row[-1] for row in rows] == [found.verdict for found in ours]
    assert "in the paper" not in explanation(ours[0], ["policy"])


def test_the_markdown_marks_what_does_not_hold(judgements: list[Judgement]) -> None:
    text = claims_markdown(judgements, 0.9, 2)
    assert "Verdicts of 90% confidence from 2 replications." in text
    assert "| C-1 | EPD helps | >= 0.15 | 0.250 | (0.200, 0.300) | holds | holds? |" in text
    assert "| C-2 | EPD helps | >= 0.15 | 0.100 |  | **fails** | holds |" in text
    assert "deterministic runs alone" in claims_markdown(judgements, 0.9, 0)


def test_the_summary_counts_verdicts_and_what_the_paper_shares(
    judgements: list[Judgement],
) -> None:
    assert summary(judgements) == (
        "4 claims: 2 have no data, 1 holds, 1 fails. "
        "Of 2 that hold in the paper's own numbers, 1 hold here."
    )
    without = [
        dataclasses.replace(found, verdict="no data") if found.verdict == "fails" else found
        for found in judgements
    ]
    assert summary(without).endswith(
        "Of 1 that hold in the paper's own numbers and have data here, 1 hold here."
    )


def test_an_explanation_has_the_measure_the_values_and_the_missing_runs(
    judgements: list[Judgement],
) -> None:
    factors = ["config", "z"]
    first, _, third, fourth = (explanation(found, factors) for found in judgements)
    for line in (
        "C-1: EPD helps",
        "SELECT 1",
        "holds if: >= 0.15",
        "measured: 0.250 (0.200, 0.300)",
        "measured on: 24 runs of 12 factor combinations",
        "each replication by itself: 0.240, 0.100 (1 of 2 meet the bound)",
        "verdict: holds",
        "in the paper: holds?, 0.300 (1 doubtful digits in it)",
        "why",
    ):
        assert line in first.splitlines()
    assert "  config lan, replication 2" in third.splitlines()
    assert "yields no number for them (NULL, or one beyond 1e100)" in fourth


def test_an_explanation_says_what_runs_lack_that_are_there(judgements: list[Judgement]) -> None:
    whole = judgements[3]
    measured = replace(whole.measured, lacking={"mean_queueing_delay_s": 9})
    told = explanation(replace(whole, measured=measured), [])
    assert "9 of the runs that it reads have no mean_queueing_delay_s" in told.splitlines()
    assert "yields no number" not in told


@pytest.mark.parametrize(
    ("limit", "number", "shown"),
    [
        (1e-10, 2.13e-10, "2.13e-10"),  # beyond the bound
        (0, 4.2e-7, "4.2e-07"),
        (0, 0, "0.000"),
        (0, 0.25, "0.250"),
        (0.0005, 3.1e-5, "0.000"),  # three decimals tell it from the bound
    ],
)
def test_a_number_has_the_digits_that_its_bound_asks_for(
    limit: float, number: float, shown: str
) -> None:
    bound = Bound(f"<= {limit}", None, limit, is_strict=False)
    tiny = dataclasses.replace(claim("C-1"), bound=bound)
    judgement = Judgement(tiny, "fails", Measured(number, number, 2 * number), InPaper(None))
    _, ((*_, measured, interval, _),) = claim_table([judgement])
    assert measured == shown
    assert not interval or interval.startswith(f"({shown}, ")

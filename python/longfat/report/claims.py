"""Verdicts on claims as JSON, as rows of tables, as Markdown, and a single one in full."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from longfat import _engine
from longfat.analysis.best import MOST_REPLICATIONS
from longfat.analysis.claims import Judgement, Verdict
from longfat.base.numbers import counted, formatted, percentage, significant
from longfat.report.markdown import markdown_table
from longfat.results.caution import Caution
from longfat.studies.definition import StudyDefinition

DECIMALS = 3
TINY = 0.5 * 10**-DECIMALS
"""Values below this are 0 when rounded to `DECIMALS`."""
DIGITS_OF_TINY = 3
COLUMNS = ("claim", "statement", "criterion", "measured", "interval", "verdict")
IN_PAPER = "in the paper"
SHOWN_ROWS = 5


def claims_document(
    study: StudyDefinition,
    judgements: Sequence[Judgement],
    confidence: float,
    replications: int,
    cautions: Sequence[Caution] = (),
    left_out: int = 0,
) -> dict[str, Any]:
    """Return the document of ``longfat study claims --json``.

    `cautions` are about the runs as such, `left_out` counts the claims that need other runs.
    """
    return {
        "study": study.name,
        "engine": _engine.ENGINE_VERSION,
        "replications": replications,
        "confidence": confidence,
        "verdicts": dict(Counter(judgement.verdict for judgement in judgements)),
        "cautions": [str(caution) for caution in cautions],
        "left_out": left_out,
        "claims": [claim_document(judgement) for judgement in judgements],
    }


def claim_document(judgement: Judgement) -> dict[str, Any]:
    """Return the judgement of one claim."""
    claim, measured, paper = judgement.claim, judgement.measured, judgement.in_paper
    return {
        "id": claim.id,
        "section": claim.section,
        "statement": claim.statement,
        "verdict": judgement.verdict,
        "measured": measured.value,
        "low": measured.low,
        "high": measured.high,
        "criterion": claim.bound.text,
        "by_replication": list(measured.by_replication),
        "replications_that_hold": judgement.replications_that_hold,
        "measured_on": {"runs": measured.runs, "combinations": measured.combinations},
        "missing_runs": len(measured.missing),
        "replications_needed": judgement.replications_to_decide,
        "holds_in_paper": paper.holds,
        "paper": {
            "measured": paper.value,
            "doubtful_digits": paper.doubtful,
            "source": claim.in_paper,
        },
        "cautions": judgement.cautions,
        "note": claim.note,
    }


def claim_table(judgements: Sequence[Judgement]) -> tuple[list[str], list[list[str]]]:
    """Return column names, and a row for each claim.

    Verdicts by the paper's own values are a column if the paper decides any claim.
    """
    columns = list(COLUMNS)
    rows = [
        [
            judgement.claim.id,
            _one_line(judgement.claim.statement),
            judgement.claim.bound.text,
            measured_number(judgement),
            _interval(judgement),
            judgement.verdict,
        ]
        for judgement in judgements
    ]
    if any(judgement.in_paper.holds is not None for judgement in judgements):
        columns.append(IN_PAPER)
        for row, judgement in zip(rows, judgements, strict=True):
            row.append(_in_paper(judgement))
    return columns, rows


def claims_markdown(judgements: Sequence[Judgement], confidence: float, replications: int) -> str:
    """Return the verdicts as Markdown; all but "holds" are in bold."""
    columns, rows = claim_table(judgements)
    verdict = columns.index("verdict")
    for row in rows:
        if row[verdict] != "holds":
            row[verdict] = f"**{row[verdict]}**"
    lines = [
        f"Engine {_engine.ENGINE_VERSION}. {how_sure(confidence, replications)}",
        "",
        *markdown_table(columns, rows),
        "",
        summary(judgements),
    ]
    return "\n".join(lines) + "\n"


def how_sure(confidence: float, replications: int) -> str:
    """Return a sentence with the confidence of the verdicts and the number of replications."""
    if replications == 0:
        return "The deterministic runs alone: numbers without uncertainty, of one setting."
    runs = counted(replications, "replication")
    return f"Verdicts of {percentage(confidence)}% confidence from {runs}."


def summary(judgements: Sequence[Judgement]) -> str:
    """Return sentences with the count of each verdict, and the agreement with the paper."""
    counts = Counter(judgement.verdict for judgement in judgements)
    told = ", ".join(_how_many(count, verdict) for verdict, count in counts.most_common())
    in_paper = [judgement for judgement in judgements if judgement.in_paper.holds]
    decided = [judgement for judgement in in_paper if judgement.verdict != "no data"]
    kept = sum(judgement.verdict == "holds" for judgement in decided)
    lines = f"{counted(len(judgements), 'claim')}: {told}."
    if decided:
        here = "" if len(decided) == len(in_paper) else " and have data here"
        lines += f" Of {len(decided)} that hold in the paper's own numbers{here}, {kept} hold here."
    return lines


_OF_ONE_AND_OF_SEVERAL = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "undecided": ("is undecided", "are undecided"),
    "no data": ("has no data", "have no data"),
}


def _how_many(count: int, verdict: Verdict) -> str:
    one, several = _OF_ONE_AND_OF_SEVERAL[verdict]
    return f"{count} {one if count == 1 else several}"


def undecided(judgements: Sequence[Judgement]) -> list[str]:
    """Return a sentence for each undecided claim: how many replications would decide it."""
    return [
        f"{judgement.claim.id} is undecided: {_deciding(judgement)}."
        for judgement in judgements
        if judgement.verdict == "undecided"
    ]


def _deciding(judgement: Judgement) -> str:
    known, needed = len(judgement.measured.by_replication), judgement.replications_to_decide
    if needed is None:
        return "no number of replications can be named that would decide it"
    if needed > MOST_REPLICATIONS:
        return (
            f"it would take more than {MOST_REPLICATIONS:,} replications, so close to the bound is "
            "its number"
        )
    return (
        f"about {needed:,} replications would decide it if its number stayed as it is; there are "
        f"{known:,}"
    )


def explanation(judgement: Judgement, factors: Sequence[str]) -> str:
    """Return all details of the judgement of one claim, as lines of text."""
    claim, measured, paper = judgement.claim, judgement.measured, judgement.in_paper
    lines = [f"{claim.id}: {_one_line(claim.statement)}"]
    if claim.section:
        lines.append(f"section: {claim.section}")
    lines += ["", claim.measure.strip(), ""]
    lines.append(f"holds if: {claim.bound.text}")
    lines.append(f"measured: {measured_number(judgement)} {_interval(judgement)}".rstrip())
    if measured.runs:
        lines.append(
            f"measured on: {measured.runs} runs of {measured.combinations} factor combinations"
        )
    if measured.by_replication:
        values = ", ".join(_number(judgement, value) for value in measured.by_replication)
        held = f"{judgement.replications_that_hold} of {len(measured.by_replication)}"
        lines.append(f"each replication by itself: {values} ({held} meet the bound)")
    if measured.missing:
        lines += [f"runs that it needs and that are not there: {len(measured.missing)}, such as"]
        lines += [
            "  " + ", ".join([*_named(row.levels, factors), f"replication {row.replication}"])
            for row in measured.missing[:SHOWN_ROWS]
        ]
    lines += judgement.cautions
    if measured.value is None and not measured.missing and not measured.lacking:
        lines.append(
            "the runs that it needs are all there, but it yields no number for them (NULL, or one "
            "beyond 1e100)"
        )
    lines += [f"verdict: {judgement.verdict}", *undecided([judgement])]
    if paper.holds is not None:
        value = "" if paper.value is None else f", {_number(judgement, paper.value)}"
        doubt = f" ({paper.doubtful} doubtful digits in it)" if paper.doubtful else ""
        lines.append(f"{IN_PAPER}: {_in_paper(judgement)}{value}{doubt}")
    if claim.note:
        lines += ["", _one_line(claim.note)]
    return "\n".join(lines)


def _named(levels: Sequence[str | None], factors: Sequence[str]) -> list[str]:
    return [
        f"{factor} {level}"
        for factor, level in zip(factors, levels, strict=True)
        if level is not None
    ]


def measured_number(judgement: Judgement) -> str:
    """Return the measured value as text, a dash if there is none."""
    return _number(judgement, judgement.measured.value)


def _interval(judgement: Judgement) -> str:
    low, high = judgement.measured.low, judgement.measured.high
    if low is None or high is None or low == high:
        return ""
    return f"({_number(judgement, low)}, {_number(judgement, high)})"


def _number(judgement: Judgement, value: float | None) -> str:
    """Format a number with `DECIMALS`, or significant digits if it and its bound are tiny."""
    bound = judgement.claim.bound
    if value and _is_tiny(value) and (_is_tiny(bound.low) or _is_tiny(bound.high)):
        return significant(value, DIGITS_OF_TINY)
    return formatted(value, DECIMALS)


def _is_tiny(number: float | None) -> bool:
    return number is not None and abs(number) < TINY


def _in_paper(judgement: Judgement) -> str:
    words = {True: "holds", False: "fails", None: "-"}[judgement.in_paper.holds]
    return f"{words}?" if judgement.in_paper.doubtful else words


def _one_line(text: str) -> str:
    return " ".join(text.split())

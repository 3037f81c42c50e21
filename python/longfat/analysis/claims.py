"""Verdicts: what the runs of a study say to the claims of its source.

A claim is measured over replications from 1 on, whose draws differ; its interval says where the
number would lie with ever more of them, each limit with the confidence asked for. It *holds* when
the whole interval meets the bound, *fails* when nothing of it does, and is *undecided* between.
Replication 0, the paper's setting without chance, is no draw from the same distribution, so it is
in a table of its own; a measure that reads nothing else has no uncertainty.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from longfat.analysis.levels_in_sql import unknown_levels
from longfat.analysis.measures import (
    MeasureDatabase,
    Reading,
    ResampledDatabase,
    Row,
    Tables,
    WrongMeasure,
)
from longfat.analysis.undelivered import Lack, undelivered_of
from longfat.base.errors import BadInput, Interrupted
from longfat.base.stopping import requested_stop
from longfat.statistics.intervals import DEFAULT_CONFIDENCE, check_confidence
from longfat.statistics.resampling import confidence_interval
from longfat.studies.claims import Bound, Claim
from longfat.studies.definition import StudyDefinition

NO_NUMBER = (
    "yields no number (NULL): no run of the study meets its conditions, or its arithmetic has no "
    "result, as 1/0"
)

LEAST_CONFIDENCE = 0.5
"""A limit that is right less often lies on the other side of the number."""

Verdict = Literal["holds", "fails", "undecided", "no data"]


@dataclass(frozen=True)
class InPaper:
    """Whether a claim holds in the paper's own numbers: None when they do not decide it.

    `value` is None where that is stated and not measured; `doubtful` counts the digits not to be
    trusted among those that it rests on.
    """

    holds: bool | None
    value: float | None = None
    doubtful: int = 0


@dataclass(frozen=True)
class Measured:
    """A claim's number with its interval.

    There is none where runs are `missing`, the rows that the number needs and the store does not
    have, where runs are `lacking` what it reads (how many of them, by metric), or where the runs
    leave it open (the median of what none of them shows).
    `by_replication` has the number of each replication by itself; it is empty for a number without
    uncertainty. `runs` and `combinations` count what the measure read, and `undelivered` says which
    of the times that it names are of too little.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    by_replication: Sequence[float | None] = ()
    missing: Sequence[Row] = ()
    lacking: Mapping[str, int] = field(default_factory=dict)
    runs: int = 0
    combinations: int = 0
    undelivered: Sequence[Lack] = ()


@dataclass(frozen=True)
class Judgement:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict
    measured: Measured
    in_paper: InPaper

    @property
    def replications_that_hold(self) -> int:
        """In how many replications, each by itself, the number meets the bound."""
        values = self.measured.by_replication
        return sum(value is not None and self.claim.bound.contains(value) for value in values)


def check_claims(study: StudyDefinition, claims: Sequence[Claim], tables: Tables) -> None:
    """Judge the SQL of claims by `tables`, which need no metrics, and the study's levels.

    Raises `BadInput` with one line for each thing that is wrong, and one for what can be read.
    """
    levels = {factor.name: list(factor.levels) for factor in study.factors}
    problems = []
    with MeasureDatabase(tables) as database:
        for claim in claims:
            found = dict.fromkeys(unknown_levels(claim.measure, levels))
            try:
                reading = database.read(claim.measure)
            except WrongMeasure as error:
                found[str(error)] = None
            else:
                if reading.value is None and not reading.read and not found:
                    found[NO_NUMBER] = None
            problems += [f"{claim.origin}: {claim.id}: measure: {text}" for text in found]
    if problems:
        file = claims[0].origin.rsplit(":", 2)[0]
        raise BadInput([*problems, f"{file}: {tables.in_words}"])


def judge_claims(
    claims: Sequence[Claim], ours: Tables, paper: Tables, confidence: float = DEFAULT_CONFIDENCE
) -> list[Judgement]:
    """The verdict on each of the claims, whose SQL `check_claims` has accepted."""
    verdicts = judge_runs(claims, ours, confidence)
    with MeasureDatabase(paper) as database:
        return [
            Judgement(claim, *verdict, _in_paper(claim, paper, database))
            for claim, verdict in zip(claims, verdicts, strict=True)
        ]


def judge_runs(
    claims: Sequence[Claim], tables: Tables, confidence: float = DEFAULT_CONFIDENCE
) -> list[tuple[Verdict, Measured]]:
    """The verdict of runs alone on each of the claims, with the number that it rests on.

    Raises `InvalidInput` for a confidence that tossing a coin has as well.
    """
    check_confidence(confidence, above=LEAST_CONFIDENCE)
    verdicts: list[tuple[Verdict, Measured]] = []
    with MeasureDatabase(tables) as database:
        for claim in claims:
            try:
                reading = database.read(claim.measure)
            except WrongMeasure:  # good SQL that finds no row where runs are missing
                verdicts.append(("no data", Measured()))
            else:
                measured = _measured(claim, reading, tables, confidence)
                verdicts.append((_verdict(claim, measured), measured))
    return verdicts


def rows_read(claims: Sequence[Claim], tables: Tables) -> dict[str, list[Row]]:
    """By claim id, the rows of which the claim's measure reads metrics."""
    with MeasureDatabase(tables) as database:
        return {claim.id: list(database.read(claim.measure).read) for claim in claims}


def _measured(claim: Claim, reading: Reading, tables: Tables, confidence: float) -> Measured:
    """The number with its interval: without width where only deterministic runs are read."""
    value = reading.value
    if value is None or not reading.is_whole:
        return Measured(missing=reading.missing, lacking=reading.lacking)
    certain = Measured(
        value,
        value,
        value,
        runs=len(reading.read),
        combinations=len({tuple(row.levels) for row in reading.read}),
        undelivered=undelivered_of(claim.measure, reading.read),
    )
    if not tables.drawn or not any(row.replication for row in reading.read):
        return certain
    with requested_stop() as requested, _resampled(claim, reading, tables) as database:

        def measure(places: Sequence[int]) -> float | None:
            if requested:
                raise Interrupted(requested[0])
            return database.measure([tables.drawn[place - 1] for place in places])

        by_replication = [measure([place]) for place in range(1, tables.replications + 1)]
        interval = confidence_interval(
            value, measure, tables.replications, two_sided(claim.bound, confidence)
        )
        if requested:  # in the last of them
            raise Interrupted(requested[0])
    low, high = interval or (None, None)
    return replace(certain, low=low, high=high, by_replication=by_replication)


def two_sided(bound: Bound, confidence: float) -> float:
    """The confidence of the interval for a verdict that is right with `confidence`.

    A verdict rests on one limit, the one towards the bound, so each may err by all of the rest.
    Only equality is missed on both sides.
    """
    return confidence if bound.low == bound.high else 2 * confidence - 1


def _resampled(claim: Claim, reading: Reading, tables: Tables) -> ResampledDatabase:
    """What the measure reads and mentions, or everything if it is not the same with that alone.

    It would not be if it counted rows of which it reads no metric.
    """
    read = {tuple(row.levels) for row in reading.read}
    few = tables.with_rows([row for row in tables.rows if tuple(row.levels) in read])
    database = ResampledDatabase(few, claim.measure, tables.mentioned(claim.measure))
    if database.measure(tables.drawn) == reading.value:
        return database
    database.close()
    return ResampledDatabase(tables, claim.measure, tables.columns)


def _verdict(claim: Claim, measured: Measured) -> Verdict:
    if measured.value is None:
        return "no data"
    if measured.low is None or measured.high is None:
        return "undecided"
    if claim.bound.contains_all(measured.low, measured.high):
        return "holds"
    if claim.bound.contains_none(measured.low, measured.high):
        return "fails"
    return "undecided"


def _in_paper(claim: Claim, paper: Tables, database: MeasureDatabase) -> InPaper:
    """Where the paper prints nothing at all there is nothing to measure, not even a count of 0."""
    if claim.in_paper != "measured":
        return InPaper({"holds": True, "fails": False}.get(claim.in_paper))
    if not paper.has_numbers:
        return InPaper(None)
    reading = database.read(claim.measure)
    if reading.value is None or not reading.is_whole:
        return InPaper(None)
    return InPaper(claim.bound.contains(reading.value), reading.value, reading.doubtful)

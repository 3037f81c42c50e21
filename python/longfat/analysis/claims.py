"""Verdicts on the claims of a study's source, from the study's runs.

A claim's value is measured over replications 1 to n, with a confidence interval of which each
limit has the requested confidence. The claim *holds* if the whole interval is within the bound,
*fails* if it is entirely outside, and is *undecided* otherwise. Replication 0, the paper's
deterministic setting, is no sample of the same distribution and has a table of its own; a measure
that reads only this table has no uncertainty.
"""

import math
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
from longfat.analysis.undelivered import Undelivered, undelivered_of
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
"""Exclusive lower limit of the confidence: at 0.5, a one-sided limit is at the value itself."""

Verdict = Literal["holds", "fails", "undecided", "no data"]


@dataclass(frozen=True)
class InPaper:
    """Whether a claim holds in the paper's own values; None if they do not decide it.

    `value` is None if the answer is declared rather than measured; `doubtful` counts the doubtful
    values that the measure reads.
    """

    holds: bool | None
    value: float | None = None
    doubtful: int = 0


@dataclass(frozen=True)
class Measured:
    """Measured value of a claim with the limits of its confidence interval.

    `value` is None if runs that the measure reads are `missing` from the store, if metrics are
    `lacking` in stored runs (number of runs by metric), or if the result is NULL.
    `by_replication` has the value of each single replication; it is empty for a value without
    uncertainty. `runs` and `combinations` count the rows that the measure read, and `undelivered`
    lists the completion times in the measure with too small a delivered share.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    by_replication: Sequence[float | None] = ()
    missing: Sequence[Row] = ()
    lacking: Mapping[str, int] = field(default_factory=dict)
    runs: int = 0
    combinations: int = 0
    undelivered: Sequence[Undelivered] = ()


@dataclass(frozen=True)
class Judgement:
    """Claim with its verdict and measured value, in our runs and in the paper."""

    claim: Claim
    verdict: Verdict
    measured: Measured
    in_paper: InPaper

    @property
    def replications_that_hold(self) -> int:
        """Number of replications whose own value is within the bound."""
        values = self.measured.by_replication
        return sum(value is not None and self.claim.bound.contains(value) for value in values)

    @property
    def replications_to_decide(self) -> int | None:
        """Number of replications that would decide an undecided claim; None if that is unknown.

        The interval narrows with the root of their number, and the measured value is taken for the
        true one: this is the size of the task. None as well if the value is on the bound itself.
        """
        value, low, high = self.measured.value, self.measured.low, self.measured.high
        known = len(self.measured.by_replication)
        if self.verdict != "undecided" or value is None or low is None or high is None:
            return None
        limits = (self.claim.bound.low, self.claim.bound.high)
        inside = [limit for limit in limits if limit is not None and low <= limit <= high]
        if value in inside or not inside:
            return None
        ratios = [
            ((value - low if limit < value else high - value) / (value - limit)) for limit in inside
        ]
        return math.floor(known * max(ratio**2 for ratio in ratios)) + 1

    @property
    def cautions(self) -> list[str]:
        """Sentences about what its number lacks, without full stops."""
        measured = self.measured
        return [
            *(
                f"{count} of the runs that it reads have no {metric}"
                for metric, count in measured.lacking.items()
            ),
            *map(str, measured.undelivered),
        ]


def check_claims(study: StudyDefinition, claims: Sequence[Claim], tables: Tables) -> None:
    """Check the SQL of claims against `tables`, which need no metrics, and the study's levels.

    Raises `BadInput` with one line for each problem, and one with the available tables.
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
    """Judge each claim by our runs and by the paper's values; `check_claims` must have passed.

    `confidence` is a share between 0.5 and 1.
    """
    verdicts = judge_runs(claims, ours, confidence)
    with MeasureDatabase(paper) as database:
        return [
            Judgement(claim, *verdict, _in_paper(claim, paper, database))
            for claim, verdict in zip(claims, verdicts, strict=True)
        ]


def judge_runs(
    claims: Sequence[Claim], tables: Tables, confidence: float = DEFAULT_CONFIDENCE
) -> list[tuple[Verdict, Measured]]:
    """Judge each claim by runs alone; return its verdict and measured value.

    Raises `InvalidInput` for a confidence that is not between 0.5 and 1.
    """
    check_confidence(confidence, above=LEAST_CONFIDENCE)
    verdicts: list[tuple[Verdict, Measured]] = []
    with MeasureDatabase(tables) as database:
        for claim in claims:
            try:
                reading = database.read(claim.measure)
            except WrongMeasure:  # valid SQL without a row, because runs are missing
                verdicts.append(("no data", Measured()))
            else:
                measured = _measured(claim, reading, tables, confidence)
                verdicts.append((_verdict(claim, measured), measured))
    return verdicts


def rows_read(claims: Sequence[Claim], tables: Tables) -> dict[str, list[Row]]:
    """Return the rows whose metrics each claim's measure reads, by claim id."""
    with MeasureDatabase(tables) as database:
        return {claim.id: list(database.read(claim.measure).read) for claim in claims}


def _measured(claim: Claim, reading: Reading, tables: Tables, confidence: float) -> Measured:
    """Return the value with its interval, of width 0 if only deterministic runs are read."""
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
        if requested:  # during the last call
            raise Interrupted(requested[0])
    low, high = interval or (None, None)
    return replace(certain, low=low, high=high, by_replication=by_replication)


def two_sided(bound: Bound, confidence: float) -> float:
    """Return the two-sided confidence of an interval, for a verdict with `confidence`.

    A verdict depends on one limit only, the one towards the bound: each limit is one-sided. Only
    an equality can be violated on both sides.
    """
    return confidence if bound.low == bound.high else 2 * confidence - 1


def _resampled(claim: Claim, reading: Reading, tables: Tables) -> ResampledDatabase:
    """Build a database for resampling, restricted to the rows and columns that the measure uses.

    If the measure differs on these (it may count rows whose metrics it does not read), the
    database has all rows and columns.
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
    """Judge a claim by the paper's values; undecided if the paper prints none at all."""
    if claim.in_paper != "measured":
        return InPaper({"holds": True, "fails": False}.get(claim.in_paper))
    if not paper.has_numbers:
        return InPaper(None)
    reading = database.read(claim.measure)
    if reading.value is None or not reading.is_whole:
        return InPaper(None)
    return InPaper(claim.bound.contains(reading.value), reading.value, reading.doubtful)

"""Comparison of simulated results with the values that a paper prints, table by table.

Pure functions. Replication 0 is the paper's deterministic setting; mean and range are over
replications 1 to n. Summaries exclude entries whose printed value is doubtful.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from longfat.results.caution import Caution
from longfat.statistics.intervals import interval_of_mean
from longfat.studies.reference import Combination, ReferenceRow
from longfat.studies.responses import Response

Results = Mapping[Combination, Mapping[int, Mapping[str, float]]]
"""Metrics of completed runs, by factor combination and replication."""

Carried = Literal["cells", "packets", "cells or packets"]
"""Unit of framing: ATM cells, or packets sent whole; a study may have runs of both kinds."""

_ARITHMETIC = 1e-9
"""Relative tolerance of `rounding`, so that binary fractions do not exclude its end points."""


@dataclass(frozen=True)
class Entry:
    """Reference value and simulated values of one factor combination, in the unit of the metric.

    `reference` is None where the paper prints none; `rounding` is half a unit of its last printed
    digit. `deterministic` is the value of replication 0; `repeated` has the value of each later
    replication, over which `mean`, `minimum` and `maximum` are taken. These are None without runs.
    `members` are the factor combinations that were run for it.
    """

    combination: Combination
    reference: float | None
    doubtful: bool
    note: str
    deterministic: float | None
    mean: float | None
    minimum: float | None
    maximum: float | None
    repeated: Mapping[int, float]
    rounding: float = 0.0
    members: Sequence[Combination] = ()

    @property
    def replications(self) -> int:
        """Number of replications, without replication 0."""
        return len(self.repeated)

    @property
    def is_inside_range(self) -> bool | None:
        """Whether the range of replications meets the reference value plus or minus its rounding.

        None without a reference value or without a range.
        """
        if self.reference is None or self.minimum is None or self.maximum is None:
            return None
        rounding = self.rounding * (1 + _ARITHMETIC)
        return self.minimum - rounding <= self.reference <= self.maximum + rounding

    def interval(self, confidence: float) -> tuple[float, float] | tuple[None, None]:
        """Student's confidence interval of the mean; (None, None) for fewer than two replications.

        `confidence` is a share between 0 and 1.
        """
        return interval_of_mean(list(self.repeated.values()), confidence)

    @property
    def ours(self) -> float | None:
        """Mean of the replications, or the deterministic value without replications."""
        return self.deterministic if self.mean is None else self.mean


@dataclass(frozen=True)
class Summary:
    """Agreement of entries with their reference values.

    `compared` counts the entries with a mean and a trusted reference value. `mean_absolute_error`
    and `bias` (ours minus the paper's) are over the means, `deterministic_error` and
    `deterministic_bias` over the deterministic values; `rank_correlation` is Spearman's;
    `inside_range` is the share of reference values within the range of replications, allowing for
    rounding. `deterministic`, `mean`, `minimum` and `maximum` aggregate our values whether or not
    the paper has any. A field without data is None.
    """

    rows: int
    compared: int
    mean_absolute_error: float | None
    bias: float | None
    deterministic_error: float | None
    deterministic_bias: float | None
    rank_correlation: float | None
    inside_range: float | None
    deterministic: float | None
    mean: float | None
    minimum: float | None
    maximum: float | None

    @property
    def ours(self) -> float | None:
        """Mean of our means, or of the deterministic values without replications."""
        return self.deterministic if self.mean is None else self.mean


@dataclass(frozen=True)
class TableComparison:
    """Comparison of one response; `by` has the summary for each factor and level.

    `carried` is the unit that a metric named after cells counts. `cautions` are the doubts about
    its numbers.
    """

    response: Response
    factors: Sequence[str]
    entries: Sequence[Entry]
    summary: Summary
    by: Mapping[str, Mapping[str, Summary]]
    carried: Carried = "cells"
    cautions: Sequence[Caution] = ()

    @property
    def metric(self) -> str:
        """Name of the metric, with its unit where it does not count cells."""
        name = self.response.metric
        return name if self.carried == "cells" else f"{name}, in {self.carried}"

    def about(self, entry: Entry) -> list[Caution]:
        """Return the cautions that concern an entry."""
        return [
            caution
            for caution in self.cautions
            if any(member in caution.combinations for member in entry.members)
        ]

    def parts(self) -> Iterator[tuple[str, Summary]]:
        """Yield the summary of all entries, then those of `by`, each with its name."""
        yield "all", self.summary
        for factor, levels in self.by.items():
            for level, summary in levels.items():
                yield f"{factor} {level}", summary


def compare(response: Response, results: Results, carried: Carried = "cells") -> TableComparison:
    """Compare a response with `results`, for the rows whose combinations all have results."""
    entries = [
        _entry(row, response.metric, [results[member] for member in row.simulated])
        for row in response.rows
        if (response.metric in row.values or not response.is_printed)
        and all(member in results for member in row.simulated)
    ]
    factors = [factor for factor, _ in entries[0].combination] if entries else []
    return TableComparison(
        response=response,
        factors=factors,
        entries=entries,
        summary=summarise(entries),
        by={factor: breakdown for factor in factors if (breakdown := _by(factor, entries))},
        carried=carried,
    )


def summarise(entries: Sequence[Entry]) -> Summary:
    """Compute the `Summary` of entries."""
    trusted = [entry for entry in entries if not entry.doubtful]
    printed = [(entry, entry.reference) for entry in trusted if entry.reference is not None]
    pairs = [(reference, entry.mean) for entry, reference in printed if entry.mean is not None]
    deterministic = [
        (reference, entry.deterministic)
        for entry, reference in printed
        if entry.deterministic is not None
    ]
    inside = [is_inside for entry, _ in printed if (is_inside := entry.is_inside_range) is not None]
    return Summary(
        rows=len(entries),
        compared=len(pairs),
        mean_absolute_error=_mean_absolute_error(pairs),
        bias=_bias(pairs),
        deterministic_error=_mean_absolute_error(deterministic),
        deterministic_bias=_bias(deterministic),
        rank_correlation=rank_correlation(pairs),
        inside_range=fmean(inside) if inside else None,
        deterministic=_mean(entry.deterministic for entry in trusted),
        mean=_mean(entry.mean for entry in trusted),
        minimum=min((low for entry in trusted if (low := entry.minimum) is not None), default=None),
        maximum=max((top for entry in trusted if (top := entry.maximum) is not None), default=None),
    )


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Compute Spearman's rank correlation, with average ranks for ties.

    Return None for fewer than two pairs, or when either variable is constant.
    """
    if len(pairs) < 2:
        return None
    first = _average_ranks([pair[0] for pair in pairs])
    second = _average_ranks([pair[1] for pair in pairs])
    middle = (len(pairs) + 1) / 2
    covariance = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = math.sqrt(
        sum((rank - middle) ** 2 for rank in first) * sum((rank - middle) ** 2 for rank in second)
    )
    return covariance / spread if spread else None


def _entry(
    row: ReferenceRow, metric: str, members: Sequence[Mapping[int, Mapping[str, float]]]
) -> Entry:
    """Build the entry of a row; a row of means takes the mean of its members per replication."""
    values = _means([_of_metric(metric, member) for member in members])
    repeated = {number: value for number, value in values.items() if number > 0}
    return Entry(
        combination=row.combination,
        reference=row.values.get(metric),
        doubtful=metric in row.doubtful,
        note=row.note,
        deterministic=values.get(0),
        mean=fmean(repeated.values()) if repeated else None,
        minimum=min(repeated.values(), default=None),
        maximum=max(repeated.values(), default=None),
        repeated=repeated,
        rounding=row.roundings.get(metric, 0.0),
        members=row.simulated,
    )


def _of_metric(metric: str, runs: Mapping[int, Mapping[str, float]]) -> dict[int, float]:
    return {number: metrics[metric] for number, metrics in runs.items() if metric in metrics}


def _means(members: Sequence[dict[int, float]]) -> dict[int, float]:
    """Average the members per replication, for the replications that all members have."""
    first, *others = members
    if not others:
        return first
    common = [number for number in first if all(number in other for other in others)]
    return {number: fmean(member[number] for member in members) for number in common}


def _by(factor: str, entries: Sequence[Entry]) -> dict[str, Summary]:
    """Summarise each level of a factor; empty for a factor with a single level."""
    of_level: dict[str, list[Entry]] = {}
    for entry in entries:
        of_level.setdefault(dict(entry.combination)[factor], []).append(entry)
    if len(of_level) < 2:
        return {}
    return {level: summarise(chosen) for level, chosen in of_level.items()}


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _mean_absolute_error(pairs: Sequence[tuple[float, float]]) -> float | None:
    return fmean(abs(theirs - ours) for theirs, ours in pairs) if pairs else None


def _bias(pairs: Sequence[tuple[float, float]]) -> float | None:
    return fmean(ours - theirs for theirs, ours in pairs) if pairs else None


def _average_ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    first = {value: rank for rank, value in reversed(list(enumerate(ordered, start=1)))}
    last = {value: rank for rank, value in enumerate(ordered, start=1)}
    return [(first[value] + last[value]) / 2 for value in values]

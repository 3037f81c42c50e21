"""Capacity ledgers of many runs: the share of the duration that each cause took.

Pure functions of stored metrics. The shares of a run are its metrics `share_useful` and so on, in
the order of its ledger; runs of engines without a ledger have none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from longfat.results.comparison import Results
from longfat.studies.reference import Combination

METRIC_PREFIX = "share_"
IDLE_PREFIX = "idle_"
"""Prefix of the causes of an idle line; the other causes name what the line sent."""

SHOWN_FROM = 0.0005
"""Smallest share of the duration at which a cause is shown: 0.1 % when rounded."""

Shares = Mapping[str, float]
"""Shares of the duration, from 0 to 1, by cause; they sum to 1."""


@dataclass(frozen=True)
class LedgerRow:
    """Mean shares over the runs that have these levels, and the number of runs."""

    levels: Combination
    shares: Shares
    runs: int


def shares_of(metrics: Mapping[str, float]) -> dict[str, float]:
    """Return the ledger shares among a run's metrics, by cause; empty without a ledger."""
    return {
        name.removeprefix(METRIC_PREFIX): value
        for name, value in metrics.items()
        if name.startswith(METRIC_PREFIX)
    }


def ledger_rows(results: Results) -> list[LedgerRow]:
    """Compute the mean ledger of each combination over its replications.

    Replication 0 counts only if there is no other, as in comparisons. Combinations without a
    ledger are omitted.
    """
    rows = []
    for combination, runs in results.items():
        ledgers = {number: shares for number, run in runs.items() if (shares := shares_of(run))}
        repeated = [shares for number, shares in ledgers.items() if number > 0]
        if chosen := repeated or list(ledgers.values()):
            rows.append(LedgerRow(combination, _mean(chosen), len(chosen)))
    return rows


def by_factor(rows: Sequence[LedgerRow], factor: str) -> list[LedgerRow]:
    """Compute the mean ledger of each level of a factor, with equal weight per combination."""
    of_level: dict[str, list[LedgerRow]] = {}
    for row in rows:
        if factor in (levels := dict(row.levels)):
            of_level.setdefault(levels[factor], []).append(row)
    return [
        LedgerRow(
            ((factor, level),),
            _mean([row.shares for row in members]),
            sum(row.runs for row in members),
        )
        for level, members in of_level.items()
    ]


def causes_above(rows: Iterable[LedgerRow], least: float) -> list[str]:
    """Return the causes with a share of at least `least` in any row, in the order of ledgers."""
    largest: dict[str, float] = {}
    for row in rows:
        for cause, share in row.shares.items():
            largest[cause] = max(share, largest.get(cause, 0.0))
    return [cause for cause, share in largest.items() if share >= least]


def _mean(ledgers: Sequence[Shares]) -> dict[str, float]:
    from statistics import fmean  # a single run's ledger needs no mean

    return {cause: fmean(shares[cause] for shares in ledgers) for cause in ledgers[0]}

"""Search for the smallest sufficient value of a setting, by simulation.

The setting is one path of the scenario, such as `port.buffer`: a number with or without a unit,
with as many decimals as the bounds have, of which more is never worse. All values use common random
numbers: one seed and the same replications.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from longfat.analysis.undelivered import undelivered_time
from longfat.base.errors import LongfatError, RunFailed, check_count
from longfat.records.completions import is_time, kind_of, share_behind, statistics_of
from longfat.records.directions import LESS_IS_BETTER, MORE_IS_BETTER, check_target, is_more_better
from longfat.records.record import Record
from longfat.running.execution import Outcome, execute, usable_cores
from longfat.running.limits import Limits
from longfat.scenarios.scenario import OverrideValue, Scenario, ScenarioSource, ScenarioText
from longfat.statistics.smallest import Found, Show, smallest_enough

# A decimal number and a unit without digits; exponents such as 1e3 are not accepted.
_NUMBER = re.compile(r"\s*([0-9]{1,12})(?:\.([0-9]{1,6}))?\s*([A-Za-z]\D*?)?\s*")

_Of = TypeVar("_Of")

_ONE = {"packet": "packets", "cell": "cells"}
"""Plural of a singular unit, so that both bounds have one unit."""


@dataclass(frozen=True)
class Span:
    """The values from `low` to `high` as integers, in steps of the last decimal.

    The unit is empty for none.
    """

    low: int
    high: int
    unit: str
    decimals: int = 0

    @classmethod
    def between(cls, low: float | str, high: float | str) -> "Span":
        """Return the span between two values, such as "50 packets" and "4000 packets".

        Raises `LongfatError` unless both are numbers above 0 with one unit, in ascending order.
        """
        bounds = [_number(low), _number(high)]
        decimals = max(len(fraction) for _, fraction, _ in bounds)
        first, last = (int(whole + fraction.ljust(decimals, "0")) for whole, fraction, _ in bounds)
        unit, other = (unit for _, _, unit in bounds)
        if unit != other:
            raise LongfatError(f"a search goes from {low} to {high} only if both have one unit")
        if not 0 < first < last:
            raise LongfatError(f"a search goes up from a setting above 0, not from {low} to {high}")
        return cls(first, last, unit, decimals)

    def number(self, setting: int) -> float:
        """Convert a step to a number of the unit, an integer if the bounds are."""
        return setting / 10**self.decimals if self.decimals else setting

    def text(self, number: float) -> str:
        """Format a number of the unit for a scenario: "480 packets", "0.50 BDP"."""
        return f"{number:.{self.decimals}f} {self.unit}".rstrip()


def smallest_setting(
    scenario: ScenarioSource,
    path: str,
    low: float | str,
    high: float | str,
    target: float,
    *,
    metric: str = "efficiency",
    of_largest: bool = False,
    overrides: Mapping[str, OverrideValue] | None = None,
    replications: int = 8,
    confidence: float = 0.95,
    resolution: float = 0.1,
    jobs: int | None = None,
    limits: Limits | None = None,
    show: Show | None = None,
) -> Found:
    """Search from `low` to `high` for the smallest sufficient value at `path`.

    Both bounds are numbers of one unit, "50 packets" and "4000 packets" or 2 and 40, and the result
    is a number of that unit. Values have as many decimals as the bounds: from "0.10 BDP" on they
    are hundredths. A value is sufficient if the mean of `metric` over `replications` reaches
    `target`, in the metric's unit: at least, or at most if less of it is better. The metric is one
    of the record, or a statistic of completions: "page p95_s". With `of_largest` the target is a
    share of the result at `high` in the same replication. More must never be worse: the search does
    not simulate the values that it skips.

    `overrides` sets other values, as in `load_scenario`; `jobs` is the number of runs simulated at
    a time (all cores if None); `limits` of each run default to the machine's; `show` is called
    after each evaluation. `confidence` and `resolution` are those of `smallest_enough`.

    Raises `LongfatError` for bounds, a target or a metric that cannot be searched, `InvalidInput`
    for settings that the engine refuses, `OverLimit`, `RunFailed` if a simulation fails, and
    `Interrupted` after a stop signal.
    """
    span = Span.between(low, high)
    more_is_better = is_more_better(metric)
    check_target(metric, target, of_largest=of_largest)
    check_count("replications", replications, 2)
    check_count("jobs", jobs, 1)
    limits = Limits.of_machine() if limits is None else limits
    with_setting = _settings(ScenarioText.read(scenario), path, span, overrides or {})
    limits.refuse(with_setting(setting).resolved for setting in (span.high, span.low))
    shown = (lambda setting, *rest: show(span.number(setting), *rest)) if show else None
    delivered: dict[int, list[float]] = {}

    @cache
    def measured(setting: int) -> Sequence[float]:
        replicated = with_setting(setting).replicated(range(1, replications + 1))
        limits.refuse(run.resolved for run in replicated[:1])
        name = span.text(span.number(setting))
        records = _records(replicated, jobs or usable_cores(), limits, name)
        values = [_measured(record, metric) for record in records]
        if is_time(metric):
            delivered[setting] = [_measured(record, share_behind(metric)) for record in records]
        return values

    def shares(setting: int) -> Sequence[float]:
        largest = measured(span.high)
        if 0 in largest:
            raise LongfatError(
                f"{span.text(span.number(span.high))}: {metric} is 0 in replication "
                f"{largest.index(0) + 1}, so no share of it is a target; give the target itself"
            )
        return [own / most for own, most in zip(measured(setting), largest, strict=True)]

    found = smallest_enough(
        shares if of_largest else measured,
        target,
        span.low,
        span.high,
        more_is_better=more_is_better,
        confidence=confidence,
        resolution=resolution,
        show=shown,
    )
    undelivered = undelivered_time(metric, delivered)
    cautions = [str(undelivered)] if undelivered else []
    return replace(_in_the_unit(found, span), cautions=cautions)


def _in_the_unit(found: Found, span: Span) -> Found:
    """Convert the steps in a result to numbers of the unit."""

    def numbered(by_setting: Mapping[float, _Of]) -> dict[float, _Of]:
        return {span.number(int(setting)): each for setting, each in by_setting.items()}

    enough, too_little = (
        None if setting is None else span.number(int(setting))
        for setting in (found.enough, found.too_little)
    )
    return replace(
        found,
        enough=enough,
        too_little=too_little,
        tried=numbered(found.tried),
        half_widths=numbered(found.half_widths),
        verdicts=numbered(found.verdicts),
    )


def _number(setting: float | str) -> tuple[str, str, str]:
    """Split a value into integer digits, decimals and unit.

    Raises `LongfatError` for any other text.
    """
    found = _NUMBER.fullmatch(str(setting))
    if found is None:
        raise LongfatError(
            "a search goes through numbers of a unit, such as '50 packets' or '0.5 BDP', not "
            f"{setting!r}"
        )
    whole, fraction, unit = found.groups(default="")
    return whole, fraction, _ONE.get(unit, unit)


def _settings(
    text: ScenarioText, path: str, span: Span, overrides: Mapping[str, OverrideValue]
) -> Callable[[int], Scenario]:
    """Return a function from a step to the scenario, whose file is read only once."""
    if path in overrides:
        raise LongfatError(f"{path} is the setting that is searched for: nothing else may set it")
    return lambda setting: text.with_set({**overrides, path: span.text(span.number(setting))})


def _records(runs: Sequence[Scenario], jobs: int, limits: Limits, setting: str) -> list[Record]:
    """Return the records of replications 1 to n of a value. Raises `RunFailed` if one fails."""
    outcomes: dict[int, Outcome] = {}

    def collect(finished: list[Outcome], _simulated_seconds: float) -> None:
        outcomes.update((outcome.index, outcome) for outcome in finished)

    execute([run.resolved for run in runs], jobs, collect, limits=limits.of_engine)
    records = []
    for index in range(len(runs)):
        if (record := outcomes[index].record) is None:
            failure = outcomes[index].failure
            raise RunFailed(f"{setting}, replication {index + 1}: {failure}")
        records.append(record)
    return records


def _measured(record: Record, metric: str) -> float:
    kinds = {kind["name"]: kind for kind in record.get("completions", [])}
    of_completions = statistics_of(kinds)
    value: float | None = {**record["metrics"], **of_completions}.get(metric)
    if value is None and is_time(metric) and kind_of(metric) in kinds:
        raise LongfatError(f"{metric} is undefined: nothing had arrived when a run ended")
    if value is None:
        judged = [name for name in record["metrics"] if name in MORE_IS_BETTER | LESS_IS_BETTER]
        known = ", ".join([*judged, *of_completions])
        raise LongfatError(f"runs of this scenario have no {metric}; they have {known}")
    return value

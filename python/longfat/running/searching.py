"""The smallest setting of a scenario that is enough, searched for by simulating it.

Settings are those of one path of the scenario, such as `port.buffer`: numbers with a unit or
without, with as many decimals as the bounds have, of which more is never worse. All have the same
seed and the same replications, so that they meet the same luck.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

from longfat.analysis.undelivered import lack_of
from longfat.base.errors import LongfatError, RunFailed, check_count
from longfat.records.completions import is_time, kind_of, share_behind, statistics_of
from longfat.records.directions import LESS_IS_BETTER, MORE_IS_BETTER, check_target, is_more_better
from longfat.records.record import Record
from longfat.running.execution import Outcome, execute, usable_cores
from longfat.running.limits import Limits
from longfat.scenarios.scenario import OverrideValue, Scenario, ScenarioSource, ScenarioText
from longfat.statistics.smallest import Found, Show, smallest_enough

# The digits of a number and its decimals, and a unit without any: 1e3 is no such number.
_NUMBER = re.compile(r"\s*([0-9]{1,12})(?:\.([0-9]{1,6}))?\s*([A-Za-z]\D*?)?\s*")

_Of = TypeVar("_Of")

_ONE = {"packet": "packets", "cell": "cells"}
"""What there is one of is in the unit of several."""


@dataclass(frozen=True)
class Span:
    """The settings from `low` to `high` in steps of the last decimal, which are counted.

    The unit is empty for none.
    """

    low: int
    high: int
    unit: str
    decimals: int = 0

    @classmethod
    def between(cls, low: float | str, high: float | str) -> "Span":
        """The settings between two, such as "50 packets" and "4000 packets", or 0.1 and 2.5.

        Raises `LongfatError` for what are no numbers above 0 of one unit, in order.
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
        """A setting as a number of the unit, which is whole where the bounds are."""
        return setting / 10**self.decimals if self.decimals else setting

    def text(self, number: float) -> str:
        """A number of the unit as a scenario has it: "480 packets", "0.50 BDP"."""
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
    """Search from `low` to `high` for the smallest value at `path` that is enough.

    Both are numbers of one unit, "50 packets" and "4000 packets" or 2 and 40, and what is found is
    a number of that unit. Settings have as many decimals as the bounds: from "0.10 BDP" on they
    are hundredths. A setting is enough where the mean of a metric over `replications`
    reaches the target, in the unit of the metric: at least, or at most where less of it is better.
    A metric is one of the run's record, or told of its completions: "page p95_s".
    With `of_largest` the target is a share of what `high` yields in the same replication. More of a
    setting must never be worse: settings that the search passes over are not simulated.

    `overrides` sets other values, as in `load_scenario`; `jobs` is how many runs are simulated at a
    time (all cores if None); `limits` of each run are the machine's unless they are given; `show`
    is told of each look. `confidence` and `resolution` are those of `smallest_enough`.

    Raises `LongfatError` for what cannot be searched with or reached and for a metric that cannot
    be asked for or that runs do not have, `InvalidInput` for what the engine does not accept,
    `OverLimit`, `RunFailed` when a simulation fails and `Interrupted` when a signal stops it.
    """
    span = Span.between(low, high)
    more_is_better = is_more_better(metric)
    check_target(metric, target, of_largest=of_largest)
    check_count("replications", replications, 2)
    check_count("jobs", jobs, 1)
    limits = Limits.of_machine() if limits is None else limits
    with_setting = _settings(ScenarioText.read(scenario), path, span, overrides or {})
    limits.refuse(with_setting(setting).resolved for setting in (span.high, span.low))
    told = (lambda setting, *rest: show(span.number(setting), *rest)) if show else None
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
                f"{largest.index(0) + 1}, and nothing is a share of that; ask for it as it is"
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
        show=told,
    )
    lack = lack_of(metric, delivered.values())
    return replace(_in_the_unit(found, span), cautions=[str(lack)] if lack else [])


def _in_the_unit(found: Found, span: Span) -> Found:
    """What was found, with numbers of the unit in place of settings that were counted."""

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
    """A setting as the digits of its number, its decimals and its unit."""
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
    """What makes the scenario with a setting, which is read once whatever becomes of its file."""
    if path in overrides:
        raise LongfatError(f"{path} is what is searched for: nothing else may set it")
    return lambda setting: text.with_set({**overrides, path: span.text(span.number(setting))})


def _records(runs: Sequence[Scenario], jobs: int, limits: Limits, setting: str) -> list[Record]:
    """The records of runs, which are replications 1 to n of a setting."""
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
        raise LongfatError(f"{metric} is of nothing: none had arrived when a run ended")
    if value is None:
        judged = [name for name in record["metrics"] if name in MORE_IS_BETTER | LESS_IS_BETTER]
        known = ", ".join([*judged, *of_completions])
        raise LongfatError(f"runs of this scenario have no {metric}; they have {known}")
    return value

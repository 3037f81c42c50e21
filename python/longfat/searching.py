"""The smallest setting of a scenario that is enough, searched for by simulating it.

Settings are those of one path of the scenario, such as `port.buffer`: whole numbers with a unit or
without, of which more is never worse. All have the same seed and the same replications, so that
they meet the same luck.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from longfat.directions import LESS_IS_BETTER, MORE_IS_BETTER, check_target, is_more_better
from longfat.errors import LongfatError, RunFailed, check_count
from longfat.execution import Outcome, Record, execute, usable_cores
from longfat.limits import Limits
from longfat.scenario import OverrideValue, Scenario, ScenarioSource, ScenarioText
from longfat.smallest import Found, Show, smallest_enough

# The digits of a number, and a unit without any: 1e3 and 0.5 are no whole numbers of something.
_WHOLE_NUMBER = re.compile(r"\s*([0-9]{1,18})\s*([A-Za-z]\D*?)?\s*")

_ONE = {"packet": "packets", "cell": "cells"}
"""What there is one of is in the unit of several."""


@dataclass(frozen=True)
class Span:
    """The settings from `low` to `high`: whole numbers of a unit, which is empty for none."""

    low: int
    high: int
    unit: str

    @classmethod
    def between(cls, low: int | str, high: int | str) -> "Span":
        """The settings between two, such as "50 packets" and "4000 packets".

        Raises `LongfatError` for what are no whole numbers above 0 of one unit, in order.
        """
        (first, unit), (last, other) = _whole_number(low), _whole_number(high)
        if unit != other:
            raise LongfatError(f"a search goes from {low} to {high} only if both have one unit")
        if not 0 < first < last:
            raise LongfatError(f"a search goes up from a setting above 0, not from {low} to {high}")
        return cls(first, last, unit)

    def text(self, setting: int) -> str:
        """A setting as a scenario has it: "480 packets"."""
        return f"{setting} {self.unit}".rstrip()


def smallest_setting(
    scenario: ScenarioSource,
    path: str,
    low: int | str,
    high: int | str,
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

    Both are whole numbers of one unit, "50 packets" and "4000 packets" or 2 and 40; what is found
    is counted in that unit. A setting is enough where the mean of a metric over `replications`
    reaches the target, in the unit of the metric: at least, or at most where less of it is better.
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

    @cache
    def measured(setting: int) -> Sequence[float]:
        replicated = with_setting(setting).replicated(range(1, replications + 1))
        limits.refuse(run.resolved for run in replicated[:1])
        records = _records(replicated, jobs or usable_cores(), limits, span.text(setting))
        return [_measured(record, metric) for record in records]

    def shares(setting: int) -> Sequence[float]:
        largest = measured(span.high)
        if 0 in largest:
            raise LongfatError(
                f"{span.text(span.high)}: {metric} is 0 in replication {largest.index(0) + 1}, and "
                "nothing is a share of that; ask for it as it is"
            )
        return [own / most for own, most in zip(measured(setting), largest, strict=True)]

    return smallest_enough(
        shares if of_largest else measured,
        target,
        span.low,
        span.high,
        more_is_better=more_is_better,
        confidence=confidence,
        resolution=resolution,
        show=show,
    )


def _whole_number(setting: int | str) -> tuple[int, str]:
    """A setting as its number and its unit."""
    found = _WHOLE_NUMBER.fullmatch(str(setting))
    if found is None:
        raise LongfatError(
            f"a search goes through whole numbers of a unit, such as '50 packets', not {setting!r}"
        )
    number, unit = found.groups(default="")
    return int(number), _ONE.get(unit, unit)


def _settings(
    text: ScenarioText, path: str, span: Span, overrides: Mapping[str, OverrideValue]
) -> Callable[[int], Scenario]:
    """What makes the scenario with a setting, which is read once whatever becomes of its file."""
    if path in overrides:
        raise LongfatError(f"{path} is what is searched for: nothing else may set it")
    return lambda setting: text.with_set({**overrides, path: span.text(setting)})


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
    value: float | None = record["metrics"].get(metric)
    if value is None:
        judged = [name for name in record["metrics"] if name in MORE_IS_BETTER | LESS_IS_BETTER]
        raise LongfatError(f"runs of this scenario have no {metric}; they have {', '.join(judged)}")
    return value

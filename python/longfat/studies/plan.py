"""Plans: the runs of a selection of a study; nothing here simulates or stores."""

import dataclasses
import hashlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.base.where import matching
from longfat.scenarios.scenario import Override, Overrides, Scenario, SeriesKey
from longfat.studies.definition import StudyDefinition
from longfat.studies.design import too_many_runs
from longfat.studies.readings import Quick
from longfat.studies.reference import Combination

Found = TypeVar("Found")

Replicated = Mapping[SeriesKey, Mapping[int, Found]]
"""Values of runs, by scenario and seed, then by replication."""


@dataclass(frozen=True)
class Selection:
    """A part of a study.

    Empty `tables` selects every table, `replications` None those of the design; all conditions of
    `where` must hold.
    """

    tables: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    replications: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One factor combination in one replication, with its scenario."""

    combination: Combination
    replication: int
    scenario: Scenario


@dataclass(frozen=True)
class Series:
    """Replications of a factor combination that differ only in their numbers, ascending.

    There may be very many: they are expanded to runs only on demand.
    """

    combination: Combination
    first: Scenario
    numbers: Sequence[int]

    @cached_property
    def runs(self) -> list[PlannedRun]:
        """Return a run for each replication."""
        return self.only(self.numbers)

    def only(self, numbers: Sequence[int]) -> list[PlannedRun]:
        """Return the runs of some replications."""
        scenarios = self.first.replicated(numbers)
        return [
            PlannedRun(self.combination, number, scenario)
            for number, scenario in zip(numbers, scenarios, strict=True)
        ]

    def among(self, found: Replicated[Found]) -> dict[int, Found]:
        """Return the values of these replications, by number."""
        known = found.get(self.first.series, {})
        return {number: known[number] for number in self.numbers if number in known}


def numbers_of(planned: Iterable[Series]) -> dict[SeriesKey, set[int]]:
    """Return the replications of each scenario and seed."""
    found: dict[SeriesKey, set[int]] = {}
    for series in planned:
        found.setdefault(series.first.series, set()).update(series.numbers)
    return found


_PORTION = 10_000
"""Runs that are expanded at a time, where all are looked at once."""


@dataclass(frozen=True)
class Plan:
    """The runs of a selection; several combinations may have the same run."""

    study: StudyDefinition
    selection: Selection
    series: Sequence[Series]

    @cached_property
    def runs(self) -> list[PlannedRun]:
        """All runs, including repeated ones."""
        return [run for series in self.series for run in series.runs]

    def each(self) -> Iterator[PlannedRun]:
        """Yield all runs, including repeated ones, and keep none: there may be millions."""
        for series in self.series:
            for start in range(0, len(series.numbers), _PORTION):
                yield from series.only(series.numbers[start : start + _PORTION])

    @cached_property
    def distinct(self) -> dict[str, PlannedRun]:
        """One planned run for each run id."""
        return {run.scenario.run_id: run for run in self.runs}

    @cached_property
    def series_of(self) -> dict[Combination, list[Series]]:
        """The replications of each factor combination."""
        found: dict[Combination, list[Series]] = {}
        for series in self.series:
            found.setdefault(series.combination, []).append(series)
        return found

    @property
    def combinations(self) -> list[Combination]:
        """Factor combinations of the plan."""
        return list(self.series_of)

    @property
    def scenarios(self) -> dict[Combination, Scenario]:
        """The scenario of each factor combination, in its first replication."""
        return {combination: series[0].first for combination, series in self.series_of.items()}

    @cached_property
    def of_combination(self) -> dict[Combination, list[PlannedRun]]:
        """Runs of each factor combination, by replication."""
        return {combination: self.of([combination]).runs for combination in self.series_of}

    @cached_property
    def numbers(self) -> dict[SeriesKey, set[int]]:
        """Replications of each scenario and seed, over all combinations."""
        return numbers_of(self.series)

    @property
    def planned_runs(self) -> int:
        """Number of runs, including repeated ones."""
        return sum(len(series.numbers) for series in self.series)

    @property
    def distinct_runs(self) -> int:
        """Number of distinct runs."""
        return sum(map(len, self.numbers.values()))

    @property
    def hashes(self) -> set[str]:
        """Hashes of the scenarios."""
        return {scenario_hash for scenario_hash, _ in self.numbers}

    @cached_property
    def drawn(self) -> list[int]:
        """Numbers of the replications from 1 on, over all combinations."""
        return sorted({0}.union(*(series.numbers for series in self.series)) - {0})

    @property
    def replications(self) -> int:
        """Number of replications from 1 on; 0 if all runs are deterministic."""
        return len(self.drawn)

    @cached_property
    def whole_design(self) -> "Plan":
        """The plan of the study's whole design."""
        return plan_design(self.study, Selection())

    def without(self, settled: Mapping[SeriesKey, Collection[int]]) -> list[PlannedRun]:
        """Return one planned run for each run id, without the `settled` replications."""
        return [run for series in self.left(settled) for run in series.runs]

    def left(self, settled: Mapping[SeriesKey, Collection[int]]) -> list[Series]:
        """Return each distinct run in one series, without the `settled` replications."""
        left = {key: numbers - set(settled.get(key, ())) for key, numbers in self.numbers.items()}
        found: list[Series] = []
        for series in self.series:
            own = left[series.first.series]
            if numbers := [number for number in series.numbers if number in own]:
                found.append(dataclasses.replace(series, numbers=numbers))
                left[series.first.series] = own.difference(numbers)
        return found

    def lacking(self, results: Mapping[Combination, Mapping[int, object]]) -> int:
        """Return the number of planned runs without a result."""
        return sum(
            number not in results[series.combination]
            for series in self.series
            for number in series.numbers
        )

    def incomplete(self, results: Mapping[Combination, Mapping[int, object]]) -> set[Combination]:
        """Return the factor combinations with planned runs that have no result."""
        return {
            series.combination
            for series in self.series
            if any(number not in results[series.combination] for number in series.numbers)
        }

    def by_combination(self, found: Replicated[Found]) -> dict[Combination, dict[int, Found]]:
        """Return the values of the planned runs, by factor combination, then by replication."""
        known: dict[Combination, dict[int, Found]] = {name: {} for name in self.series_of}
        for series in self.series:
            known[series.combination].update(series.among(found))
        return known

    def of(self, combinations: Iterable[Combination]) -> "Plan":
        """Return the part of some factor combinations, in their order."""
        own = [series for combination in combinations for series in self.series_of[combination]]
        return dataclasses.replace(self, series=own)

    def dealt(self, number: int, parts: int) -> "Plan":
        """Return one part of the distinct runs, `number` from 1 to `parts`.

        The runs are dealt in turn, longest first by an estimate from the scenario alone: the parts
        take about the same time, and are the same on every machine.
        """
        costs = {
            series.first.series: _engine.scenario_seconds_if_busy(series.first.resolved)
            for series in self.series
        }
        skipped, own = number - 1, []
        order = sorted(self.left({}), key=lambda one: (-costs[one.first.series], one.first.series))
        for series in order:
            if numbers := series.numbers[skipped::parts]:
                own.append(dataclasses.replace(series, numbers=numbers))
            skipped = (skipped - len(series.numbers)) % parts
        return dataclasses.replace(self, series=own)

    def up_to(self, replications: int) -> "Plan":
        """Return the plan without the replications beyond this number."""
        numbers = [
            [number for number in series.numbers if number <= replications]
            for series in self.series
        ]
        kept = [
            dataclasses.replace(series, numbers=within)
            for series, within in zip(self.series, numbers, strict=True)
            if within
        ]
        return dataclasses.replace(self, series=kept)


def selection_of(
    tables: Sequence[str], where: str | None, replications: int | None, quick: Quick | None
) -> Selection:
    """Return a selection, restricted to the small part `quick` if it is given.

    `replications` overrides the number of the small part.
    """
    conditions = (where,) if quick is None else (quick.where, where)
    if quick is not None and replications is None:
        replications = quick.replications
    return Selection(tuple(tables), tuple(filter(None, conditions)), replications)


def plan_design(study: StudyDefinition, selection: Selection) -> Plan:
    """Plan the combinations of the design, or the rows of the selected tables.

    Raises `LongfatError` for an unknown table, a condition that SQL refuses, one that selects
    nothing and more runs than can be planned, and `longfat.InvalidInput` for a combination that is
    no valid scenario.
    """
    if study.design.kind == "reference-rows" or selection.tables:
        return plan_reference(study, selection)
    return plan_combinations(study, selection, study.combinations)


def plan_reference(study: StudyDefinition, selection: Selection) -> Plan:
    """Plan the rows of the paper's tables for any design. Raises as `plan_design` does."""
    return plan_combinations(study, selection, reference_rows(study, selection))


def plan_everything(
    study: StudyDefinition, replications: int | None, quick: Quick | None = None
) -> Plan:
    """Plan the design and the rows of all tables: every possible run of the study.

    Restricted to the small part `quick` if it is given.
    """
    selection = selection_of((), None, replications, quick)
    combinations = dict.fromkeys([*study.combinations, *reference_rows(study, selection)])
    return plan_combinations(study, selection, list(combinations))


def reference_rows(study: StudyDefinition, selection: Selection) -> list[Combination]:
    """Return the factor combinations of the selected tables. Raises `LongfatError` if unknown."""
    for table in selection.tables:
        if table not in study.tables:
            raise LongfatError(
                f"{study.name} has no table {table!r}; its tables: {', '.join(study.tables)}"
            )
    combinations = (
        combination
        for response in study.responses
        if not selection.tables or response.table in selection.tables
        for row in response.rows
        for combination in row.simulated
    )
    return list(dict.fromkeys(combinations))


def plan_combinations(
    study: StudyDefinition,
    selection: Selection,
    chosen: Sequence[Combination],
    changes: Mapping[Combination, Overrides] | None = None,
) -> Plan:
    """Plan the combinations that meet the conditions of the selection.

    `changes` are settings for some of them, applied after levels and adjustments. They do not
    change seeds, so that differences are due to the changes. Raises as `plan_design` does.
    """
    replications = selection.replications
    if replications is None:
        replications = study.design.replications
    if too_many := too_many_runs(len(chosen), replications):
        raise LongfatError(f"{study.name}: {too_many}")
    numbers: Numbers = dict.fromkeys(chosen, range(replications + 1))
    for condition in selection.where:
        numbers = _where(study, numbers, condition)
    if not numbers:
        raise LongfatError(
            f"no run of {study.name} meets {' and '.join(selection.where)}"
            if selection.where
            else f"{study.name} runs the rows of its tables and has none: it needs a [[response]]"
        )
    overrides = study.overrides(numbers)
    seeds = _seeds(study, overrides)
    for combination, settings in (changes or {}).items():
        if combination in overrides:
            overrides[combination] += settings
    return Plan(study, selection, _series(study, numbers, overrides, seeds))


Numbers = Mapping[Combination, Sequence[int]]
"""Numbers of the replications of each combination, ascending."""


def _series(
    study: StudyDefinition,
    numbers: Numbers,
    overrides: Mapping[Combination, Sequence[Override]],
    seeds: Mapping[Combination, Sequence[Override]],
) -> list[Series]:
    """Return the perturbed and the unperturbed replications of each combination.

    The replications of a kind differ only in their number: the engine validates one of each.
    """
    kinds = [
        (combination, list(kind), perturbed)
        for combination, of_combination in numbers.items()
        for perturbed, kind in itertools.groupby(of_combination, lambda number: number > 0)
    ]
    variants = [
        [
            *overrides[combination],
            *(study.design.perturb if perturbed else ()),
            *seeds.get(combination, ()),
            Override("replication", str(kind[0]), f"replication {kind[0]}"),
        ]
        for combination, kind, perturbed in kinds
    ]
    return [
        Series(combination, first, kind)
        for (combination, kind, _), first in zip(kinds, study.resolve(variants), strict=True)
    ]


def _where(
    study: StudyDefinition, numbers: Numbers, condition: str
) -> dict[Combination, list[int]]:
    """Return the replications that meet a condition, without combinations that have none."""
    keys = [(combination, number) for combination in numbers for number in numbers[combination]]
    rows: list[list[str | int | None]] = [
        [*study.levels(combination), number] for combination, number in keys
    ]
    columns = [*(factor.name for factor in study.factors), "replication"]
    found: dict[Combination, list[int]] = {}
    for index in matching(columns, rows, condition):
        combination, number = keys[index]
        found.setdefault(combination, []).append(number)
    return found


def _seeds(
    study: StudyDefinition, overrides: Mapping[Combination, Sequence[Override]]
) -> dict[Combination, list[Override]]:
    """Return the seed override of each combination; none with common random numbers.

    An independent seed is derived from the combination's scenario, not from its position: it does
    not change when rows are added or removed, and two rows with the same run share it.
    """
    if study.design.seeds == "common":
        return {}
    scenarios = study.resolve(list(overrides.values()))
    return {
        combination: [Override("seed", str(_independent_seed(scenario)), "independent seed")]
        for combination, scenario in zip(overrides, scenarios, strict=True)
    }


def _independent_seed(scenario: Scenario) -> int:
    digest = hashlib.sha256(f"{scenario.seed} {scenario.hash}".encode())
    return int(digest.hexdigest()[:13], 16)  # 52 bits: seeds end at 2^53

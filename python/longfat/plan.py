"""From a study and a selection to the runs that answer it; nothing here simulates or stores."""

import dataclasses
import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter

from longfat.errors import LongfatError
from longfat.overrides import Override, Overrides
from longfat.readings import Quick
from longfat.reference import Combination
from longfat.scenario import Scenario
from longfat.study import Study
from longfat.where import matching


@dataclass(frozen=True)
class Selection:
    """A part of a study.

    `tables` empty means every table, `replications` None as many as the design says; every
    condition of `where` must hold.
    """

    tables: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    replications: int | None = None


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One factor combination in one replication, as the scenario that the engine will run."""

    combination: Combination
    replication: int
    scenario: Scenario


@dataclass(frozen=True)
class Plan:
    """The runs of a selection; several combinations may mean the same run."""

    study: Study
    selection: Selection
    runs: Sequence[PlannedRun]

    @cached_property
    def distinct(self) -> dict[str, PlannedRun]:
        """One planned run for each run id."""
        return {run.scenario.run_id: run for run in self.runs}

    @cached_property
    def of_combination(self) -> dict[Combination, list[PlannedRun]]:
        """The runs of each factor combination, by replication."""
        found: dict[Combination, list[PlannedRun]] = {}
        # Replications of a combination follow each other: it is hashed once, not for each.
        for combination, runs in itertools.groupby(self.runs, attrgetter("combination")):
            found.setdefault(combination, []).extend(runs)
        return found

    def up_to(self, replications: int) -> "Plan":
        """The plan without the replications beyond this number."""
        runs = [run for run in self.runs if run.replication <= replications]
        return dataclasses.replace(self, runs=runs)


def quick_selection(quick: Quick) -> Selection:
    """A study's own small part."""
    where = (quick.where,) if quick.where else ()
    return Selection(where=where, replications=quick.replications)


def plan_design(study: Study, selection: Selection) -> Plan:
    """Plan what the design asks for, or the rows of the selected tables.

    Raises `LongfatError` for an unknown table, a condition that SQL refuses or one that leaves
    nothing, and `longfat.InvalidInput` for a combination that is no valid scenario.
    """
    if study.design.kind == "reference-rows" or selection.tables:
        return plan_reference(study, selection)
    return plan_combinations(study, selection, study.combinations)


def plan_reference(study: Study, selection: Selection) -> Plan:
    """Plan the rows of the paper's tables, whatever the design. Raises as `plan_design` does."""
    return plan_combinations(study, selection, reference_rows(study, selection))


def plan_everything(study: Study, replications: int | None) -> Plan:
    """Plan the design and the rows of all tables: whatever runs of the study there can be."""
    selection = Selection(replications=replications)
    combinations = dict.fromkeys([*study.combinations, *reference_rows(study, selection)])
    return plan_combinations(study, selection, list(combinations))


def reference_rows(study: Study, selection: Selection) -> list[Combination]:
    """The factor combinations of the selected tables. Raises `LongfatError` for an unknown one."""
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
    study: Study,
    selection: Selection,
    chosen: Sequence[Combination],
    changes: Mapping[Combination, Overrides] | None = None,
) -> Plan:
    """Plan those of the combinations that meet the conditions of the selection.

    `changes` are settings for some of them, after those of levels and adjustments. Seeds stay as
    they are without: what differs then is due to them. Raises as `plan_design` does.
    """
    replications = selection.replications
    if replications is None:
        replications = study.design.replications
    numbers: Numbers = dict.fromkeys(chosen, range(replications + 1))
    for condition in selection.where:
        numbers = _where(study, numbers, condition)
    if not numbers:
        raise LongfatError(f"no run of {study.name} meets {' and '.join(selection.where)}")
    overrides = study.overrides(numbers)
    seeds = _seeds(study, overrides)
    for combination, settings in (changes or {}).items():
        if combination in overrides:
            overrides[combination] += settings
    return Plan(study, selection, _runs(study, numbers, overrides, seeds))


Numbers = Mapping[Combination, Sequence[int]]
"""The numbers of the replications of each combination, ascending."""


def _runs(
    study: Study,
    numbers: Numbers,
    overrides: Mapping[Combination, Sequence[Override]],
    seeds: Mapping[Combination, Sequence[Override]],
) -> list[PlannedRun]:
    """The runs, replication by replication of each combination.

    The replications of a combination differ in their number only, and in being perturbed or not:
    the engine judges one of each kind.
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
        PlannedRun(combination, number, scenario)
        for (combination, kind, _), judged in zip(kinds, study.resolve(variants), strict=True)
        for number, scenario in zip(kind, judged.replicated(kind), strict=True)
    ]


def _where(study: Study, numbers: Numbers, condition: str) -> dict[Combination, list[int]]:
    """Those of the replications that meet a condition; combinations without any are left out."""
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
    study: Study, overrides: Mapping[Combination, Sequence[Override]]
) -> dict[Combination, list[Override]]:
    """The seed override of each combination; none with common random numbers.

    An independent seed follows from what the combination simulates, not from its position, so
    that it stays when rows come or go, and two rows that mean the same run share it.
    """
    if study.design.seeds == "common":
        return {}
    scenarios = study.resolve(list(overrides.values()))
    return {
        combination: [Override("seed", str(_independent_seed(scenario)), "independent seed")]
        for combination, scenario in zip(overrides, scenarios, strict=True)
    }


def _independent_seed(scenario: Scenario) -> int:
    digest = hashlib.sha256(f"{scenario.settings['seed']} {scenario.hash}".encode())
    return int(digest.hexdigest()[:13], 16)  # 52 bits: seeds end at 2^53

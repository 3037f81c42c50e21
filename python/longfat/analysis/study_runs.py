"""Observations of the stored runs of a study, and their analysis of variance."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from longfat import _engine
from longfat.analysis.analysis import Analysis, Component, Settings
from longfat.analysis.experiment import Observation
from longfat.analysis.least_squares import analyse_observations
from longfat.analysis.table import Observations, check_names, unknown
from longfat.base.errors import BadInput, LongfatError
from longfat.results.comparison import Results
from longfat.studies.aliases import aliases, named
from longfat.studies.definition import StudyDefinition
from longfat.studies.design import base_factors
from longfat.studies.fraction import Fraction, fraction_of
from longfat.studies.plan import Plan

if TYPE_CHECKING:
    from longfat.studies.reference import Combination


class RunsMissing(LongfatError):
    """Raised if selected runs are not in the store."""


def study_observations(
    plan: Plan, results: Results, factors: Sequence[str] | None, response: str
) -> Observations:
    """Return the values of a metric in the planned runs as observations.

    `factors` None means all that vary; in a fractional design, those without a generator.
    Replication 0 is omitted if there are others: it is not a sample of the same distribution.
    Raises `LongfatError` for unknown names, for factors that vary but are not among `factors`, for
    runs without a result, and for runs shared by several combinations, which are not independent
    observations.
    """
    varying = _varying(plan)
    chosen = list(factors) if factors else _default_factors(plan.study, varying)
    known = [factor.name for factor in plan.study.factors]
    check_names(chosen, response, known, plan.study.name)
    _check_the_rest(plan, varying, chosen)
    rows = _rows(plan, results, chosen, response)
    _check_each_is_its_own(plan)
    levels = {
        factor: [level for level in _levels(plan.study, factor) if level in varying.get(factor, ())]
        for factor in chosen
    }
    return Observations(levels, rows)


def analyse_study(
    plan: Plan,
    results: Results,
    factors: Sequence[str] | None,
    response: str,
    settings: Settings,
    blocks_as_seeds: bool = True,
) -> Analysis:
    """Compute the analysis of variance of a metric in the planned runs.

    Raises as `study_observations` and `analyse_observations`.
    """
    found = study_observations(plan, results, factors, response)
    chosen = settings_of_study(settings, plan.study, blocks_as_seeds)
    fraction = fraction_of(plan)
    if fraction is not None:
        _check_order(fraction, list(found.factors), chosen.order)
    analysis = analyse_observations(response, found.factors, found.rows, chosen)
    return analysis if fraction is None else with_aliases(analysis, fraction)


def settings_of_study(
    settings: Settings, study: StudyDefinition, blocks_as_seeds: bool
) -> Settings:
    """Return settings completed by the study: with `blocks_as_seeds`, common seeds are blocks.

    In a fractional design, the default order includes all interactions of the base factors: they
    are aliased with the effects of generated factors.
    """
    order = settings.order
    if order is None and study.design.kind == "fractional":
        order = len(base_factors(study.design, study.factors))
    blocks = study.design.seeds == "common" if blocks_as_seeds else settings.blocks
    return dataclasses.replace(settings, order=order, blocks=blocks)


def with_aliases(analysis: Analysis, fraction: Fraction) -> Analysis:
    """Return the analysis with the aliases of each component in a fractional design."""
    components = [
        dataclasses.replace(component, aliases=_aliases(component, fraction))
        for component in analysis.components
    ]
    return dataclasses.replace(analysis, components=components)


def _aliases(component: Component, fraction: Fraction) -> list[str]:
    """Return the names of a component's aliases; error and blocks have none."""
    if not component.factors:
        return []
    effect = frozenset(component.factors)
    return [fraction.alias(effect, alias) for alias in aliases(effect, fraction.relation)]


def _check_order(fraction: Fraction, factors: Sequence[str], order: int | None) -> None:
    """Raise `LongfatError` if an interaction beyond `order` is aliased with an effect within it."""
    kept = len(factors) if order is None else order
    for number in range(kept + 1, len(factors) + 1):
        for interaction in itertools.combinations(factors, number):
            hidden = aliases(frozenset(interaction), fraction.relation, kept)
            if hidden:
                raise LongfatError(
                    f"order {order} would take {' x '.join(interaction)} for chance, which in "
                    f"this fraction is the effect of {named(hidden[0], fraction.factors)}: "
                    f"leave --order away"
                )


def _varying(plan: Plan) -> Mapping[str, Sequence[str]]:
    """Return the levels of each factor in the planned runs.

    Raises `LongfatError` if the runs do not all have the same factors.
    """
    combinations = [dict(combination) for combination in plan.combinations]
    for factor in combinations[0]:
        if not all(factor in combination for combination in combinations):
            _ragged(factor)
    for combination in combinations:
        for factor in combination.keys() - combinations[0].keys():
            _ragged(factor)
    return {
        factor: list(dict.fromkeys(combination[factor] for combination in combinations))
        for factor in combinations[0]
    }


def _ragged(factor: str) -> None:
    raise LongfatError(
        f"some of the chosen runs have no level of {factor!r}: "
        "choose the rows of one table (--table), or a part of the study (--where)"
    )


def _default_factors(study: StudyDefinition, varying: Mapping[str, Sequence[str]]) -> list[str]:
    generated = study.design.generators
    return [
        factor for factor, levels in varying.items() if len(levels) > 1 and factor not in generated
    ]


def _check_the_rest(
    plan: Plan, varying: Mapping[str, Sequence[str]], chosen: Sequence[str]
) -> None:
    """Raise `LongfatError` for a varying factor not in `chosen`: it would count as error."""
    for factor, levels in varying.items():
        if len(levels) > 1 and factor not in chosen and factor not in plan.study.design.generators:
            raise LongfatError(
                f"{factor} varies ({', '.join(levels)}) and is not among --factors: "
                f"add it, or choose one level (--where \"{factor} = '{levels[0]}'\")"
            )


def _rows(plan: Plan, results: Results, factors: Sequence[str], response: str) -> list[Observation]:
    repeated = any(run.replication > 0 for run in plan.runs)
    wanted = [run for run in plan.runs if run.replication > 0 or not repeated]
    missing = sum(run.replication not in results[run.combination] for run in wanted)
    if missing:
        raise RunsMissing(f"{missing} of {len(wanted)} runs have no result")
    _check_response(
        plan.study, [results[run.combination][run.replication] for run in wanted], response
    )
    rows = []
    for run in wanted:
        metrics = results[run.combination][run.replication]
        levels = dict(run.combination)
        rows.append(
            Observation(
                levels=tuple(levels[factor] for factor in factors),
                replication=str(run.replication),
                value=metrics[response],
                place=f"run {run.scenario.run_id}",
            )
        )
    return rows


def _check_each_is_its_own(plan: Plan) -> None:
    """Raise `LongfatError` if two combinations are the same scenario."""
    first: dict[str, Combination] = {}
    for run in plan.runs:
        other = first.setdefault(run.scenario.run_id, run.combination)
        if other != run.combination:
            differing = [
                f"{factor} '{dict(other).get(factor)}' and '{level}'"
                for factor, level in run.combination
                if dict(other).get(factor) != level
            ]
            raise LongfatError(
                f"with {' and '.join(differing)} the runs are the same, and are no independent "
                "observations: choose one of these levels (--where)"
            )


def _check_response(
    study: StudyDefinition, runs: Sequence[Mapping[str, float]], response: str
) -> None:
    """Raise `BadInput` for a metric that is unknown, or that some of the runs do not have."""
    lacking = sum(response not in metrics for metrics in runs)
    found = (name for metrics in runs for name in metrics)
    known = list(dict.fromkeys([*_engine.METRICS, *found]))
    if lacking and response in known:
        raise BadInput([f"{study.name}: {lacking} of {len(runs)} runs have no {response}"])
    if lacking:
        raise BadInput([unknown("response", response, known, study.name)])


def _levels(study: StudyDefinition, name: str) -> Sequence[str]:
    return next(list(factor.levels) for factor in study.factors if factor.name == name)

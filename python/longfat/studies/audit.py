"""Plan of an audit: the runs of a study with each open choice of its source varied, one at a time.

A knob that the study leaves at its default is an inferred choice: the engine declares its
alternatives. Values that the study sets are stated by its source, unless `[audit]` says otherwise.
Nothing here simulates or stores.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from longfat import _engine
from longfat.base.errors import BadInput
from longfat.base.suggestions import nearest_or_known
from longfat.scenarios.scenario import Override, Overrides
from longfat.studies.definition import StudyDefinition
from longfat.studies.knobs import Knob, knobs_of
from longfat.studies.plan import Plan, Selection, plan_combinations, plan_everything, reference_rows
from longfat.studies.readings import Named, Reading
from longfat.studies.reference import Combination

Changes = Mapping[Combination, Overrides]


@dataclass(frozen=True)
class Alternative:
    """An alternative value (`name`) of a choice left open (`knob`), instead of `here`.

    `changes` has the settings for each factor combination in which it differs from the study.
    """

    knob: str
    name: str
    here: str
    reason: str
    changes: Changes

    @property
    def paths(self) -> set[str]:
        """Scenario paths that it sets."""
        return {override.path for settings in self.changes.values() for override in settings}


@dataclass(frozen=True)
class Variation:
    """One alternative or a pair of them, with the runs that differ from the study's."""

    alternatives: tuple[Alternative, ...]
    plan: Plan


@dataclass(frozen=True)
class AuditPlan:
    """The runs of a part of a study, and those of each variation.

    `refused` are the alternatives that the engine refuses for every factor combination, with
    reasons.
    """

    baseline: Plan
    variations: Sequence[Variation]
    refused: Sequence[str]

    @cached_property
    def everything(self) -> Plan:
        """All runs as one plan."""
        varied = [series for variation in self.variations for series in variation.plan.series]
        return replace(self.baseline, series=[*self.baseline.series, *varied])


def audited(
    study: StudyDefinition, selection: Selection, read_by_claims: Sequence[Combination]
) -> list[Combination]:
    """Return the factor combinations of an audit.

    These are the combinations of the selected tables, or else of all printed tables, if there are
    any, and those that claims read. Raises `LongfatError` for an unknown table.
    """
    if selection.tables:
        return reference_rows(study, selection)
    printed = [response for response in study.responses if response.is_printed]
    tabulated = (
        combination
        for response in printed or study.responses
        for row in response.rows
        for combination in row.simulated
    )
    return list(dict.fromkeys([*tabulated, *read_by_claims]))


def plan_audit(
    study: StudyDefinition,
    selection: Selection,
    chosen: Sequence[Combination],
    only: Sequence[str] = (),
    pairs: bool = False,
) -> AuditPlan:
    """Plan a part of a study and its variations: `only` of some knobs, optionally also `pairs`.

    Raises `LongfatError` for a condition that SQL refuses, `BadInput` for an unknown knob and for
    errors in `[audit]`, and `longfat.InvalidInput` for a reading that the engine refuses.
    """
    baseline = plan_combinations(study, selection, chosen)
    combinations = baseline.combinations
    found = alternatives(study, combinations)
    _check_only(only, found)
    judge = _judge(study, combinations)
    singles, refused = [], []
    for alternative in found:
        if not only or _is_meant(alternative, only):
            changes, problem = judge(alternative.changes)
            if changes:
                singles.append(replace(alternative, changes=changes))
            elif problem is not None:
                said = f"{alternative.knob} = {alternative.name}: "
                refused.append(said + problem.replace(said, ""))
    varied: list[tuple[tuple[Alternative, ...], Changes]]
    varied = [((single,), single.changes) for single in singles]
    if pairs:
        varied += [(pair, judge(merged)[0]) for pair, merged in _pairs(singles)]
    variations = [
        Variation(which, plan_combinations(study, selection, list(changes), changes))
        for which, changes in varied
        if changes
    ]
    return AuditPlan(baseline, variations, refused)


def check_audit(study: StudyDefinition) -> None:
    """Validate the `[audit]` table with all factor combinations of the study.

    Raises as `plan_audit` does.
    """
    combinations = plan_everything(study, 0).combinations
    named = study.audit.vary or study.audit.keep
    of_all = (knob for of_combination in _knobs(study, combinations) for knob in of_combination)
    paths = dict.fromkeys((knob.path, knob.is_set) for knob in of_all) if named else {}
    problems = [
        *_strangers(study.audit.vary, paths, True, "the study sets"),
        *_strangers(study.audit.keep, paths, False, "the study leaves at its default"),
    ]
    if problems:
        raise BadInput(problems)
    for reading in study.audit.readings:
        read = _read(study, reading, combinations)
        overrides = study.overrides(read)
        study.resolve([[*overrides[found], *settings] for found, settings in read.items()])


def alternatives(study: StudyDefinition, combinations: Sequence[Combination]) -> list[Alternative]:
    """Return the alternatives of any of the combinations: those of knobs, then the readings."""
    declared = list(_declared(study, combinations))
    here = {alternative.knob: alternative.here for alternative in declared}
    return [*declared, *_readings(study, combinations, here)]


def _knobs(study: StudyDefinition, combinations: Sequence[Combination]) -> Iterator[list[Knob]]:
    """Yield the knobs of each factor combination."""
    overrides = study.overrides(combinations)
    return knobs_of(study, [[*overrides[found], *study.design.perturb] for found in combinations])


def _declared(study: StudyDefinition, combinations: Sequence[Combination]) -> Iterator[Alternative]:
    """Yield the alternatives of knobs that the study does not set, or that `[audit]` varies."""
    vary = {named.path: named.reason for named in study.audit.vary}
    keep = {named.path for named in study.audit.keep}
    changes: dict[tuple[str, str], dict[Combination, Overrides]] = {}
    here: dict[str, dict[str, None]] = {}
    reasons: dict[str, str] = {}
    for combination, knobs in zip(combinations, _knobs(study, combinations), strict=True):
        for knob in knobs:
            if knob.path in keep or (knob.is_set and knob.path not in vary):
                continue
            here.setdefault(knob.name, {})[knob.value] = None
            reasons[knob.name] = vary.get(knob.path, "")
            for setting in knob.settings:
                override = Override(knob.path, setting, f"{knob.path} = {setting}")
                of_setting = changes.setdefault((knob.name, setting), {})
                if setting in knob.others:
                    of_setting[combination] = (override,)
    for (name, setting), of_setting in changes.items():
        if of_setting:
            yield Alternative(name, setting, " or ".join(here[name]), reasons[name], of_setting)


def _readings(
    study: StudyDefinition, combinations: Sequence[Combination], here: Mapping[str, str]
) -> Iterator[Alternative]:
    """Yield the readings of the study file; entries with one name are one alternative.

    `here` has the study's values of declared knobs, to which a reading may add an alternative.
    """
    named: dict[tuple[str, str], list[Reading]] = {}
    for reading in study.audit.readings:
        named.setdefault((reading.knob, reading.name), []).append(reading)
    for (knob, name), readings in named.items():
        changes: dict[Combination, Overrides] = {}
        for reading in readings:
            changes |= _read(study, reading, combinations, allow_none=True)
        if changes:
            yield Alternative(knob, name, here.get(knob, ""), readings[0].reason, changes)


def _read(
    study: StudyDefinition,
    reading: Reading,
    combinations: Sequence[Combination],
    allow_none: bool = False,
) -> dict[Combination, Overrides]:
    """Return the settings of a reading for each combination that meets its condition.

    Raises `LongfatError` for a condition that SQL refuses, and `BadInput` if none meets it.
    """
    chosen = list(combinations)
    if reading.where is not None:
        origin = f"{reading.origin}: audit.reading.where"
        chosen = study.meeting(combinations, reading.where, origin)
        if not chosen and not allow_none:
            problem = f"audit.reading.where: no factor combination meets {reading.where}"
            raise BadInput([f"{reading.origin}: {problem}"])
    return dict.fromkeys(chosen, reading.overrides)


def _judge(
    study: StudyDefinition, combinations: Sequence[Combination]
) -> Callable[[Changes], tuple[dict[Combination, Overrides], str | None]]:
    """Return a function that keeps the changes that alter the simulation, with the refusal."""
    overrides = study.overrides(combinations)
    resolved = dict(zip(combinations, study.resolve(list(overrides.values())), strict=True))

    def judge(changes: Changes) -> tuple[dict[Combination, Overrides], str | None]:
        variants = [[*overrides[found], *settings] for found, settings in changes.items()]
        outcomes = _engine.resolve_each(study.scenario_text, study.scenario_source, variants)
        different: dict[Combination, Overrides] = {}
        problem = None
        for (combination, settings), (text, problems) in zip(
            changes.items(), outcomes, strict=True
        ):
            if text is None:
                problem = problems[0]
            elif text != resolved[combination].resolved:
                different[combination] = settings
        return different, problem

    return judge


def _pairs(
    singles: Sequence[Alternative],
) -> Iterator[tuple[tuple[Alternative, Alternative], dict[Combination, Overrides]]]:
    """Yield pairs of alternatives of different knobs whose paths do not overlap."""
    for first, second in itertools.combinations(singles, 2):
        both = [found for found in first.changes if found in second.changes]
        if first.knob == second.knob or not both or _overlap(first.paths, second.paths):
            continue
        either = dict.fromkeys([*first.changes, *second.changes])
        merged = {
            found: first.changes.get(found, ()) + second.changes.get(found, ()) for found in either
        }
        yield (first, second), merged


def _overlap(first: set[str], second: set[str]) -> bool:
    return any(
        a == b or a.startswith((f"{b}.", f"{b}[")) or b.startswith((f"{a}.", f"{a}["))
        for a in first
        for b in second
    )


def _is_meant(alternative: Alternative, only: Sequence[str]) -> bool:
    return alternative.knob in only or alternative.knob.partition(" (")[0] in only


def _check_only(only: Sequence[str], found: Sequence[Alternative]) -> None:
    known = list(dict.fromkeys(alternative.knob for alternative in found))
    for name in only:
        if not any(_is_meant(alternative, [name]) for alternative in found):
            raise BadInput([f"--knob: no knob {name!r} is varied here; known: {', '.join(known)}"])


def _strangers(
    named: Sequence[Named], paths: Iterable[tuple[str, bool]], is_set: bool, what: str
) -> Iterator[str]:
    """Yield a message for each named path that is no knob of the expected kind, set or not."""
    known = [path for path, this_is_set in paths if this_is_set is is_set]
    table = "vary" if is_set else "keep"
    for entry in named:
        if entry.path not in known:
            hint = nearest_or_known(entry.path, known)
            yield f"{entry.origin}: audit.{table}: {entry.path!r} is no knob that {what}{hint}"

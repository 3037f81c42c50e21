"""Studies: a scenario, factors with levels, responses and a paper's numbers, in one folder."""

import functools
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.errors import BadInput, InvalidInput, LongfatError
from longfat.base.files import read_bytes
from longfat.base.suggestions import nearest_or_known
from longfat.base.where import matching
from longfat.controls import FileOfControl, control_at
from longfat.scenarios.scenario import Override, Overrides, Scenario, read_overrides
from longfat.studies.design import (
    Condition,
    Design,
    Precision,
    Target,
    check_number,
    size,
    too_many_runs,
)
from longfat.studies.design import combinations as designed_combinations
from longfat.studies.factors import Factor, check_levels, check_names, check_settings
from longfat.studies.kinds import STUDY_FILE, surely_no_study
from longfat.studies.readings import AuditSettings, Quick, audit_settings
from longfat.studies.reference import Combination, ReferenceRow
from longfat.studies.responses import Response, read_responses, responses_of

SHIPPED = Path(__file__).parents[1] / "shipped" / "studies"


@dataclass(frozen=True)
class Adjustment:
    """Settings for the factor combinations that meet an SQL condition, applied after the levels.

    `origin` is the place of the condition in the study file.
    """

    where: str
    origin: str
    overrides: Overrides
    reason: str


@dataclass(frozen=True)
class StudyDefinition:
    """A validated study as its folder describes it; `longfat.Study` is the interface for users."""

    name: str
    file: Path
    title: str
    citation: str
    scenario_source: str
    scenario_text: bytes
    design: Design
    factors: Sequence[Factor]
    adjustments: Sequence[Adjustment]
    responses: Sequence[Response]
    quick: Quick
    audit: AuditSettings
    controls: Mapping[str, FileOfControl] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Folder of the study's files."""
        return self.file.parent

    @property
    def named_levels(self) -> dict[str, list[str]]:
        """Names of the levels of each factor, in the study's order."""
        return {factor.name: list(factor.levels) for factor in self.factors}

    @cached_property
    def tables(self) -> list[str]:
        """Names of the paper's tables, in the study's order."""
        return list(dict.fromkeys(response.table for response in self.responses))

    @cached_property
    def combinations(self) -> list[Combination]:
        """Distinct factor combinations of the design."""
        rows = (row for response in self.responses for row in response.rows)
        return _combinations(self.design, self.factors, rows)

    def tables_of(self, combinations: Collection[Combination]) -> list[str]:
        """Return the names of the tables that have any of these factor combinations."""
        found = (
            response.table
            for response in self.responses
            for row in response.rows
            if not set(row.simulated).isdisjoint(combinations)
        )
        return list(dict.fromkeys(found))

    def levels(self, combination: Combination) -> list[str | None]:
        """Return the level of every factor; None for one that the combination does not have."""
        chosen = dict(combination)
        return [chosen.get(factor.name) for factor in self.factors]

    def overrides(self, combinations: Iterable[Combination]) -> dict[Combination, list[Override]]:
        """Return the overrides of each factor combination: its levels', then adjustments.

        Raises `LongfatError` for a condition that SQL refuses.
        """
        overrides = {
            combination: [
                override
                for factor, level in zip(self.factors, self.levels(combination), strict=True)
                if level is not None
                for override in factor.levels[level]
            ]
            for combination in combinations
        }
        for adjustment in self.adjustments:
            for combination in self.adjusted(adjustment, list(overrides)):
                overrides[combination] += adjustment.overrides
        return overrides

    def adjusted(
        self, adjustment: Adjustment, combinations: Sequence[Combination]
    ) -> list[Combination]:
        """Return the combinations to which an adjustment applies."""
        return self.meeting(combinations, adjustment.where, f"{adjustment.origin}: adjust.where")

    def meeting(
        self, combinations: Sequence[Combination], where: str, origin: str
    ) -> list[Combination]:
        """Return the combinations that meet an SQL condition over the factors.

        Raises `LongfatError`, with `origin` in its message, for a condition that SQL refuses.
        """
        columns = [factor.name for factor in self.factors]
        rows = [self.levels(combination) for combination in combinations]
        return [combinations[index] for index in matching(columns, rows, where, origin)]

    def resolve(self, variants: Sequence[Sequence[Override]]) -> list[Scenario]:
        """Resolve the study's scenario with each list of overrides.

        Raises `longfat.InvalidInput` for one that is no valid scenario.
        """
        resolved = _engine.resolve_variants(self.scenario_text, self.scenario_source, variants)
        return [Scenario(*of_variant) for of_variant in resolved]


def shipped_studies() -> list[str]:
    """Return the names of the shipped studies."""
    return sorted(file.parent.name for file in SHIPPED.glob(f"*/{STUDY_FILE}"))


def shipped_study(name: str) -> Path:
    """Return the folder of a shipped study, even if another folder has its name."""
    return (SHIPPED / name).resolve()


def load_study(name_or_path: str | Path) -> StudyDefinition:
    """Load a study by its shipped name, or by the path of its folder or file.

    Raises `longfat.InvalidInput` for an invalid study or scenario file, `BadInput` for ambiguous
    factors and for more runs than can be planned, and `LongfatError` for an invalid reference
    table, an unknown name, a name of both a shipped study and a folder, and for a file that cannot
    be read or is no study.
    """
    file = find_study_file(name_or_path)
    text = read_bytes(file)
    if (other := surely_no_study(file, text)) is not None:
        raise LongfatError(f"{file} is {other}, not a study")
    scenario_file = file.parent / _engine.study_scenario(text, str(file))
    scenario_text = read_bytes(scenario_file)
    controls = _provided_controls(text, file)
    checked = _engine.check_study(text, str(file), scenario_text, str(scenario_file))
    study = _study(json.loads(checked), file, str(scenario_file), scenario_text, controls)
    _check_runs(study, file)
    check_settings(study.factors, _all_combinations(study), file)
    _check_adjustments(study)
    if study.design.where is not None:
        first = study.combinations[0]
        study.resolve([[*study.overrides([first])[first], *study.design.perturb]])
    return study


def find_study_file(name_or_path: str | Path) -> Path:
    """Return the study file of a shipped name or a path.

    Raises `LongfatError` for neither, and for a name of both a shipped study and a folder here:
    with a modified copy, the user could otherwise get the results of the wrong one.
    """
    path = Path(name_or_path)
    is_study = path.is_dir() and (path / STUDY_FILE).is_file()
    if name_or_path in shipped_studies():
        shipped = shipped_study(str(name_or_path))
        if is_study and not path.samefile(shipped):
            raise LongfatError(
                f"{name_or_path}: a folder here and a shipped study have this name; "
                f"./{name_or_path} is the one here, {shipped} the shipped one"
            )
        return shipped / STUDY_FILE
    if is_study:
        return path / STUDY_FILE
    if path.is_file():
        return path
    if path.is_dir():
        raise LongfatError(f"{path}: no {STUDY_FILE} in this folder")
    near = nearest_or_known(str(name_or_path), shipped_studies())
    raise LongfatError(
        f"{name_or_path}: no shipped study of this name and no study at this path{near}"
    )


def _provided_controls(text: bytes, file: Path) -> dict[str, FileOfControl]:
    """Register the controls that a study file names; they are read, but not yet loaded."""
    named = _engine.study_controls(text, str(file))
    controls = {name: control_at(str(file.parent / location)) for name, location in named}
    for name, control in controls.items():
        try:
            control.provide(name)
        except InvalidInput as error:
            raise InvalidInput(
                [f"{file}: controls: {problem}" for problem in error.problems]
            ) from None
    return controls


def _study(
    document: dict[str, Any],
    file: Path,
    scenario_source: str,
    text: bytes,
    controls: Mapping[str, FileOfControl],
) -> StudyDefinition:
    factors = [_factor(factor, file) for factor in document["factors"]]
    check_names(factors, file)
    design = _design(document["design"], factors)
    _check_perturbed(design, factors)
    if design.kind != "reference-rows":
        check_number(size(design, factors), f"{file}: design")
    combinations_of = functools.partial(_combinations, design, factors)
    responses = read_responses(document["responses"], factors, design.where, combinations_of, file)
    return StudyDefinition(
        name=file.parent.resolve().name,
        file=file,
        title=document["title"],
        citation=document["citation"],
        scenario_source=scenario_source,
        scenario_text=text,
        design=design,
        factors=factors,
        adjustments=[_adjustment(adjustment) for adjustment in document["adjustments"]],
        responses=responses or responses_of(combinations_of(())),
        quick=Quick(**document["quick"]),
        audit=audit_settings(document["audit"]),
        controls=controls,
    )


def _design(document: dict[str, Any], factors: Sequence[Factor]) -> Design:
    order = [factor.name for factor in factors]
    listed = document.get("combinations", ())
    return Design(
        kind=document["kind"],
        replications=document["replications"],
        seeds=document["seeds"],
        perturb=read_overrides(document["perturb"]),
        precision=_precision(document["precision"]),
        where=document["where"] and Condition(*document["where"]),
        generators=dict(document["generators"]),
        combinations=[
            tuple((name, levels[name]) for name in order if name in levels)
            for levels in map(dict, listed)
        ],
        points=document["points"],
        sample_seed=document["sample_seed"],
    )


def _check_perturbed(design: Design, factors: Sequence[Factor]) -> None:
    """Raise `BadInput` if `perturb` changes a setting of a factor's levels."""
    paths = {
        override.path: factor.name
        for factor in factors
        for overrides in factor.levels.values()
        for override in overrides
    }
    problems = [
        f"{override.origin}: design.perturb: {override.path} is set by "
        f"{paths[override.path]!r}: replications would not have the level they are named after"
        for override in design.perturb
        if override.path in paths
    ]
    if problems:
        raise BadInput(problems)


def _precision(document: dict[str, Any]) -> Precision:
    targets = [Target(**target) for target in document["half_width"]]
    return Precision(targets, document["confidence"], document["fewest"])


def _factor(document: dict[str, Any], file: Path) -> Factor:
    levels = {level["name"]: read_overrides(level["overrides"]) for level in document["levels"]}
    factor = Factor(document["name"], levels)
    check_levels(factor, [level["name"] for level in document["levels"]], file)
    return factor


def _adjustment(document: dict[str, Any]) -> Adjustment:
    where, origin = document["where"]
    return Adjustment(where, origin, read_overrides(document["set"]), document["reason"])


def _combinations(
    design: Design, factors: Sequence[Factor], rows: Iterable[ReferenceRow]
) -> list[Combination]:
    """Return the combinations of the design, or those of the paper's tables."""
    if design.kind == "reference-rows":
        return list(dict.fromkeys(found for row in rows for found in row.simulated))
    return designed_combinations(design, factors)


def _check_runs(study: StudyDefinition, file: Path) -> None:
    """Raise `BadInput` for more runs than can be planned."""
    of_rows = study.design.kind == "reference-rows"
    count = len(study.combinations) if of_rows else size(study.design, study.factors)
    if too_many := too_many_runs(count, study.design.replications):
        raise BadInput([f"{file}: design.replications: {too_many}"])


def _all_combinations(study: StudyDefinition) -> Iterator[Combination]:
    """Yield the combinations of the design and of the tables, lazily."""
    yield from study.combinations
    for response in study.responses:
        for row in response.rows:
            yield from row.simulated


def _check_adjustments(study: StudyDefinition) -> None:
    """Validate the combinations that adjustments change; each adjustment must apply to one.

    Raises `LongfatError` for a condition that SQL refuses, `BadInput` for one that no combination
    meets and `longfat.InvalidInput` for settings that the engine refuses, with their places.
    """
    if not study.adjustments:
        return
    combinations = list(dict.fromkeys(_all_combinations(study)))
    changed: dict[Combination, None] = {}
    for adjustment in study.adjustments:
        found = study.adjusted(adjustment, combinations)
        if not found:
            problem = f"adjust.where: no factor combination meets {adjustment.where}"
            raise BadInput([f"{adjustment.origin}: {problem}"])
        changed.update(dict.fromkeys(found))
    study.resolve(list(study.overrides(changed).values()))

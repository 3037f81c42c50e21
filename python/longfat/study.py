"""Studies: a scenario, factors with levels, responses and a paper's numbers, in one folder."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from longfat import _engine
from longfat.errors import LongfatError
from longfat.files import read_bytes
from longfat.reference import Combination, ReferenceRow, load_reference

Overrides = tuple[tuple[str, str], ...]
"""(scenario path, value) pairs, in the order in which they are applied."""

DesignKind = Literal[
    "full-factorial",
    "reference-rows",
    "two-level",
    "fractional",
    "one-at-a-time",
    "latin-hypercube",
    "sobol",
    "explicit",
]

SHIPPED = Path(__file__).parent / "studies"
STUDY_FILE = "study.toml"


@dataclass(frozen=True)
class Factor:
    """What a study varies: the levels by name, each the overrides that it stands for."""

    name: str
    levels: Mapping[str, Overrides]


@dataclass(frozen=True)
class Response:
    """One metric of one table of the paper, with the rows printed for it."""

    table: str
    title: str
    metric: str
    rows: Sequence[ReferenceRow]


@dataclass(frozen=True)
class Design:
    """Which factor combinations run, how often, and what chance may change between replications.

    Replication 0 is the scenario as it stands; replications 1 to `replications` apply `perturb`.
    `generators` belongs to fractional designs, `combinations` to explicit ones, `points` and
    `sample_seed` to Latin hypercubes and Sobol's sequence.
    """

    kind: DesignKind
    replications: int
    seeds: Literal["common", "independent"]
    perturb: Overrides
    generators: Mapping[str, Sequence[str]] = field(default_factory=dict)
    combinations: Sequence[Combination] = ()
    points: int = 0
    sample_seed: int = 0


@dataclass(frozen=True)
class Quick:
    """A small part of the study, for tests and first looks."""

    replications: int
    where: str | None


@dataclass(frozen=True)
class Study:
    """A study as its folder describes it, checked."""

    name: str
    folder: Path
    title: str
    citation: str
    scenario_source: str
    scenario_text: bytes
    design: Design
    factors: Sequence[Factor]
    responses: Sequence[Response]
    quick: Quick

    @cached_property
    def tables(self) -> list[str]:
        """The names of the paper's tables, in the study's order."""
        return list(dict.fromkeys(response.table for response in self.responses))

    def overrides(self, combination: Combination) -> list[tuple[str, str]]:
        """The scenario overrides that a factor combination stands for."""
        chosen = dict(combination)
        return [
            override
            for factor in self.factors
            if factor.name in chosen
            for override in factor.levels[chosen[factor.name]]
        ]


def shipped_studies() -> list[str]:
    """The names of the studies that come with longfat."""
    return sorted(file.parent.name for file in SHIPPED.glob(f"*/{STUDY_FILE}"))


def load_study(name_or_path: str | Path) -> Study:
    """Load a study by its shipped name, or by the path of its folder or file.

    Raises `longfat.InvalidInput` for a wrong study or scenario file and `LongfatError` for a
    wrong reference table, an unknown name or a file that cannot be read.
    """
    file = find_study_file(name_or_path)
    text = read_bytes(file)
    scenario_file = file.parent / _engine.study_scenario(text, str(file))
    scenario_text = read_bytes(scenario_file)
    checked = _engine.check_study(text, str(file), scenario_text, str(scenario_file))
    return _study(json.loads(checked), file, str(scenario_file), scenario_text)


def find_study_file(name_or_path: str | Path) -> Path:
    """The study file that a shipped name or a path means. Raises `LongfatError` for neither."""
    if name_or_path in shipped_studies():
        return (SHIPPED / name_or_path / STUDY_FILE).resolve()
    path = Path(name_or_path)
    if path.is_dir() and (path / STUDY_FILE).is_file():
        return path / STUDY_FILE
    if path.is_file():
        return path
    raise LongfatError(
        f"{name_or_path}: no shipped study of this name and no study at this path; "
        f"shipped: {', '.join(shipped_studies()) or 'none'}"
    )


def _study(document: dict[str, Any], file: Path, scenario_source: str, text: bytes) -> Study:
    factors = [_factor(factor) for factor in document["factors"]]
    return Study(
        name=file.parent.resolve().name,
        folder=file.parent,
        title=document["title"],
        citation=document["citation"],
        scenario_source=scenario_source,
        scenario_text=text,
        design=_design(document["design"], factors),
        factors=factors,
        responses=_responses(document["responses"], factors, file.parent),
        quick=Quick(document["quick"]["replications"], document["quick"]["where"]),
    )


def _design(document: dict[str, Any], factors: Sequence[Factor]) -> Design:
    order = [factor.name for factor in factors]
    listed = document.get("combinations", ())
    return Design(
        kind=document["kind"],
        replications=document["replications"],
        seeds=document["seeds"],
        perturb=_overrides(document["perturb"]),
        generators=dict(document["generators"]),
        combinations=[
            tuple((name, levels[name]) for name in order if name in levels)
            for levels in map(dict, listed)
        ],
        points=document["points"],
        sample_seed=document["sample_seed"],
    )


def _factor(document: dict[str, Any]) -> Factor:
    levels = {level["name"]: _overrides(level["overrides"]) for level in document["levels"]}
    return Factor(document["name"], levels)


def _overrides(pairs: Sequence[Sequence[str]]) -> Overrides:
    return tuple((path, value) for path, value in pairs)


def _responses(
    documents: Sequence[dict[str, Any]], factors: Sequence[Factor], folder: Path
) -> list[Response]:
    """The responses with their rows; a file with several metrics is read once."""
    metrics_of_file: dict[str, list[str]] = {}
    for document in documents:
        metrics_of_file.setdefault(document["reference"], []).append(document["metric"])
    levels = {factor.name: list(factor.levels) for factor in factors}
    rows_of_file = {
        file: load_reference(folder / file, levels, metrics)
        for file, metrics in metrics_of_file.items()
    }
    return [
        Response(
            table=document["table"],
            title=document["title"],
            metric=document["metric"],
            rows=rows_of_file[document["reference"]],
        )
        for document in documents
    ]

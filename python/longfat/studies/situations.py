"""Situations: a network, traffic and expectations in one file, with a place for a controller.

A situation is a small study. Its factors are the controller, which stands in the places that the
file names, and a variant of the scenario; its expectations are claims. Reference controllers run in
the same places, for bounds that are relative to them.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.errors import BadInput, InvalidInput, LongfatError
from longfat.base.files import read_bytes
from longfat.base.suggestions import nearest, nearest_or_known
from longfat.scenarios.scenario import Override, Overrides, Scenario, override_text
from longfat.studies.claims import Claim, claim_of
from longfat.studies.definition import StudyDefinition
from longfat.studies.design import Design
from longfat.studies.factors import Factor
from longfat.studies.plan import Plan, Selection, plan_combinations
from longfat.studies.readings import AuditSettings, Quick
from longfat.studies.situation_keys import (
    EXPECTATION,
    FEWEST_REPLICATIONS,
    KEYS,
    PLACE,
    USUAL_PLACES,
    USUAL_REPLICATIONS,
)

SHIPPED = Path(__file__).parents[1] / "shipped" / "situations"

TESTED = "tested"
"""Level of the factor `controller` for the controller that is tested, whatever its name."""

CONTROLLER, VARIANT = "controller", "variant"
"""The factors of a situation, which are columns for the SQL of its expectations."""

_ONLY_VARIANT = "as written"
"""Level of the factor `variant` of a situation without variants."""

_FLAVOR = "TCP flavor"

_POSITION = re.compile(r"\.json(:\d+:\d+)?(?=: )")
"""The end of the name under which the engine gets a part of a file, and the place in that part."""


@dataclass(frozen=True)
class Controller:
    """A congestion control with its settings, by path below the place where it stands."""

    name: str
    settings: Mapping[str, Any]

    def at(self, places: Sequence[str], origin: str) -> Overrides:
        """Return the overrides that put it into places such as `tcp` or `connections[0]`."""
        return tuple(
            Override(_path(place, key), override_text(value, key), f"{origin} {key}")
            for place in places
            for key, value in self.settings.items()
        )


@dataclass(frozen=True)
class Situation:
    """A situation with the tested controller in its places.

    `runs` is an SQL condition over both factors and the replication: what is simulated. `failure`
    says what it means for users if the expectations are not met.
    """

    study: StudyDefinition
    category: str
    failure: str
    expectations: Sequence[Claim]
    runs: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the file without its suffix."""
        return self.study.name

    def plan(self) -> Plan:
        """Plan the runs. Raises as `longfat.studies.plan.plan_design` does."""
        return plan_combinations(
            self.study, Selection(where=self.runs), list(self.study.combinations)
        )

    def first_tested(self) -> Scenario:
        """Return the scenario of the first replication of the tested controller."""
        return next(
            run.scenario for run in self.plan().runs if dict(run.combination)[CONTROLLER] == TESTED
        )


def controller_named(name: str, settings: Mapping[str, str]) -> Controller:
    """Return the controller of a name: one that a user provides, or a flavor of TCP.

    Raises `LongfatError` for an unknown name.
    """
    provided = [known for known, _ in _engine.provided_controls()]
    if name in provided:
        return Controller(name, {"flavor": {"kind": "external", "control": name}, **settings})
    if name not in shipped_controllers():
        near = nearest(name, [*provided, *shipped_controllers()])
        raise LongfatError(
            f"{name}: no controller of this name{near}; --control {name}=FILE provides one, and "
            f"`longfat models '{_FLAVOR}'` lists those that come with longfat"
        )
    return Controller(name, {"flavor": {"kind": name}, **settings})


def shipped_controllers() -> list[str]:
    """Return the names of all controllers that come with longfat, in the order of the engine."""
    models = json.loads(_engine.models())
    return [
        model["name"]
        for model in models
        if model["kind"] == _FLAVOR and model["name"] != "external"
    ]


def shipped_situations() -> list[str]:
    """Return the names of the situations that come with longfat."""
    return sorted(file.stem for file in SHIPPED.glob("*.toml"))


def find_situation(name_or_path: str) -> Path:
    """Return the file of a shipped situation, or the path of another file.

    Raises `LongfatError` for neither.
    """
    if name_or_path in shipped_situations():
        return SHIPPED / f"{name_or_path}.toml"
    if Path(name_or_path).is_file():
        return Path(name_or_path)
    near = nearest_or_known(name_or_path, shipped_situations())
    raise LongfatError(f"{name_or_path}: no situation of this name and no file at this path{near}")


def load_situation(file: Path, controller: Controller) -> Situation:
    """Load a situation with a controller in its places.

    Raises `longfat.InvalidInput` with all errors of the file, or of the controller's settings.
    """
    document = _document(file)
    study = _study(document, file, controller)
    drawn = "replication > 0" if study.design.replications else ""
    runs = tuple(filter(None, [drawn, document.get("runs")]))
    situation = Situation(
        study, document["category"], document["failure"], _expectations(document, file), runs
    )
    _resolve_all(study, file)
    return situation


def _document(file: Path) -> dict[str, Any]:
    """Read a file and check its keys."""
    try:
        document = tomllib.loads(read_bytes(file).decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput([f"{file}: {error}"]) from None
    if problems := list(_problems(document)):
        raise InvalidInput([f"{file}: {problem}" for problem in problems])
    return document


def _problems(document: Mapping[str, Any]) -> Iterator[str]:
    needed = (name for name, key in KEYS.items() if key.is_needed)
    yield from (f"{name}: missing" for name in needed if name not in document)
    for key, value in document.items():
        if key not in KEYS:
            yield f"{key}: unknown{nearest_or_known(key, list(KEYS))}"
        elif type(value) is not KEYS[key].type:
            yield f"{key}: {value!r} is no {_WORDS[KEYS[key].type]}"
        elif key in _WRONG and (wrong := _WRONG[key](value)) is not None:
            yield f"{key}: {wrong}"


_WORDS = {int: "whole number", str: "text", dict: "table", list: "list"}


def _wrong_expectations(expectations: Sequence[Any]) -> str | None:
    if not expectations:
        return "at least one [[expect]] is needed"
    for number, expectation in enumerate(expectations, 1):
        if not isinstance(expectation, dict):
            return f"number {number} is no table"
        for name, key in EXPECTATION.items():
            is_left_out = not key.is_needed and name not in expectation
            if not is_left_out and not isinstance(expectation.get(name), str):
                return f"number {number}: {name}: a text is needed"
        if unknown := expectation.keys() - EXPECTATION.keys():
            return f"number {number}: {min(unknown)}: unknown"
    return None


def _wrong_places(places: Sequence[Any]) -> str | None:
    good = places and all(isinstance(place, str) and re.fullmatch(PLACE, place) for place in places)
    return None if good else f"{places} is no list of places: tcp, connections[0], ..."


def _wrong_settings(tables: Mapping[str, Any]) -> str | None:
    wrong = [name for name, settings in tables.items() if not isinstance(settings, dict)]
    return f"{wrong[0]} is no table of settings" if wrong else None


def _wrong_replications(number: int) -> str | None:
    if number == 0 or number >= FEWEST_REPLICATIONS:
        return None
    return f"{number}: 0 if nothing is drawn, or else {FEWEST_REPLICATIONS} at least"


_WRONG: Mapping[str, Callable[[Any], str | None]] = {
    "schema_version": lambda version: None if version == 1 else f"{version} is not 1",
    "expect": _wrong_expectations,
    "places": _wrong_places,
    "references": _wrong_settings,
    "variants": _wrong_settings,
    "replications": _wrong_replications,
}
"""Further checks of a key's value: what is wrong with it, or None."""


def _study(document: Mapping[str, Any], file: Path, tested: Controller) -> StudyDefinition:
    places = document.get("places", USUAL_PLACES)
    references = [
        Controller(name, settings) for name, settings in document.get("references", {}).items()
    ]
    controllers = {TESTED: tested.at(places, tested.name)} | {
        reference.name: reference.at(places, f"{file}: references.{reference.name}:")
        for reference in references
    }
    variants = {
        name: _overrides(settings, f"{file}: variants.{name}:")
        for name, settings in document.get("variants", {_ONLY_VARIANT: {}}).items()
    }
    return StudyDefinition(
        name=file.stem,
        file=file,
        title=document["title"],
        citation="",
        scenario_source=f"{file}: scenario.json",
        scenario_text=json.dumps(document["scenario"]).encode(),
        design=Design(
            kind="full-factorial",
            replications=document.get("replications", USUAL_REPLICATIONS),
            seeds="common",
            perturb=_overrides(document.get("perturb", {}), f"{file}: perturb:"),
        ),
        factors=[Factor(CONTROLLER, controllers), Factor(VARIANT, variants)],
        adjustments=[],
        responses=[],
        quick=Quick(0, None),
        audit=AuditSettings([], [], [], Quick(0, None)),
    )


def _expectations(document: Mapping[str, Any], file: Path) -> list[Claim]:
    claims = [
        {("section" if key == "source" else key): text for key, text in expectation.items()}
        for expectation in document["expect"]
    ]
    text = json.dumps({"schema_version": 1, "claim": claims}).encode()
    try:
        checked = _engine.check_claims(text, f"{file}: expect.json")
    except InvalidInput as error:
        raise InvalidInput(_placed(error)) from None
    return [claim_of(claim) for claim in json.loads(checked)]


def _resolve_all(study: StudyDefinition, file: Path) -> None:
    """Raise `InvalidInput` for a scenario that the engine refuses with any level, once each."""
    try:
        study.resolve(list(study.overrides(study.combinations).values()))
    except InvalidInput as error:
        raise InvalidInput(list(dict.fromkeys(_placed(error)))) from None
    except BadInput as error:
        raise InvalidInput([f"{file}: {problem}" for problem in error.problems]) from None


def _placed(error: InvalidInput) -> list[str]:
    """Return messages without positions in texts that are no files."""
    return [_POSITION.sub("", problem) for problem in error.problems]


def _overrides(settings: Mapping[str, Any], origin: str) -> Overrides:
    return tuple(
        Override(path, override_text(value, path), f"{origin} {path}")
        for path, value in settings.items()
    )


def _path(place: str, key: str) -> str:
    """Return the path of a setting at a place; `tcp.mss` is below `[tcp]` only once."""
    return key if place == "tcp" and key.startswith("tcp.") else f"{place}.{key}"

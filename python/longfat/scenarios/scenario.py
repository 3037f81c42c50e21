"""Scenarios: one network, its traffic, a duration and a seed; everything one simulation needs.

Nothing is checked here: the engine is the only judge of a scenario.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from longfat import _engine
from longfat.base.errors import InvalidInput, LongfatError
from longfat.base.files import read_bytes
from longfat.base.units import PICOSECONDS_PER_SECOND
from longfat.scenarios.resolved import leaves
from longfat.scenarios.settings import TextOfFile

OverrideValue = str | int | float | bool | Mapping[str, Any] | Sequence[Any]
"""Values that can be set in a scenario by path."""


class Override(NamedTuple):
    """A scenario path, the value to set there, and where that is written (``study.toml:12:3``)."""

    path: str
    value: str
    origin: str


Overrides = tuple[Override, ...]
"""Overrides in the order in which they are applied."""


def read_overrides(documents: Sequence[Sequence[str]]) -> Overrides:
    """Overrides as the engine hands them over."""
    return tuple(Override(*document) for document in documents)


SeriesKey = tuple[str, int]
"""A scenario's hash and seed: runs that have them in common are replications of each other."""


_MOST_TOLD = 120
"""Characters of a setting that messages repeat."""

_PRESET = "tcp.preset"

_NO_FILE = "scenario.json"
"""What the engine calls the text of a scenario that somebody has as an object of Python."""

_PLACE_IN_NO_FILE = re.compile(rf"^{re.escape(_NO_FILE)}(:\d+:\d+)?: ")
"""A place in that text, which nobody has seen; the path that follows says where in the object."""


class Scenario:
    """A checked scenario as canonical JSON: every default filled in, integers in base units."""

    def __init__(self, resolved: str, scenario_hash: str | None = None) -> None:
        self.resolved = resolved
        if scenario_hash is not None:
            self.hash = scenario_hash  # worked out with the text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.resolved == other.resolved

    def __hash__(self) -> int:
        return hash(self.resolved)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The resolved scenario as nested dictionaries; keys carry units (`duration_ps`)."""
        settings: dict[str, Any] = json.loads(self.resolved)
        return settings

    @cached_property
    def simulated_seconds(self) -> float:
        """The length of the simulation in simulated seconds."""
        duration_ps: int = self.settings["duration_ps"]
        return duration_ps / PICOSECONDS_PER_SECOND

    @cached_property
    def hash(self) -> str:
        """The scenario's name: SHA-256 (hex) of everything but seed and replication."""
        return _engine.scenario_hash(self.resolved)

    @cached_property
    def run_id(self) -> str:
        """SHA-256 (hex) that names the run: scenario, seed, replication and engine version."""
        return _engine.run_id(self.resolved)

    @property
    def series(self) -> SeriesKey:
        """What its replications have in common."""
        return self.hash, self.settings["seed"]

    def __repr__(self) -> str:
        return f"<{self._words()}>"

    def _repr_html_(self) -> str:
        from longfat.base.html import element, folded, joined, table

        rows = [[path, str(value)] for path, value in leaves(self.settings)]
        said = element("p", element("b", self._words()))
        return joined([said, folded("Settings", table(["path", "value"], rows))])

    def _words(self) -> str:
        """The scenario in a line."""
        from_seconds = self.settings.get("measure", {}).get("from_ps", 0) / PICOSECONDS_PER_SECOND
        measured = f", measured from {from_seconds:g} s on" if from_seconds else ""
        topology = self.settings["topology"]["kind"]
        return f"Scenario {self.hash[:12]}: {topology}, {self.simulated_seconds:g} s{measured}"

    def replicated(self, replications: Sequence[int]) -> "list[Scenario]":
        """This scenario in several replications: what they have in common is worked out once."""
        before, behind, run_ids = _engine.replicate(self.resolved, replications)
        common = _Common(before, behind, self.hash, self.simulated_seconds)
        return [
            _Replication(common, number, run_id)
            for number, run_id in zip(replications, run_ids, strict=True)
        ]


class _Common(NamedTuple):
    """What the replications of a scenario have in common: their text but for a number, and more."""

    before: str
    behind: str
    hash: str
    simulated_seconds: float


class _Replication(Scenario):
    """One of many replications, most of which nobody asks for their text."""

    def __init__(self, common: _Common, number: int, run_id: str) -> None:
        self._common = common
        self._number = number
        self.run_id = run_id

    @cached_property
    def resolved(self) -> str:  # type: ignore[override]
        return f"{self._common.before}{self._number}{self._common.behind}"

    @property
    def hash(self) -> str:
        return self._common.hash

    @property
    def simulated_seconds(self) -> float:
        return self._common.simulated_seconds


ScenarioSource = Scenario | str | Path | Mapping[str, Any]
"""A scenario: checked, or the path of its file, or nested dictionaries."""


def load_scenario(
    source: ScenarioSource, overrides: Mapping[str, OverrideValue] | None = None
) -> Scenario:
    """Load a scenario from a TOML or JSON file, from nested dictionaries, or from a checked one.

    `overrides` sets values by path: ``{"topology.sources": 15, "port.buffer": "12000 cells"}``. Of
    a checked scenario all other settings stay as they are, also those that were defaults once.
    Raises `longfat.InvalidInput` with every error at once, and `LongfatError` for a file that
    cannot be read and for what is no value of a scenario.
    """
    if isinstance(source, Scenario) and not overrides:
        return source
    return ScenarioText.read(source).with_set(overrides or {})


class ScenarioText(NamedTuple):
    """A scenario as it is written, to be checked with one list of settings after the other."""

    text: bytes
    name: str
    is_checked: bool = False

    @classmethod
    def read(cls, source: ScenarioSource) -> "ScenarioText":
        """The text of a file, of nested dictionaries, or of a checked scenario.

        Raises `LongfatError` as reading does, and for what is no value of a scenario.
        """
        if isinstance(source, Scenario):
            return cls(source.resolved.encode(), _NO_FILE, is_checked=True)
        if isinstance(source, Mapping):
            return cls(json.dumps(_plain(source, "")).encode(), _NO_FILE)
        return cls(read_bytes(Path(source)), str(source))

    def with_set(self, overrides: Mapping[str, OverrideValue]) -> Scenario:
        """The scenario with values set by path. Raises as `load_scenario` does."""
        if self.is_checked and _PRESET in overrides:
            raise LongfatError(
                f"{_PRESET}: fills in what a scenario leaves out, and a checked one leaves out "
                "nothing; set it where the scenario is loaded from its file or dictionaries"
            )
        try:
            return Scenario(_engine.resolve_scenario(self.text, self.name, _set(overrides)))
        except InvalidInput as error:
            if self.name != _NO_FILE:
                raise
            told = [_PLACE_IN_NO_FILE.sub("", problem) for problem in error.problems]
            raise InvalidInput(told) from None


def _set(overrides: Mapping[str, OverrideValue]) -> list[tuple[str, str, str]]:
    """The overrides for the engine, named in messages as the command line would have them."""
    texts = {path: _override_text(value, path) for path, value in overrides.items()}
    return [(path, text, f"--set {path}={_in_a_line(text)}") for path, text in texts.items()]


def _in_a_line(text: str) -> str:
    """What messages call a text by: its file, all of it, or how it begins if it is long."""
    if isinstance(text, TextOfFile):
        return text.said
    first, _, rest = text.partition("\n")
    is_short = not rest and len(first) <= _MOST_TOLD
    return first if is_short else f"{first[:_MOST_TOLD].rstrip()}..."


def _override_text(value: OverrideValue, path: str) -> str:
    """A value as TOML has it, but a text as it is: what it means is up to the engine."""
    return value if isinstance(value, str) else _toml(_plain(value, path))


def _plain(value: object, path: str) -> Any:
    """A value in the types that JSON and TOML have: numbers may be NumPy's, and lists arrays.

    Raises `LongfatError` for anything else, with the path at which it stands.
    """
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        return {
            str(key): _plain(below, f"{path}.{key}" if path else str(key))
            for key, below in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(item, f"{path}[{place}]") for place, item in enumerate(value)]
    if callable(as_list := getattr(value, "tolist", None)):
        return _plain(as_list(), path)
    raise LongfatError(
        f"{path}: {value!r} is no value of a scenario: texts, finite numbers, lists and tables are"
    )


def _toml(value: Any) -> str:
    """A plain value as TOML."""
    if isinstance(value, dict):
        entries = (f"{_toml(key)} = {_toml(entry)}" for key, entry in value.items())
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)

"""Scenarios: a network, its traffic, a duration and a seed; the complete input of a simulation.

Nothing is validated here: the engine alone validates scenarios.
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
    """A scenario path, the value to set there, and the place in a file (``study.toml:12:3``)."""

    path: str
    value: str
    origin: str


Overrides = tuple[Override, ...]
"""Overrides in the order in which they are applied."""


def read_overrides(documents: Sequence[Sequence[str]]) -> Overrides:
    """Convert overrides from the triples of the engine."""
    return tuple(Override(*document) for document in documents)


SeriesKey = tuple[str, int]
"""A scenario's hash and seed, which all replications of a run share."""


_MOST_TOLD = 120
"""Longest setting, in characters, that messages quote in full."""

_PRESET = "tcp.preset"

_NO_FILE = "scenario.json"
"""Name that the engine gives to the text of a scenario passed as a Python object."""

_PLACE_IN_NO_FILE = re.compile(rf"^{re.escape(_NO_FILE)}(:\d+:\d+)?: ")
"""A position in that generated text; removed from messages, as the path locates the error."""


class Scenario:
    """A checked scenario as canonical JSON: every default filled in, integers in base units."""

    def __init__(
        self, resolved: str, scenario_hash: str | None = None, seed: int | None = None
    ) -> None:
        self.resolved = resolved
        if scenario_hash is not None:
            self.hash = scenario_hash  # computed with the text
        if seed is not None:
            self.seed = seed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.resolved == other.resolved

    def __hash__(self) -> int:
        return hash(self.resolved)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Resolved scenario as nested dictionaries; units are in the keys (`duration_ps`)."""
        return _settings(self.resolved)

    @cached_property
    def seed(self) -> int:
        """Seed of the run."""
        seed: int = self.settings["seed"]
        return seed

    @cached_property
    def replication(self) -> int:
        """Number of the replication."""
        replication: int = self.settings["replication"]
        return replication

    @cached_property
    def simulated_seconds(self) -> float:
        """Duration of the simulation in simulated seconds."""
        duration_ps: int = self.settings["duration_ps"]
        return duration_ps / PICOSECONDS_PER_SECOND

    @cached_property
    def hash(self) -> str:
        """SHA-256 (hex) of the scenario without seed and replication."""
        return _engine.scenario_hash(self.resolved)

    @cached_property
    def run_id(self) -> str:
        """Id of the run: SHA-256 (hex) of scenario, seed, replication and model number."""
        return _engine.run_id(self.resolved)

    @property
    def series(self) -> SeriesKey:
        """Key shared by all replications of this scenario: its hash and seed."""
        return self.hash, self.seed

    def __repr__(self) -> str:
        return f"<{self._words()}>"

    def _repr_html_(self) -> str:
        from longfat.base.html import element, folded, joined, table

        rows = [[path, str(value)] for path, value in leaves(self.settings)]
        said = element("p", element("b", self._words()))
        return joined([said, folded("Settings", table(["path", "value"], rows))])

    def _words(self) -> str:
        """Return the scenario in one line."""
        from_seconds = self.settings.get("measure", {}).get("from_ps", 0) / PICOSECONDS_PER_SECOND
        measured = f", measured from {from_seconds:g} s on" if from_seconds else ""
        topology = self.settings["topology"]["kind"]
        return f"Scenario {self.hash[:12]}: {topology}, {self.simulated_seconds:g} s{measured}"

    def replicated(self, replications: Sequence[int]) -> "list[Scenario]":
        """Return this scenario in several replications; resolves their common text once."""
        before, behind, run_ids, duration_ps = _engine.replicate(self.resolved, replications)
        simulated_seconds = duration_ps / PICOSECONDS_PER_SECOND
        common = _Common(before, behind, self.hash, self.seed, simulated_seconds)
        return [
            _Replication(common, number, run_id)
            for number, run_id in zip(replications, run_ids, strict=True)
        ]


def _settings(resolved: str) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(resolved)
    return settings


class _Common(NamedTuple):
    """Parts shared by all replications of a scenario: the text around the number, and the hash."""

    before: str
    behind: str
    hash: str
    seed: int
    simulated_seconds: float


class _Replication(Scenario):
    """One of up to millions of replications: builds its text and settings whenever asked."""

    def __init__(self, common: _Common, number: int, run_id: str) -> None:
        self._common = common
        self.replication = number
        self.run_id = run_id

    @property
    def resolved(self) -> str:  # type: ignore[override]
        return f"{self._common.before}{self.replication}{self._common.behind}"

    @property
    def settings(self) -> dict[str, Any]:
        return _settings(self.resolved)

    @property
    def hash(self) -> str:
        return self._common.hash

    @property
    def seed(self) -> int:
        return self._common.seed

    @property
    def simulated_seconds(self) -> float:
        return self._common.simulated_seconds


ScenarioSource = Scenario | str | Path | Mapping[str, Any]
"""A scenario: validated, the path of its file, or nested dictionaries."""


def load_scenario(
    source: ScenarioSource, overrides: Mapping[str, OverrideValue] | None = None
) -> Scenario:
    """Load a scenario from a TOML or JSON file, nested dictionaries, or a `Scenario`.

    `overrides` sets values by path: ``{"topology.sources": 15, "port.buffer": "12000 cells"}``. All
    other settings of a `Scenario` stay as they are, including those that were filled in by default.
    Raises `longfat.InvalidInput` with all errors at once, and `LongfatError` for a file that cannot
    be read and for a value of a type that scenarios do not have.
    """
    if isinstance(source, Scenario) and not overrides:
        return source
    return ScenarioText.read(source).with_set(overrides or {})


class ScenarioText(NamedTuple):
    """The text of a scenario, to be resolved with one set of overrides after the other."""

    text: bytes
    name: str
    is_checked: bool = False

    @classmethod
    def read(cls, source: ScenarioSource) -> "ScenarioText":
        """Read the text of a file, of nested dictionaries, or of a `Scenario`.

        Raises `LongfatError` for a file that cannot be read, and for a value of a type that
        scenarios do not have.
        """
        if isinstance(source, Scenario):
            return cls(source.resolved.encode(), _NO_FILE, is_checked=True)
        if isinstance(source, Mapping):
            return cls(json.dumps(_plain(source, "")).encode(), _NO_FILE)
        return cls(read_bytes(Path(source)), str(source))

    def with_set(self, overrides: Mapping[str, OverrideValue]) -> Scenario:
        """Resolve the scenario with values set by path. Raises as `load_scenario` does."""
        if self.is_checked and _PRESET in overrides:
            raise LongfatError(
                f"{_PRESET}: fills in the settings that a scenario leaves out, and a loaded one "
                "has them all; set it where the scenario is loaded from its file or dictionaries"
            )
        try:
            return Scenario(_engine.resolve_scenario(self.text, self.name, _set(overrides)))
        except InvalidInput as error:
            if self.name != _NO_FILE:
                raise
            problems = [_PLACE_IN_NO_FILE.sub("", problem) for problem in error.problems]
            raise InvalidInput(problems) from None


def _set(overrides: Mapping[str, OverrideValue]) -> list[tuple[str, str, str]]:
    """Return the overrides for the engine; messages name them as the command line writes them."""
    texts = {path: override_text(value, path) for path, value in overrides.items()}
    return [(path, text, f"--set {path}={_in_a_line(text)}") for path, text in texts.items()]


def _in_a_line(text: str) -> str:
    """Return the name of a text for messages: its file, or the text, truncated if it is long."""
    if isinstance(text, TextOfFile):
        return text.said
    first, _, rest = text.partition("\n")
    is_short = not rest and len(first) <= _MOST_TOLD
    return first if is_short else f"{first[:_MOST_TOLD].rstrip()}..."


def override_text(value: OverrideValue, path: str) -> str:
    """Return a value as TOML, but a string as it is: the engine interprets it."""
    return value if isinstance(value, str) else _toml(_plain(value, path))


def _plain(value: object, path: str) -> Any:
    """Convert a value to the types of JSON and TOML; accepts NumPy's numbers and arrays.

    Raises `LongfatError` for anything else, with its path.
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
    """Return a plain value as TOML."""
    if isinstance(value, dict):
        entries = (f"{_toml(key)} = {_toml(entry)}" for key, entry in value.items())
        return f"{{ {', '.join(entries)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)

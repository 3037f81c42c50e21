"""Settings of a scenario as pairs of path and text, as in a playground's URL.

They have the syntax of `--set` (``port.policy.threshold=0.8``). The pairs become a document, the
document becomes TOML, and the engine validates the TOML.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from longfat import _engine
from longfat.base.errors import BadInput
from longfat.scenarios.resolved import leaves
from longfat.scenarios.scenario import Scenario

Settings = Mapping[str, str]
"""Values by scenario path: TOML, or bare text such as ``155.52 Mbit/s``."""

SCENARIO_FILE = "scenario.toml"
SCHEMA_VERSION = "schema_version"

DEEPEST_PATH = 16
MOST_LIST_ITEMS = 100

_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)((?:\[[0-9]+\])*)")


def scenario_of(settings: Settings) -> tuple[Scenario, str]:
    """Return the scenario of settings, and the text of its file.

    Raises `BadInput` for an invalid path, and `longfat.InvalidInput` with all errors of the
    scenario.
    """
    text = toml_of(settings)
    return Scenario(_engine.resolve_scenario(text.encode(), SCENARIO_FILE)), text


def toml_of(settings: Settings) -> str:
    """Return the text of a scenario file. Raises `BadInput` for an invalid path."""
    import tomli_w

    document = {SCHEMA_VERSION: 1}
    problems: list[str] = []
    for path, text in settings.items():
        try:
            _put(document, steps_of(path), _value(text))
        except BadInput as error:
            problems += error.problems
    if problems:
        raise BadInput(problems)
    return tomli_w.dumps(document)


def settings_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of a scenario document, in its order."""
    own = {key: value for key, value in document.items() if key != SCHEMA_VERSION}
    return {path: _text(value) for key, inner in own.items() for path, value in leaves(inner, key)}


def steps_of(path: str) -> list[str | int]:
    """Split a path into keys and list indices: ``background[0].on``.

    Raises `BadInput` if invalid.
    """
    steps: list[str | int] = []
    for piece in path.split(".", DEEPEST_PATH):
        found = _STEP.fullmatch(piece)
        if found is None:
            raise BadInput([f"{path!r} is no path of a scenario, such as port.policy.kind"])
        steps += [found[1], *(int(place) for place in re.findall(r"[0-9]+", found[2])[:2])]
    return steps


def _put(document: dict[str, Any], steps: Sequence[str | int], value: Any) -> None:
    holder: Any = document
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        empty: Any = value if following is None else [] if isinstance(following, int) else {}
        holder = _enter(holder, step, empty, steps)
    if holder is not value:
        raise BadInput([f"{shown_path(steps)}: set as a whole and in parts"])


def _enter(holder: Any, step: str | int, empty: Any, steps: Sequence[str | int]) -> Any:
    if isinstance(step, str) and isinstance(holder, dict):
        return holder.setdefault(step, empty)
    if isinstance(step, int) and isinstance(holder, list):
        if step < len(holder):
            return holder[step]
        if step == len(holder) < MOST_LIST_ITEMS:
            holder.append(empty)
            return empty
        raise BadInput([f"{shown_path(steps)}: items of a list follow each other, from [0] on"])
    raise BadInput([f"{shown_path(steps)}: set as a whole and in parts"])


def shown_path(steps: Sequence[str | int]) -> str:
    """Format a path."""
    words = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps]
    return "".join(words).removeprefix(".")


def _value(text: str) -> Any:
    """Parse a TOML value, or return the text itself, as the engine does for `--set`."""
    try:
        document = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # also from Python's own limits
        return text
    # More than one key: a text with a line break, which is not one value.
    return document["value"] if list(document) == ["value"] else text


def _text(value: Any) -> str:
    """Return the text that `_value` parses as this value."""
    import tomli_w

    if isinstance(value, str) and _value(value) == value:
        return value
    if value == {}:  # which tomli_w would write as a header
        return "{}"
    return tomli_w.dumps({"value": value}).removeprefix("value = ").rstrip("\n")

"""Scenarios that a playground begins with; the first line of each is its title."""

import tomllib
from importlib.resources import files
from typing import Any

ORDER = ("lan", "wan", "vbr", "satellite")


def presets() -> dict[str, tuple[str, dict[str, Any]]]:
    """Title and scenario document of each, by name; the first is what a playground shows."""
    found = {}
    for name in ORDER:
        text = files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        found[name] = (title, tomllib.loads(text))
    return found

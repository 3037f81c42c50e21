"""Preset scenarios of the playground; the first line of each is its title."""

import tomllib
from importlib.resources import files
from typing import Any

ORDER = (
    "bufferbloat",
    "fq-codel",
    "cubic-bbr",
    "dualpi2",
    "starlink",
    "starlink-recorded",
    "geo-proxy",
    "reno-loss",
    "md1",
    "lan",
    "wan",
    "vbr",
    "satellite",
)


def presets() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return title and document of each preset by name; the playground opens with the first."""
    found = {}
    for name in ORDER:
        text = files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
        title = text.partition("\n")[0].removeprefix("# ")
        found[name] = (title, tomllib.loads(text))
    return found

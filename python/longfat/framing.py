"""What lines carry, and so what numbers count whose names say cells. Loads nothing."""

from __future__ import annotations

TYPE_CHECKING = False  # as mypy knows it; to load typing takes as long as to start Python
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def travels_whole(settings: Mapping[str, Any]) -> bool:
    """Whether each packet of a resolved scenario is the one unit that lines carry, not cells."""
    return bool(settings["framing"]["kind"] != "aal5")


def in_units(name: str, whole: bool) -> str:
    """The name of a result in words, which say packets for cells where packets travel `whole`."""
    words = name.replace("_", " ")
    return words.replace("cell", "packet") if whole else words

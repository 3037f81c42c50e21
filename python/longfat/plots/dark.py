"""Pictures of matplotlib for a dark screen: its colours are those of a page there."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from longfat.plots.palette import DARK, DARK_PAPER, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS: Mapping[str, str] = {
    color.lower(): other for color, other in {**DARK, PAPER: DARK_PAPER}.items()
}

_PARTS = ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor")
"""Properties of artists that are colours."""


def darken(figure: "Figure") -> None:
    """Replace the colours of all that is drawn in a figure; other colours and opacity remain."""
    from matplotlib.patheffects import withStroke
    from matplotlib.text import Text

    for artist in figure.findobj():
        for part in _PARTS:
            if hasattr(artist, f"get_{part}") and hasattr(artist, f"set_{part}"):
                _replace(artist, part)
        if isinstance(artist, Text) and artist.get_path_effects():
            artist.set_path_effects([withStroke(linewidth=2, foreground=DARK_PAPER)])


def _replace(artist: Any, part: str) -> None:
    """Replace a property: one colour, or those of a collection."""
    from matplotlib.colors import to_hex, to_rgba, to_rgba_array

    found = to_rgba_array(getattr(artist, f"get_{part}")())
    others = [_COLORS.get(to_hex(color)) for color in found]
    if not any(others):
        return
    colors = [
        color if other is None else to_rgba(other, color[3])
        for color, other in zip(found, others, strict=True)
    ]
    getattr(artist, f"set_{part}")(colors[0] if len(colors) == 1 else colors)

"""Suggestions for mistyped names."""

from collections.abc import Iterable

_FEWEST_LETTERS = 2
"""Fewest letters of a beginning that stands for a name."""

_MOST_MEANT = 3
"""Most names that one beginning can mean: more are better listed."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'fairness'?` if one of the known names is close, otherwise "".

    Names are close if few letters differ, or if they begin with `name`.
    """
    from difflib import get_close_matches  # imported only after a mistake

    names = list(known)
    near = get_close_matches(name, names, n=1) or _begun(name, names)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def nearest_or_known(name: str, known: Iterable[str]) -> str:
    """Return the suggestion of `nearest`, or all known names if none is close."""
    names = list(known)
    return nearest(name, names) or f"; known: {', '.join(names) or 'none'}"


def _begun(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that begin with `name`, whatever the case."""
    short = name.lower()
    if len(short) < _FEWEST_LETTERS:
        return []
    meant = [each for each in names if each.lower().startswith(short)]
    return meant if len(meant) <= _MOST_MEANT else []

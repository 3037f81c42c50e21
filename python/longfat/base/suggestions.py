"""Suggestions for mistyped names."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'fairness'?` if one of the known names is close, otherwise ""."""
    from difflib import get_close_matches  # imported only after a mistake

    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def nearest_or_known(name: str, known: Iterable[str]) -> str:
    """Return the suggestion of `nearest`, or all known names if none is close."""
    names = list(known)
    return nearest(name, names) or f"; known: {', '.join(names) or 'none'}"

"""Names that were mistyped, and what may have been meant."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'fairness'?` when one of the known names is close, otherwise nothing."""
    from difflib import get_close_matches  # only those who err wait for it

    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def nearest_or_known(name: str, known: Iterable[str]) -> str:
    """As `nearest`, but with all the known names when none is close."""
    names = list(known)
    return nearest(name, names) or f"; known: {', '.join(names) or 'none'}"

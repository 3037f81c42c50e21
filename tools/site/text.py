"""Texts of the engine and of the command line, as Markdown."""

import re

_SPECIAL = re.compile(r"[<>*_\[\]$|#]")
_CODE = re.compile(r"(`[^`]*`)")
_CITED = re.compile(r"\b[STDVPXM]-\d\d\b")


def escaped(text: str) -> str:
    """Escape what has a meaning in Markdown, except code in backticks."""
    parts = _CODE.split(text)
    parts[::2] = [_SPECIAL.sub(lambda found: f"\\{found[0]}", part) for part in parts[::2]]
    return "".join(parts)


def cited(text: str, page: str) -> str:
    """Escape a text, and link each code of a choice, such as S-10, to the page of codes."""
    return _CITED.sub(lambda found: f"[{found[0]}]({page})", escaped(text))

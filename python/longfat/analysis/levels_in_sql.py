"""Unknown levels in SQL: ``config = 'lann'``, with a typo, is valid SQL that selects nothing."""

import re
from collections.abc import Iterator, Mapping, Sequence

from longfat.base.suggestions import nearest

_TOKEN = re.compile(
    r"""--[^\n]* | /\*.*?\*/            # comments
      | '(?:[^']|'')*' | "(?:[^"]|"")*" # texts and quoted names
      | -?\d+(?:\.\d*)?(?:[eE][-+]?\d+)? | \w+ | <> | != | == | \S""",
    re.VERBOSE | re.DOTALL,
)
_COMPARISONS = frozenset({"=", "==", "<>", "!=", "is"})


def unknown_levels(sql: str, levels: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a message for each literal that is compared with a factor and is not a level of it.

    Considers ``factor = literal``, its negations, and ``factor IN (literals)``.
    """
    tokens = [token for token in _TOKEN.findall(sql) if not token.startswith(("--", "/*"))]
    by_name = {name.lower(): (name, known) for name, known in levels.items()}
    for place, token in enumerate(tokens):
        name, known = by_name.get(token.strip('"').lower(), (token, ()))
        if not known:
            continue
        for literal in _compared_with(tokens[place + 1 :]):
            if not any(_are_equal(literal, level) for level in known):
                listed = ", ".join(known)
                yield f"{literal!r} is no level of {name}; known: {listed}{nearest(literal, known)}"


def _compared_with(tokens: Sequence[str]) -> list[str]:
    """Return the literals that a factor is compared with in the tokens after its name."""
    words = [token.lower() for token in tokens[:3]]
    if words and words[0] in _COMPARISONS:
        found = list(tokens[2:3] if words[1:2] == ["not"] else tokens[1:2])
    elif "in" in words[:1] or words[:2] == ["not", "in"]:
        start = words.index("in") + 2
        found = []
        for token in tokens[start:]:
            if token == ")":
                break
            found.append(token)
    else:
        found = []
    return [literal for token in found if (literal := _literal(token)) is not None]


def _literal(token: str) -> str | None:
    """Return the text of a literal; None for any other token."""
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    return token if re.match(r"-?\d", token) else None


def _are_equal(literal: str, level: str) -> bool:
    """Whether SQLite considers them equal in a column of NUMERIC affinity."""
    try:
        return float(literal) == float(level)
    except ValueError:
        return literal == level

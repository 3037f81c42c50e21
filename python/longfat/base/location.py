"""Locations of stores as messages show them, without passwords."""

import re

DEFAULT_STORE = "longfat.db"
"""Default path of the store."""


def shown(location: str) -> str:
    """Return a path or URL with the password of the URL masked."""
    return re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", location)


def in_commands(location: str) -> str:
    """Return the argument of --store in suggested commands, masked; empty for the default."""
    return "" if location == DEFAULT_STORE else shown(location)

"""Where a store is, as people may see it."""

import re

DEFAULT_STORE = "longfat.db"
"""Where runs are kept unless somebody says otherwise."""


def shown(location: str) -> str:
    """A path or URL without the password that a URL may have."""
    return re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", location)


def in_commands(location: str) -> str:
    """As commands name it after --store, without the password; empty for the usual store."""
    return "" if location == DEFAULT_STORE else shown(location)

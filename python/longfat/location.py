"""Where a store is, as people may see it."""

import re


def shown(location: str) -> str:
    """A path or URL without the password that a URL may have."""
    return re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", location)

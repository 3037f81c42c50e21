"""Libraries for the browser, as their makers publish them; `manifest.json` says which.

`make vendor` fetches them again from npm and compares. Nothing here is edited by hand.
"""

from importlib.resources import files


def script(name: str) -> str:
    """The text of a file of this folder, such as ``vega.min.js``."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")

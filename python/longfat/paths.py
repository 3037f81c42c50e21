"""Where the values of a scenario stand: `port.policy.threshold`, `background[0].load`."""

from collections.abc import Iterator, Mapping
from typing import Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables, also of those in lists, each with its path below `path`.

    A list of anything else is a value, and so is what is empty.
    """
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for place, item in enumerate(value):
            yield from leaves(item, f"{path}[{place}]")
    else:
        yield path, value

"""Options of importers."""

from dataclasses import dataclass

OPTIONS = ("window_ms", "elsewhere_ms", "jitter", "interval_ms", "duration_s", "between")
"""Names, as importers list those that they use."""


@dataclass(frozen=True)
class Options:
    """Options of an importer, which uses those that its `OPTIONS` lists.

    `window_ms` is the length of a window of time, None the importer's own. `elsewhere_ms` of each
    round trip are delay outside the path. `interval_ms` is the time between two measurements, None
    what the file says. A trace repeats until `duration_s`, None once. `between` has the names of
    two ground stations, None the first two.
    """

    window_ms: int | None = None
    elsewhere_ms: float = 0.0
    jitter: bool = False
    interval_ms: float | None = None
    duration_s: int | None = None
    between: str | None = None


PLAIN = Options()

"""The border between Python and the Rust engine: every name the compiled module offers.

Everything that crosses is text: TOML or JSON in, canonical JSON out. The engine is the only
judge of a scenario or a study; Python never checks a model parameter itself.
"""

from collections.abc import Callable, Sequence
from typing import Literal

ENGINE_VERSION: str
"""Version of the simulator; part of every run's identity (e.g. ``"0.1.0+model.1"``)."""

ENGINE_BUILD: str
"""Hash of the sources that this engine was built from: tells apart engines of one version."""

BUILD_PROFILE: str
"""``"release"`` or ``"debug"``: figures of speed are only meaningful for ``"release"``."""

METRICS: list[str]
"""The names of the metrics of a run."""

Override = tuple[str, str, str]
"""A scenario path, the value to set there (a TOML value or a bare text such as ``"12000 cells"``),
and where that is said, which is how messages name it."""

def resolve_scenario(text: bytes, source: str, overrides: Sequence[Override] = ()) -> str:
    """Check a scenario and fill in every default.

    ``text`` is TOML, or JSON when ``source`` ends in ``.json``; ``source`` is how messages name
    it. Returns canonical JSON: keys sorted, integers in base units.
    Raises `InvalidInput` with every error at once.
    """

def resolve_variants(
    text: bytes, source: str, variants: Sequence[Sequence[Override]]
) -> list[tuple[str, str]]:
    """`resolve_scenario` for many lists of overrides of one text; each with its `scenario_hash`."""

def resolve_each(
    text: bytes, source: str, variants: Sequence[Sequence[Override]]
) -> list[tuple[str | None, list[str]]]:
    """The texts of variants; where one is refused, None and what is wrong."""

def knobs(text: bytes, source: str, variants: Sequence[Sequence[Override]]) -> str:
    """The choices that sources leave open in a scenario with each list of overrides, as JSON.

    For each variant a list of knobs: ``path``, ``model`` (whose parameter it is, or null),
    ``value`` (as written, or the default), ``is_set`` (whether it is written), ``settings`` (the
    default and its declared alternatives) and ``doc`` (what it is, and why it is open).
    """

def scenario_hash(resolved: str) -> str:
    """SHA-256 (hex) of a resolved scenario without its seed and replication: its name."""

def run_id(resolved: str) -> str:
    """SHA-256 (hex) that names a run: scenario, seed, replication and engine version."""

def replicate(resolved: str, replications: Sequence[int]) -> tuple[str, str, list[str]]:
    """A resolved scenario in several replications, which differ in a number.

    Its text before the number, behind it, and the name of the run for each replication.
    """

def scenario_cost(resolved: str) -> tuple[float, float, str, float]:
    """What a run will cost, roughly.

    Events, bytes of memory, the path that the bytes are due to, and seconds of one core.
    """

def scenario_network(resolved: str) -> str:
    """The network of a resolved scenario as JSON: how many senders, and the managed ports.

    Of each port its name, the rate of its line, the longest round trip without queueing over it,
    its buffer, and whether it is the bottleneck.
    """

def check_study(text: bytes, source: str, scenario_text: bytes, scenario_source: str) -> str:
    """Check a study file, its factor levels against its scenario; returns it as JSON.

    Raises `InvalidInput` with every error at once.
    """

def study_scenario(text: bytes, source: str) -> str:
    """The path of the scenario that a study file names (relative to the study's folder)."""

def check_claims(text: bytes, source: str) -> str:
    """Check a file of claims, but for their SQL; returns them as JSON.

    Raises `InvalidInput` with every error at once.
    """

def compare_runs(first: str, second: str) -> str:
    """Simulate two resolved scenarios side by side until they part; where that is, as JSON.

    Releases the interpreter; Ctrl-C raises `KeyboardInterrupt`.
    """

def models() -> str:
    """Every registered model as JSON: kind, name, summary, source, parameters."""

def traces() -> str:
    """Every kind of trace as JSON: name, doc, columns with name and doc."""

def scenario_schema() -> str:
    """JSON Schema of a scenario file."""

def study_schema() -> str:
    """JSON Schema of a study file."""

def claims_schema() -> str:
    """JSON Schema of a file of claims."""

def random_block(seed: int, replication: int, component: str, index: int) -> list[int]:
    """Four random 64-bit words: block ``index`` of the stream of a component (Philox4x64-10)."""

def max_min_shares(capacity: float, demands: Sequence[float]) -> list[float]:
    """The max-min fair shares of a capacity, by progressive filling; ``inf`` is no limit.

    All in the same unit of rate. Raises `ValueError` for what is negative or not a number.
    """

def verification_checks() -> list[tuple[str, str]]:
    """Name and kind (law, example, trace) of every check of the models."""

def verify(name: str) -> str:
    """Carry out one check; JSON with its name, kind, whether it passed, and detail.

    Releases the interpreter. Raises `InvalidInput` if there is no such check.
    """

def verification_scenario(name: str) -> str:
    """The scenario that a check of kind trace runs, as JSON to be run by itself.

    Raises `InvalidInput` if the check replays no trace.
    """

def run_batch(
    resolved: Sequence[str],
    jobs: int,
    report: Callable[[list[tuple[int, str]], float], object],
    more: Callable[[int], Sequence[str]] | None = None,
    limits: tuple[int | None, float | None, int | None] = (None, None, None),
    driver: Literal["fast", "events"] = "fast",
) -> None:
    """Run resolved scenarios on ``jobs`` threads with the interpreter released.

    ``driver`` is how time is advanced: ``"fast"`` where it can be, or always by ``"events"``.
    Nothing of a record depends on it but ``work.driver`` and ``work.handed_over``.

    ``report(finished, simulated_seconds)`` is called from the calling thread at least every
    0.1 s: ``finished`` lists ``(index, outcome)`` of runs that ended since the last call, an
    outcome being JSON ``{"record": {...}}`` or ``{"failure": "message"}``; ``simulated_seconds``
    counts what all threads have simulated so far. Runs start in the order given. An exception
    out of ``report`` (or Ctrl-C) stops the batch after a moment's work on the runs in progress,
    and is raised again.

    ``more(waiting)`` is called after every report with the number of runs that wait for a thread
    and answers with runs that are to follow; no answer while none waits is the end of the batch.

    ``limits`` are events, seconds of wall time and bytes of memory of a run; one that is about to
    exceed one of them ends with a failure.
    """

def run_watched(
    resolved: str,
    traces: str | None,
    names: Sequence[str],
    error: float,
    interval_ps: int | None,
    capture: str | None,
    report: Callable[[list[tuple[int, str]], float], object],
    limits: tuple[int | None, float | None, int | None] = (None, None, None),
    driver: Literal["fast", "events"] = "fast",
) -> None:
    """`run_batch` for one resolved scenario that leaves traces, a packet capture, or both.

    ``traces`` is a folder and ``names`` the traces to write there, all if there are none; ``error``
    is how far a value may be from the truth as a share of its scale, ``interval_ps`` the length of
    an interval in which cells and bytes are counted (a thousandth of the run if None). ``capture``
    is a pcapng file. All files appear when the run is over, and only then. Raises `InvalidInput`
    for names that no trace has and for files that cannot be made.
    """

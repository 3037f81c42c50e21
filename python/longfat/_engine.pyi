"""The border between Python and the Rust engine: every name the compiled module offers.

Everything that crosses is text: TOML or JSON in, canonical JSON out. The engine is the only
judge of a scenario or a study; Python never checks a model parameter itself.
"""

from collections.abc import Callable, Sequence
from typing import Literal

MODEL: int
"""Number of the model, hashed into every run's id; it moves whenever any run's fingerprint does."""
ENGINE_VERSION: str
"""Release and model, recorded with every run, as ``release+model.number``."""

ENGINE_BUILD: str
"""Hash of the sources that this engine was built from: tells apart engines of one version."""

BUILD_PROFILE: str
"""``"release"`` or ``"debug"``: figures of speed are only meaningful for ``"release"``."""

CONTROL_HEADER: str
"""The header of the C interface of congestion controls in shared libraries."""

METRICS: list[str]
"""The names of the metrics of a run, in the order of records."""

DECLARED_METRICS: list[tuple[str, str, Literal["more", "less"] | None, bool]]
"""Of each metric in turn: name, text, which of two runs is better by it, and if it is a share."""

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
    """The network of a resolved scenario as JSON: its senders' connections, and the managed ports.

    Of each sender how many connections it has: they are numbered sender by sender.

    Of each port its name, the rate of its line, the longest round trip without queueing over it,
    its buffer, the bits on the line that fill it (null without a limit), and whether it is the
    bottleneck.
    """

def parse_time(text: str) -> int:
    """A length of time with its unit (``"10 ms"``) in picoseconds. Raises `InvalidInput`."""

def parse_size(text: str) -> int:
    """A size of data with its unit (``"2 GiB"``) in bytes. Raises `InvalidInput`."""

def check_study(text: bytes, source: str, scenario_text: bytes, scenario_source: str) -> str:
    """Check a study file, its factor levels against its scenario; returns it as JSON.

    Raises `InvalidInput` with every error at once.
    """

def study_scenario(text: bytes, source: str) -> str:
    """The path of the scenario that a study file names (relative to the study's folder)."""

def study_controls(text: bytes, source: str) -> list[tuple[str, str]]:
    """The controls that a study file names, each with its file relative to the study's folder.

    Raises `InvalidInput` where they are wrong; everything else is left to `check_study`.
    """

def provide_control(name: str, load: Callable[[], Callable[..., object]], digest: str) -> None:
    """Provide a congestion control: what is made when what `load` gives is called with parameters.

    Scenarios that are read from now on know it as `name`, with its `digest` (hex) for others.
    """

def provide_library(name: str, path: str, digest: str, load: bool) -> None:
    """Provide the control in a shared library, which is loaded at once or when it is needed.

    Raises `InvalidInput` if it is loaded and is no control.
    """

def provided_controls() -> list[tuple[str, str]]:
    """The names of the controls that are provided, each with the digest of its latest version."""

LEARNER: str
"""The control, in scenarios, of connections that are decided for (`longfat.learning`)."""

INTERVAL_NAMES: list[str]
"""The numbers of an interval, in order."""

class Episodes:
    """Scenarios that wait for decisions, each in its place (`longfat.learning` is for users).

    What is told of intervals are their numbers, agent by agent, as native floats.
    """

    def __init__(
        self, places: int, threads: int, interval_s: float, steers: str, driver: str
    ) -> None:
        """Raises `ValueError` for an interval or a name that makes no sense."""
    def begin(self, place: int, resolved: str) -> bytes:
        """Begin a scenario in a place, whose first interval passes without decisions.

        Raises `InvalidInput` for a scenario that is wrong or has no agents, and `RuntimeError` if
        it fails.
        """
    def step(self, chosen: list[int], decisions: list[float]) -> bytes:
        """Carry out decisions in the places that are chosen, and let an interval pass.

        Raises `RuntimeError` if a simulation fails.
        """
    def is_over(self, place: int) -> bool:
        """Whether nothing is to be decided in a place."""
    def capacity_bytes(self, place: int) -> float:
        """What the bottleneck of a place could carry in the interval that has passed last."""
    def finish(self, place: int) -> str:
        """Take the episode from a place; its record as JSON.

        Raises `ValueError` if there is none, and `RuntimeError` if the rest of it fails.
        """

class Window:
    """The congestion window of a connection, in bytes, while a control is asked."""

    cwnd: float
    """What may be under way: at least a segment, at most what the scenario's `cwnd_limit` says."""
    ssthresh: float
    """The slow start threshold; infinite if there is none."""
    @property
    def mss(self) -> float:
        """Maximum segment size."""
    @property
    def receiver_window(self) -> int:
        """What the receiver allows to be under way."""
    @property
    def in_slow_start(self) -> bool:
        """Whether the window is below the threshold, as the scenario has that."""
    def grow_classically(self, acknowledged: int) -> None:
        """Slow start or congestion avoidance, by the scenario's settings (RFC 5681)."""
    def grow_exponentially(self, acknowledged: int) -> None:
        """Slow start."""
    def halve(self, flight: int) -> None:
        """Threshold and window after a loss without a timeout, by the scenario's settings."""
    def halve_threshold(self, flight: int) -> None:
        """The threshold alone."""
    def collapse(self) -> None:
        """Down to one segment."""

class Progress:
    """What an acknowledgment of new data tells, outside of loss recovery."""

    @property
    def now_s(self) -> float:
        """When it has come, in seconds."""
    @property
    def acknowledged(self) -> int:
        """Bytes that it is the first to acknowledge."""
    @property
    def round_trip_s(self) -> float | None:
        """The round trip that it measures, if it measures one."""
    @property
    def one_way_delay_s(self) -> float | None:
        """How long the segment that it answers took to the receiver, in whole microseconds.

        None where segments carry no timestamps.
        """
    @property
    def smoothed_round_trip_s(self) -> float | None:
        """The average of the round trips measured so far (`SRTT` of RFC 6298)."""
    @property
    def is_paced(self) -> bool:
        """Whether segments leave at a rate."""
    @property
    def unacknowledged(self) -> int:
        """First byte not acknowledged, now."""
    @property
    def highest(self) -> int:
        """First byte never sent."""
    @property
    def window_is_used(self) -> bool:
        """Whether it was the window that has kept data back lately."""

class Delivery:
    """What any acknowledgment tells of deliveries.

    As draft-cheng-iccrg-delivery-rate-estimation-00 has it.
    """

    @property
    def now_s(self) -> float:
        """When it has come, in seconds."""
    @property
    def bytes(self) -> int:
        """Bytes that it is the first to report, acknowledged or selectively."""
    @property
    def total(self) -> int:
        """All bytes delivered so far."""
    @property
    def total_when_sent(self) -> int:
        """The same when the latest of the segments that it reports was sent."""
    @property
    def in_flight_when_sent(self) -> int:
        """Bytes in the network when that segment was sent, with it."""
    @property
    def lost_since_sent(self) -> int:
        """Bytes found to be lost since, as far as the recovery knows segment by segment."""
    @property
    def rate(self) -> float | None:
        """Bytes per second since that segment was sent, if there was time enough to tell."""
    @property
    def is_application_limited(self) -> bool:
        """Whether the application had too little to send when that segment was sent."""
    @property
    def round_trip_s(self) -> float | None:
        """The round trip of that segment, unless it was sent more than once."""
    @property
    def in_flight_before(self) -> int:
        """Bytes in the network before the acknowledgment came."""
    @property
    def in_flight(self) -> int:
        """The same now."""
    @property
    def lost(self) -> int:
        """Bytes that the recovery has come to take for lost."""
    @property
    def is_recovering(self) -> bool:
        """Whether a loss is being repaired."""
    @property
    def unacknowledged(self) -> int:
        """First byte not acknowledged."""
    @property
    def highest(self) -> int:
        """First byte never sent."""

class LostSegment:
    """A segment that the recovery has come to take for lost."""

    @property
    def now_s(self) -> float:
        """When, in seconds."""
    @property
    def begin(self) -> int:
        """Its first byte."""
    @property
    def bytes(self) -> int:
        """How many it has."""
    @property
    def in_flight_when_sent(self) -> int:
        """Bytes in the network when it was sent, with it."""
    @property
    def lost_since_sent(self) -> int:
        """Bytes found to be lost since, with it."""
    @property
    def is_application_limited(self) -> bool:
        """Whether the application had too little to send then."""
    @property
    def total(self) -> int:
        """All bytes delivered so far."""

class Chance:
    """A connection's own chance."""

    def draw(self) -> float:
        """A number from 0 to 1, without 1."""

def check_claims(text: bytes, source: str) -> str:
    """Check a file of claims, but for their SQL; returns them as JSON.

    Raises `InvalidInput` with every error at once.
    """

def readable_claims(text: bytes, source: str) -> str:
    """Those of a file of claims that can be read while others cannot, as `check_claims` has them.

    None of a file that is no text in its language.
    """

def compare_runs(first: str, second: str, wall_seconds: float | None = None) -> str:
    """Simulate two resolved scenarios side by side until they part; where that is, as JSON.

    Releases the interpreter; Ctrl-C raises `KeyboardInterrupt`. Raises `RunFailed` when it takes
    longer than `wall_seconds`.
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
    error: float | None,
    interval_ps: int | None,
    capture: str | None,
    report: Callable[[list[tuple[int, str]], float], object],
    limits: tuple[int | None, float | None, int | None] = (None, None, None),
    driver: Literal["fast", "events"] = "fast",
) -> None:
    """`run_batch` for one resolved scenario that leaves traces, a packet capture, or both.

    ``traces`` is a folder and ``names`` the traces to write there, all if there are none; ``error``
    is how far a value may be from the truth as a share of its scale (0.005 if None),
    ``interval_ps`` the length of an interval in which cells and bytes are counted (a thousandth of
    the run if None). ``capture`` is a pcapng file. All files appear when the run is over, and only
    then. Raises `InvalidInput` for names that no trace has and for files that cannot be made.
    """

"""Interface of the compiled Rust engine: all its names, with types.

Data is passed as text: TOML or JSON in, canonical JSON out. The engine alone validates scenarios
and studies; Python never checks a model parameter itself.
"""

from collections.abc import Callable, Sequence
from typing import Literal

MODEL: int
"""Number of the model, hashed into every run's id; it changes with the fingerprint of any run."""
ENGINE_VERSION: str
"""Release and model, recorded with every run, as ``release+model.number``."""

ENGINE_BUILD: str
"""Hash of the engine's sources, which distinguishes builds of one version."""

BUILD_PROFILE: str
"""``"release"`` or ``"debug"``; speed is only meaningful for ``"release"``."""

CONTROL_HEADER: str
"""The header of the C interface of congestion controls in shared libraries."""

METRICS: list[str]
"""The names of the metrics of a run, in the order of records."""

DECLARED_METRICS: list[tuple[str, str, Literal["more", "less"] | None, bool]]
"""For each metric: name, definition, which of two runs is better by it, and True for a share."""

Override = tuple[str, str, str]
"""A scenario path, its value (TOML or a bare text such as ``"12000 cells"``), and its origin, which
messages name."""

def resolve_scenario(text: bytes, source: str, overrides: Sequence[Override] = ()) -> str:
    """Validate a scenario and fill in every default.

    ``text`` is TOML, or JSON if ``source`` ends in ``.json``; messages name ``source``. Returns
    canonical JSON: keys sorted, integers in base units.

    Raises `InvalidInput` with all errors at once.
    """

def resolve_variants(
    text: bytes, source: str, variants: Sequence[Sequence[Override]]
) -> list[tuple[str, str, int]]:
    """Resolve one text with many lists of overrides; returns each with `scenario_hash` and seed."""

def resolve_each(
    text: bytes, source: str, variants: Sequence[Sequence[Override]]
) -> list[tuple[str | None, list[str]]]:
    """Resolve variants; returns each text, or None and the errors of a refused one."""

def knobs(text: bytes, source: str, variants: Sequence[Sequence[Override]]) -> str:
    """Return the knobs of a scenario with each list of overrides, as JSON.

    For each variant a list of knobs: ``path``, ``model`` (whose parameter it is, or null),
    ``value`` (as written, or the default), ``is_set`` (true if it is written), ``settings`` (the
    default and its declared alternatives) and ``doc`` (its meaning, and why it is open).
    """

def scenario_hash(resolved: str) -> str:
    """Return the SHA-256 (hex) of a resolved scenario without its seed and replication."""

def run_id(resolved: str) -> str:
    """Return the id of a run: SHA-256 (hex) of scenario, seed, replication and model."""

def replicate(resolved: str, replications: Sequence[int]) -> tuple[str, str, list[str], int]:
    """Return several replications of a resolved scenario, which differ in one number.

    The result is the text before the number, the text after it, the id of each run, and the
    duration in picoseconds.
    """

def scenario_cost(resolved: str, most_bytes: int | None = None) -> tuple[float, float, str]:
    """Estimate the cost of a run by simulating its first events: some milliseconds.

    A run whose connections alone take more than `most_bytes` is not begun, but estimated as
    `scenario_cost_if_busy` does. Returns events, bytes of memory, and the path that determines the
    bytes.
    """

def scenario_cost_if_busy(resolved: str) -> tuple[float, float, str]:
    """Estimate the cost of a run from what its lines carry if they are always busy: at once.

    Returns what `scenario_cost` returns. Most runs cost less.
    """

def scenario_seconds(
    resolved: str, most_seconds: float, clock: Callable[[], float]
) -> float | None:
    """Estimate the seconds of a run by simulating its beginning for about `most_seconds`.

    These are seconds of `clock`. Controls of users are replaced by the classical one. None if the
    beginning is large.
    """

def scenario_seconds_if_busy(resolved: str) -> float:
    """Estimate the CPU seconds of a run from the packets of its lines if these are always busy."""

def scenario_network(resolved: str) -> str:
    """Return the network of a resolved scenario as JSON: senders' connections, and managed ports.

    For each sender the number of its connections, which are numbered sender by sender. For each
    port its name, the rate of its link, the longest round trip through it without queueing, its
    buffer, the bits on the link that fill the buffer (null without a limit), and whether it is the
    bottleneck.
    """

def scenario_regrowth_s(resolved: str, segments: float, round_trip_s: float) -> float:
    """Return the seconds in which a window of `segments` regrows after a loss.

    Of the slowest connection, by its flavor's law; 0 if no window is a saw-tooth of losses.
    """

def scenario_marks(resolved: str) -> list[tuple[str, str, str, list[str]]]:
    """Return the responses to congestion marks, for each kind of connection.

    Each has the flavor, `ecn`, the response (``"none"``, ``"as-loss"`` or ``"by-share"``), and the
    echoes that convey the share of marked bytes, if the flavor responds to it.
    """

def parse_time(text: str) -> int:
    """Parse a duration with unit (``"10 ms"``) to picoseconds. Raises `InvalidInput`."""

def parse_size(text: str) -> int:
    """Parse a size with unit (``"2 GiB"``) to bytes. Raises `InvalidInput`."""

def parse_level(text: str) -> int:
    """Parse a number of decibels (``"14 dB"``) to thousandths. Raises `InvalidInput`."""

def parse_frequency(text: str) -> int:
    """Parse a frequency with unit (``"36 MHz"``) to hertz. Raises `InvalidInput`."""

def carrier_codes() -> str:
    """Return the codes of satellite carriers as JSON, a list for each choice of a scenario.

    A code has its ``name``; ``threshold_cdb``, the Es/N0 that it needs, in hundredths of a
    decibel; and ``efficiency_millionths`` of a bit per symbol.
    """

def check_study(text: bytes, source: str, scenario_text: bytes, scenario_source: str) -> str:
    """Validate a study file, with its factor levels against its scenario; returns it as JSON.

    Raises `InvalidInput` with every error at once.
    """

def study_scenario(text: bytes, source: str) -> str:
    """Return the path of a study's scenario, relative to the study's folder."""

def study_controls(text: bytes, source: str) -> list[tuple[str, str]]:
    """Return the controls of a study file, each with its file relative to the study's folder.

    Raises `InvalidInput` for errors in them; `check_study` checks everything else.
    """

def end_process_after(milliseconds: int, exit_code: int) -> None:
    """End this process after a time, without any clean-up, if it still exists then."""

def end_process_at_signals(pipe: int, milliseconds: int) -> None:
    """End this process some time after SIGTERM, SIGHUP or the second SIGINT, whatever it does.

    ``pipe`` is the reading end of the pipe to which Python writes the numbers of signals.
    """

def provide_control(name: str, load: Callable[[], Callable[..., object]], digest: str) -> None:
    """Register a congestion control for scenarios read from now on.

    `load` returns the factory, which is called with the parameters; `digest` (hex) is the version.
    """

def provide_library(name: str, path: str, digest: str, load: bool) -> None:
    """Register the control in a shared library, loaded at once or when it is needed.

    Raises `InvalidInput` if it is loaded and is no control.
    """

def provided_controls() -> list[tuple[str, str]]:
    """Return the names of registered controls, each with the digest of its latest version."""

LEARNER: str
"""Name of the control of connections that agents decide for (`longfat.learning`)."""

INTERVAL_NAMES: list[str]
"""Names of the numbers of an interval, in order."""

class Episodes:
    """Scenarios that wait for decisions, each in its place (for users: `longfat.learning`).

    Intervals are returned as their numbers, agent by agent, as native floats.
    """

    def __init__(
        self, places: int, threads: int, interval_s: float, steers: str, driver: str
    ) -> None:
        """Raise `ValueError` for an invalid interval or name."""
    def begin(self, place: int, resolved: str) -> bytes:
        """Begin a scenario in a place and simulate its first interval, which needs no decisions.

        Raises `InvalidInput` for a scenario that is invalid or has no agents, and `RuntimeError` if
        it fails.
        """
    def step(self, chosen: list[int], decisions: list[float]) -> bytes:
        """Apply decisions in the chosen places and simulate an interval.

        Raises `RuntimeError` if a simulation fails.
        """
    def is_over(self, place: int) -> bool:
        """True if the episode in a place has ended or none has begun."""
    def capacity_bytes(self, place: int) -> float:
        """Return the capacity of a place's bottleneck in the last interval, in bytes."""
    def finish(self, place: int) -> str:
        """Run the episode in a place to its end; returns its record as JSON.

        Raises `ValueError` if there is none, and `RuntimeError` if the rest of it fails.
        """

class Window:
    """The congestion window of a connection, in bytes, during a call of its control."""

    cwnd: float
    """Congestion window: at least a segment, at most the scenario's `cwnd_limit`."""
    ssthresh: float
    """Slow start threshold; infinite if there is none."""
    @property
    def mss(self) -> float:
        """Maximum segment size."""
    @property
    def receiver_window(self) -> int:
        """Receiver window in bytes."""
    @property
    def in_slow_start(self) -> bool:
        """True if the window is below the threshold, by the scenario's rule."""
    def grow_classically(self, acknowledged: int) -> None:
        """Grow by slow start or congestion avoidance, by the scenario's settings (RFC 5681)."""
    def grow_exponentially(self, acknowledged: int) -> None:
        """Grow by slow start."""
    def halve(self, flight: int) -> None:
        """Reduce threshold and window after a loss without timeout, by the scenario's settings."""
    def halve_threshold(self, flight: int) -> None:
        """Reduce the threshold only."""
    def collapse(self) -> None:
        """Reduce the window to one segment."""

class Progress:
    """An acknowledgment of new data outside of loss recovery."""

    @property
    def now_s(self) -> float:
        """When it has come, in seconds."""
    @property
    def acknowledged(self) -> int:
        """Bytes newly acknowledged."""
    @property
    def round_trip_s(self) -> float | None:
        """Round-trip sample in seconds, if it gives one."""
    @property
    def one_way_delay_s(self) -> float | None:
        """One-way delay of the acknowledged segment in seconds, to whole microseconds.

        None without timestamps.
        """
    @property
    def smoothed_round_trip_s(self) -> float | None:
        """Smoothed round trip in seconds (`SRTT` of RFC 6298)."""
    @property
    def is_paced(self) -> bool:
        """True if segments are paced."""
    @property
    def unacknowledged(self) -> int:
        """First byte not acknowledged, after this acknowledgment."""
    @property
    def highest(self) -> int:
        """First byte never sent."""
    @property
    def window_is_used(self) -> bool:
        """True if the window has limited sending recently."""

class Delivery:
    """Delivery sample of an acknowledgment.

    See draft-cheng-iccrg-delivery-rate-estimation-00.
    """

    @property
    def now_s(self) -> float:
        """When it has come, in seconds."""
    @property
    def bytes(self) -> int:
        """Bytes newly reported, cumulatively or selectively."""
    @property
    def total(self) -> int:
        """All bytes delivered so far."""
    @property
    def total_when_sent(self) -> int:
        """Bytes delivered when the latest of the reported segments was sent."""
    @property
    def in_flight_when_sent(self) -> int:
        """Bytes in flight when that segment was sent, including it."""
    @property
    def lost_since_sent(self) -> int:
        """Bytes found lost since; only by recoveries that keep a scoreboard of segments."""
    @property
    def rate(self) -> float | None:
        """Delivery rate in bytes/s since that segment was sent; None if the time is too short."""
    @property
    def is_application_limited(self) -> bool:
        """True if the application limited sending when that segment was sent."""
    @property
    def round_trip_s(self) -> float | None:
        """Round trip of that segment in seconds; None if it was retransmitted."""
    @property
    def in_flight_before(self) -> int:
        """Bytes in flight before the acknowledgment."""
    @property
    def in_flight(self) -> int:
        """Bytes in flight after the acknowledgment."""
    @property
    def lost(self) -> int:
        """Bytes newly found lost by the recovery."""
    @property
    def is_recovering(self) -> bool:
        """True during loss recovery."""
    @property
    def unacknowledged(self) -> int:
        """First byte not acknowledged."""
    @property
    def highest(self) -> int:
        """First byte never sent."""

class LostSegment:
    """A segment newly found lost by the recovery."""

    @property
    def now_s(self) -> float:
        """Time of the detection in seconds."""
    @property
    def begin(self) -> int:
        """First byte of the segment."""
    @property
    def bytes(self) -> int:
        """Length of the segment."""
    @property
    def in_flight_when_sent(self) -> int:
        """Bytes in flight when it was sent, including it."""
    @property
    def lost_since_sent(self) -> int:
        """Bytes found lost since then, including it."""
    @property
    def is_application_limited(self) -> bool:
        """True if the application limited sending when it was sent."""
    @property
    def total(self) -> int:
        """All bytes delivered so far."""

class Chance:
    """Random numbers of a connection."""

    def draw(self) -> float:
        """Draw a uniform number in [0, 1)."""

def check_claims(text: bytes, source: str) -> str:
    """Validate a file of claims, except their SQL; returns them as JSON.

    Raises `InvalidInput` with every error at once.
    """

def check_orbit(text: bytes, source: str) -> str:
    """Validate a description of orbits and fill in every default; returns it as JSON.

    Files that it names are not read. Raises `InvalidInput` with every error at once.
    """

def readable_claims(text: bytes, source: str) -> str:
    """Return the valid claims of an invalid file, in the form of `check_claims`.

    Empty if the file is not valid TOML or JSON.
    """

def compare_runs(
    first: str, second: str, wall_seconds: float | None = None, memory_bytes: int | None = None
) -> str:
    """Simulate two resolved scenarios in lockstep; returns their first divergence as JSON.

    Releases the interpreter lock; Ctrl-C raises `KeyboardInterrupt`. Raises `RunFailed` if it takes
    longer than `wall_seconds`, or if both runs together hold more than `memory_bytes`.
    """

def models() -> str:
    """Return every registered model as JSON: kind, name, summary, source, parameters."""

def traces() -> str:
    """Return every kind of trace as JSON: name, doc, columns with name and doc."""

def scenario_schema() -> str:
    """JSON Schema of a scenario file."""

def study_schema() -> str:
    """JSON Schema of a study file."""

def claims_schema() -> str:
    """JSON Schema of a file of claims."""

def orbit_schema() -> str:
    """JSON Schema of a description of orbits."""

def random_block(seed: int, replication: int, component: str, index: int) -> list[int]:
    """Return four random 64-bit words: block ``index`` of a component's stream (Philox4x64-10)."""

def max_min_shares(capacity: float, demands: Sequence[float]) -> list[float]:
    """Return the max-min fair shares of a capacity, by progressive filling.

    All in the same unit of rate; a demand of ``inf`` is unlimited. Raises `ValueError` for negative
    numbers and NaN.
    """

def student_quantile(degrees_of_freedom: float, probability: float) -> float:
    """Return the quantile of Student's t.

    Raises `ValueError` unless there are degrees of freedom and the probability is in 0 to 1.
    """

def f_tail(degrees: float, error_degrees: float, ratio: float) -> float:
    """Return the probability that Fisher's F exceeds a ratio of mean squares.

    Raises `ValueError` for a negative ratio, and without degrees of freedom.
    """

def verification_checks() -> list[tuple[str, str]]:
    """Return name and kind (law, example, trace) of every check of the models."""

def verify(name: str) -> str:
    """Run one check; returns JSON with its name, kind, whether it passed, and detail.

    Releases the interpreter lock. Raises `InvalidInput` if there is no such check.
    """

def play_script(text: str, source: str) -> str:
    """Play a script of an exchange against a sender of TCP.

    Returns JSON with the first ``failure`` (text with its line, or null), the number of
    expectations ``met``, and the ``transcript``, a list of ``time_s`` in seconds and ``what``.
    Raises `InvalidInput` for a script or settings that are not sound.
    """

def verification_scenario(name: str) -> str:
    """Return the scenario of a check of kind trace, as JSON.

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
    """Run resolved scenarios on ``jobs`` threads with the interpreter lock released.

    ``driver`` is ``"fast"``, used where it is exact, or ``"events"``. Only ``work.driver`` and
    ``work.handed_over`` of a record depend on it.

    ``report(finished, simulated_seconds)`` is called from the calling thread at least every 0.1 s:
    ``finished`` lists ``(index, outcome)`` of runs that ended since the last call, an outcome being
    JSON ``{"record": {...}}`` or ``{"failure": "message"}``; ``simulated_seconds`` is the total of
    all threads so far. Runs start in the given order. An exception from ``report`` (or Ctrl-C)
    stops the batch shortly afterwards and is raised again.

    ``more(waiting)`` is called after every report with the number of runs that wait for a thread
    and returns runs to append; the batch ends when none waits and it returns none.

    ``limits`` are events, wall seconds and bytes of memory of a run; a run that is about to exceed
    one of them fails.
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
    """Run one resolved scenario as `run_batch` does, with traces, a packet capture, or both.

    ``traces`` is a folder and ``names`` the traces to write there, all if empty; ``error`` is the
    tolerance of a value as a share of its scale (0.005 if None), ``interval_ps`` the length of an
    interval in which cells and bytes are counted (a thousandth of the run if None). ``capture`` is
    a pcapng file. All files are created when the run has ended. Raises `InvalidInput` for unknown
    traces and for files that cannot be created.
    """

def outside_connections(resolved: str) -> str:
    """Return the connections of a scenario whose ends are programs, as JSON.

    For each its number from 0 (``connection``), the hosts at its ends (``sender``, ``receiver``),
    ``mtu`` in bytes, ``is_opened_by_sender``, ``starts_ps`` and ``round_trip_ps``, without waiting.
    """

Peer = tuple[Sequence[bytes], int, bool]
"""The addresses of another host, the connection to it, and True if its data are sent here."""

class Emulation:
    """One run in real time, over interfaces of hosts that exist already."""

    def __init__(
        self,
        resolved: str,
        hosts: Sequence[tuple[str, int, Sequence[Peer]]],
        spin_ps: int,
        bound_ps: int,
        capture: str | None = None,
        traces: tuple[str, Sequence[str], float | None] | None = None,
    ) -> None:
        """Take over each host's name, the descriptor of its interface, and its ends.

        ``spin_ps`` is the time before an event in which the thread polls, ``bound_ps`` that of the
        lateness. ``traces`` are a folder, names (none for all), and the largest error.
        """

    def run(self) -> str:
        """Run to the end of the scenario, or until stopped; returns ``record`` and ``account``."""

    def stop(self) -> None:
        """End the run soon; from any thread."""

    def snapshot(self) -> str:
        """Return the state of the run as JSON: seconds, bytes of each host, queues, lateness."""

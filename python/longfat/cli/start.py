"""Entry point of `longfat`: a short run finishes without importing most of the package.

For scripts that run many small simulations: such a run takes 57 ms through click and 20 ms here, of
which 10 ms are Python's own start (`benchmarks.startup`). For the same reason the modules of a
short run do not import `typing`, which takes 3 ms, dataclasses and pathlib.

A valid and short `longfat run SCENARIO`, with no options but --set, --seed, --trace and --json, is
done here: it needs no progress bar, no limits and no explanations. Everything else goes to
`longfat.cli.program`, which starts over; tests compare the output of both.
"""

from __future__ import annotations

import os
import signal
import stat
import sys

from longfat.base.signals import at_work, interrupts_handled

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

    Part = tuple[TextIO, str]

MOST_EVENTS = 5e7
"""Most events of a short run: a fraction of a CPU second."""

MOST_MEMORY_BYTES = 2**26

MOST_SCENARIO_BYTES = 2**16


class _Asked:
    """Options of a plain run."""

    def __init__(self) -> None:
        self.location = ""
        self.overrides: dict[str, str] = {}
        self.traces: str | None = None
        self.as_json = False


def program() -> None:
    """Run the program `longfat`."""
    with interrupts_handled():
        if not _does_at_once(sys.argv[1:]):
            from longfat.cli.program import program as whole_program

            whole_program()


def _does_at_once(arguments: Sequence[str]) -> bool:
    """Do a plain run of a short simulation and return True; return False if it is anything else."""
    if arguments[:1] != ["run"] or not _prints_as_expected():
        return False
    asked = _plainly_asked(arguments[1:])
    if asked is None:
        return False
    try:
        record = _record_of_short_run(asked)
    except KeyboardInterrupt:
        print("stopped; a single run stores no partial result", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    parts = None if record is None else _shown(record, asked)
    if parts is None:
        return False
    _print(parts)
    return True


def _prints_as_expected() -> bool:
    """True if stdout is open and can encode the characters of tables."""
    attached = sys.stdout is not None and sys.stderr is not None
    return attached and sys.stdout.encoding.lower() == "utf-8"


def _plainly_asked(arguments: Sequence[str]) -> _Asked | None:
    """Parse the options of a plain run; None for any other command line."""
    from longfat.scenarios.settings import undone_by

    asked, seed = _Asked(), None
    locations = []
    left = iter(arguments)
    for word in left:
        if word == "--json":
            asked.as_json = True
        elif word == "--set":
            path, equals, value = next(left, "").partition("=")
            path, value = path.strip(), value.strip()
            if not equals or not path or value[:1] == "@" or undone_by(path, asked.overrides):
                return None
            asked.overrides[path] = value
        elif word == "--seed":
            seed = next(left, "")
            if not (seed.isascii() and seed.isdigit()):
                return None
        elif word == "--trace":
            asked.traces = next(left, "")
            if asked.traces.startswith("-") or asked.traces != os.path.normpath(asked.traces):
                return None
        elif word.startswith("-"):
            return None
        else:
            locations.append(word)
    if len(locations) != 1:
        return None
    asked.location = locations[0]
    if seed is not None:
        if "seed" in asked.overrides:
            return None
        asked.overrides["seed"] = seed
    return asked


def _record_of_short_run(asked: _Asked) -> Any:
    """Return the record of a run if its scenario is a valid file and short; None if not."""
    from longfat import _engine

    try:
        if not _is_small_file(asked.location):
            return None
        with open(asked.location, "rb") as file:  # noqa: PTH123 - pathlib takes its time to load
            text = file.read()
        named = [(path, value, f"--set {path}={value}") for path, value in asked.overrides.items()]
        resolved = _engine.resolve_scenario(text, asked.location, named)
        events, memory_bytes, *_ = _engine.scenario_cost_if_busy(resolved)
        if events > MOST_EVENTS or memory_bytes > MOST_MEMORY_BYTES:
            return None
        with at_work():
            outcome = _outcome(resolved, asked.traces)
    except (OSError, ValueError):  # `InvalidInput` of the engine is a ValueError
        return None
    import json

    return json.loads(outcome).get("record")


def _outcome(resolved: str, traces: str | None) -> str:
    from longfat import _engine

    outcomes: list[str] = []

    def collect(ended: list[tuple[int, str]], _simulated_seconds: float) -> None:
        outcomes.extend(outcome for _, outcome in ended)

    if traces is None:
        _engine.run_batch([resolved], 1, collect)
    else:
        _engine.run_watched(resolved, traces, (), None, None, None, collect)
    return outcomes[0]


def _is_small_file(location: str) -> bool:
    """True for a small regular file, which can be read again for error messages."""
    status = os.stat(location)  # noqa: PTH116
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_SCENARIO_BYTES


def _shown(record: Any, asked: _Asked) -> list[Part] | None:
    """Return a record as `longfat.cli.run` prints it; None if it needs more than plain lines."""
    from longfat.records.tables import record_json, where_traces_are

    said = [] if asked.traces is None else [(sys.stderr, f"{where_traces_are(asked.traces)}\n")]
    if asked.as_json:
        return [(sys.stdout, record_json(record)), *said]
    from longfat.records.screen import screen_tables, summary
    from longfat.report.table import table_text, width_of_output

    width, styled = width_of_output(), sys.stdout.isatty()
    parts = []
    for header, rows, *_ in screen_tables(record):
        text = table_text(header, rows, None, width, styled, close=True)
        if text is None:
            return None
        parts.append((sys.stdout, text))
    return [*parts, (sys.stderr, f"{summary(record)}\n"), *said]


def _print(parts: Sequence[Part]) -> None:
    try:
        for stream, text in parts:
            stream.write(text)
            stream.flush()
    except OSError as error:
        from longfat.cli.output import NOT_PRINTED, print_no_more

        print_no_more(error)
        sys.exit(NOT_PRINTED)

"""Where the program `longfat` begins: a short run is done before most of it would be loaded.

The command line, its options and messages take several times as long to load as Python itself, and
many scripts run one small simulation after the other. So `longfat run SCENARIO`, with no more than
--set, --seed and --json, is done here if nothing is wrong with it and if it is short; then there is
no progress to show, no limit to keep and nothing to say. Everything else is left to `longfat.cli`,
which does the same from the beginning: that both print the same is tested.
"""

from __future__ import annotations

import os
import signal
import stat
import sys

TYPE_CHECKING = False  # as mypy knows it; to load typing takes as long as to start Python
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TextIO

    Part = tuple[TextIO, str]

MOST_EVENTS = 5e7
"""A fraction of a second of one core."""

MOST_MEMORY_BYTES = 2**26

MOST_SCENARIO_BYTES = 2**16


def program() -> None:
    """What the program `longfat` does."""
    if not _does_at_once(sys.argv[1:]):
        from longfat.cli import program as whole_program

        whole_program()


def _does_at_once(arguments: Sequence[str]) -> bool:
    """Do a plain run of a short simulation; False, with nothing done, for all else."""
    if arguments[:1] != ["run"] or not _prints_as_expected():
        return False
    asked = _plainly_asked(arguments[1:])
    if asked is None:
        return False
    location, overrides, as_json = asked
    try:
        record = _record_of_short_run(location, overrides)
    except KeyboardInterrupt:
        print("stopped; of a single run nothing is kept", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    parts = None if record is None else _shown(record, as_json)
    if parts is None:
        return False
    _print(parts)
    return True


def _prints_as_expected() -> bool:
    """Whether there is somebody to print to, who reads what tables are made of."""
    attached = sys.stdout is not None and sys.stderr is not None
    return attached and sys.stdout.encoding.lower() == "utf-8"


def _plainly_asked(arguments: Sequence[str]) -> tuple[str, dict[str, str], bool] | None:
    """The scenario, what is set in it, and whether its record is to be JSON.

    None for any other option, and for one that is not as plain as it could be.
    """
    locations, overrides, as_json, seed = [], {}, False, None
    left = iter(arguments)
    for word in left:
        if word == "--json":
            as_json = True
        elif word == "--set":
            path, equals, value = next(left, "").partition("=")
            if not equals or not path.strip():
                return None
            overrides[path.strip()] = value.strip()
        elif word == "--seed":
            seed = next(left, "")
            if not (seed.isascii() and seed.isdigit()):
                return None
        elif word.startswith("-"):
            return None
        else:
            locations.append(word)
    if len(locations) != 1:
        return None
    return locations[0], overrides if seed is None else {**overrides, "seed": seed}, as_json


def _record_of_short_run(location: str, overrides: Mapping[str, str]) -> Any:
    """The record of a run, if it is one of a sound scenario in a file, is short and succeeds."""
    from longfat import _engine

    try:
        if not _is_small_file(location):
            return None
        with open(location, "rb") as file:  # noqa: PTH123 - pathlib, too, takes its time to load
            text = file.read()
        named = [(path, value, f"--set {path}={value}") for path, value in overrides.items()]
        resolved = _engine.resolve_scenario(text, location, named)
    except (OSError, ValueError, _engine.InvalidInput):
        return None
    events, memory_bytes, _ = _engine.scenario_cost(resolved)
    if events > MOST_EVENTS or memory_bytes > MOST_MEMORY_BYTES:
        return None
    import json

    outcomes: list[str] = []
    _engine.run_batch([resolved], 1, lambda ended, _: outcomes.extend(text for _, text in ended))
    return json.loads(outcomes[0]).get("record")


def _is_small_file(location: str) -> bool:
    """Whether it can be read again, by whoever explains what is wrong with it."""
    status = os.stat(location)  # noqa: PTH116
    return stat.S_ISREG(status.st_mode) and status.st_size <= MOST_SCENARIO_BYTES


def _shown(record: Any, as_json: bool) -> list[Part] | None:
    """A record as `longfat.cli.run` prints it; None if that needs more than lines of text."""
    if as_json:
        from longfat.report.record import record_json

        return [(sys.stdout, record_json(record))]
    from longfat.report.record import record_summary, record_tables
    from longfat.report.table import table_text, width_of_output

    width, styled = width_of_output(), sys.stdout.isatty()
    parts = []
    for header, rows, title, left_out in record_tables(record):
        text = table_text(header, rows, title, width, styled)
        if text is None:
            return None
        parts.append((sys.stdout, text))
        if left_out is not None:
            parts.append((sys.stderr, f"{left_out}\n"))
    return [*parts, (sys.stderr, f"{record_summary(record)}\n")]


def _print(parts: Sequence[Part]) -> None:
    try:
        for stream, text in parts:
            stream.write(text)
            stream.flush()
    except OSError as error:
        from longfat.output import NOT_PRINTED, print_no_more

        print_no_more(error)
        sys.exit(NOT_PRINTED)

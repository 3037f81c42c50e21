"""Options of the verbs that run in real time: how the thread of a run is scheduled."""

import click

from longfat.base.errors import InvalidInput

_NO_PRIORITY = "none"

_MOST_PRIORITY = 99
"""Highest real-time priority of Linux."""

_LONGEST_SPIN = "10 ms"

priority_option = click.option(
    "--priority",
    default="50",
    show_default=True,
    metavar="N",
    help="Real-time priority from 1 to 99, where the machine allows it, or none.",
)
core_option = click.option(
    "--core",
    type=click.IntRange(min=0),
    metavar="N",
    help="Run on this core only, and programs on the others.",
)
spin_option = click.option(
    "--spin",
    default="60 us",
    show_default=True,
    metavar="SPAN",
    help="Poll without sleeping for SPAN before an event is due.",
)


def priority_of(text: str) -> int | None:
    """Return the priority that an option says; None for none."""
    if text.strip().lower() == _NO_PRIORITY:
        return None
    if not text.strip().isdecimal() or not 1 <= int(text) <= _MOST_PRIORITY:
        raise click.BadParameter(
            f"{text!r}: expected a number from 1 to {_MOST_PRIORITY}, or none",
            param_hint="--priority",
        )
    return int(text)


def spin_of(text: str) -> int:
    """Return the time that `--spin` says, in picoseconds."""
    return span_of(text, "--spin", 0, _LONGEST_SPIN)


def span_of(text: str, option: str, least: int, most: str | None = None) -> int:
    """Return a time in picoseconds. Raises `click.BadParameter` for one beyond the limits."""
    from longfat import _engine

    try:
        span = _engine.parse_time(text)
    except InvalidInput as error:
        raise click.BadParameter(str(error), param_hint=option) from None
    if span < least or (most is not None and span > _engine.parse_time(most)):
        limit = f"at most {most}" if most is not None else "more than 0"
        raise click.BadParameter(f"{text!r}: {limit}", param_hint=option)
    return span

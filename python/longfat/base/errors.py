"""Exceptions of longfat, each with the exit code that the command line returns for it."""

from collections.abc import Sequence


class LongfatError(Exception):
    """Bad usage or bad input; its text is one clear message for the user."""

    exit_code = 2


class BadInput(LongfatError):
    """A file that cannot be accepted. ``problems`` holds one line for each error found."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class InvalidInput(BadInput, ValueError):
    """A scenario, a study or claims that the engine does not accept, or a number out of range."""


class RunFailed(LongfatError):
    """A simulation that stopped before its end."""

    exit_code = 1


class StoreGone(LongfatError):
    """A store that was deleted, moved, replaced or dropped while it was open."""

    exit_code = 1


class StoreDamaged(LongfatError):
    """A store that is not as it was written; `what` says where, without the advice."""

    def __init__(self, name: str, what: str, advice: str) -> None:
        super().__init__(f"{name}: damaged: {what}. {advice}")
        self.what = what


class DriverUnfit(LongfatError):
    """A scenario that the requested driver does not support."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"--driver fast: {reason}; leave it out, and the run is simulated by events"
        )


class OverLimit(LongfatError):
    """A run refused before it starts because it is estimated to exceed a limit."""


class CheckFailed(LongfatError):
    """The input is valid, but a requested check of the results fails."""

    exit_code = 3


class RecordingsDiffer(LongfatError):
    """A preset differs from recordings of Linux by more than its bands allow."""

    exit_code = 1


class SituationsFail(LongfatError):
    """A congestion control does not do what situations expect of it."""

    exit_code = 1


class Interrupted(KeyboardInterrupt):
    """Work stopped by a signal, after all finished results were stored.

    Like Python's `KeyboardInterrupt` it is no `Exception`: a loop over scenarios that catches
    failures must not continue after it.
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"stopped by signal {signal_number}")
        self.exit_code = 128 + signal_number


def check_count(what: str, count: object, least: int) -> None:
    """Raise `InvalidInput` unless `count` is None or an integer of at least `least`."""
    is_count = isinstance(count, int) and count >= least
    if count is not None and not is_count:
        raise InvalidInput([f"{what}: {count!r} is no whole number from {least} on"])

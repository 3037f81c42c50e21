"""What can go wrong, each kind with the exit code that the command line gives it."""

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


class DriverUnfit(LongfatError):
    """A scenario that the driver asked for does not know."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"--driver fast: {reason}; leave it out, and the run is simulated by events"
        )


class OverLimit(LongfatError):
    """A run that is not begun, as it would exceed a limit: the same command would fail again."""


class CheckFailed(LongfatError):
    """The input is good, but what was asked of the results does not hold."""

    exit_code = 3


class Interrupted(KeyboardInterrupt):
    """Work that a signal stopped, after everything finished had been kept.

    As Ctrl-C elsewhere in Python it is no `Exception`: a loop over scenarios that passes over those
    that fail must not go on after it.
    """

    def __init__(self, signal_number: int) -> None:
        super().__init__(f"stopped by signal {signal_number}")
        self.exit_code = 128 + signal_number


def check_count(what: str, count: object, least: int) -> None:
    """Raise `InvalidInput` for what is neither left out nor a count of at least `least`."""
    is_count = isinstance(count, int) and count >= least
    if count is not None and not is_count:
        raise InvalidInput([f"{what}: {count!r} is no whole number from {least} on"])

"""A group of commands whose modules are imported on use, so that `--help` stays fast."""

from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any

import click

from longfat.base.signals import at_work
from longfat.base.suggestions import nearest


class LazyGroup(click.Group):
    """A click group given as a mapping of verb to module; each module offers `command`."""

    def __init__(self, *args: Any, lazy: Mapping[str, str], **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._lazy = lazy

    def list_commands(self, _context: click.Context) -> list[str]:
        """Return the verbs in the given order."""
        return list(self._lazy)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a verb; an unknown one fails with the nearest known one."""
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            hint = nearest(arguments[0], self._lazy)
            if not hint:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}{hint}", context) from error

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        """Import the module of a verb; Ctrl-C raises an exception only while the verb works."""
        if name not in self._lazy:
            return None
        command: click.Command = import_module(self._lazy[name]).command
        if command.callback is not None and not isinstance(command, click.Group):
            command.callback = _at_work(command.callback)
        return command


def _at_work(callback: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(callback)
    def work(*arguments: Any, **settings: Any) -> Any:
        with at_work():
            return callback(*arguments, **settings)

    return callback if hasattr(callback, "__wrapped__") else work

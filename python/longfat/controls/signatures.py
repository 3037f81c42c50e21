"""Check that the methods of a control accept their arguments, with the place of those that do not.

Python's own error for such a call has no line of the control in its traceback, because none has
been executed yet.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "on_acknowledgment": ("window", "progress"),
    "on_loss": ("window", "flight"),
    "on_timeout": ("window", "flight"),
    "on_delivery": ("window", "delivery"),
    "on_lost_segment": ("window", "lost"),
    "on_mark": ("window", "flight"),
    "observe_marks": ("acknowledged", "marked", "unacknowledged", "highest"),
    "pacing_rate": ("window",),
    "on_opened": ("now_s", "round_trip_s"),
    "on_restart_from_idle": ("now_s",),
    "take_chance": ("chance",),
    "decide": ("interval",),
}
"""Arguments of each method of a control, in order."""


def misfits(control: type) -> Iterator[str]:
    """Yield a message for each method of a class that does not accept its arguments."""
    for name, arguments in ARGUMENTS.items():
        method = inspect.getattr_static(control, name, None)
        if not isinstance(method, FunctionType):  # other callables have no signature to check
            continue
        signature = inspect.signature(method)
        try:
            signature.bind(None, *arguments)
        except TypeError:
            place = _place(method)
            yield (
                f"{place}: {control.__name__}.{name}{signature} is called with "
                f"({', '.join(('self', *arguments))})"
            )


def maker(control: type) -> Callable[..., Any]:
    """Return a factory of the control whose errors about parameters point to its definition.

    The traceback then ends in a line of the control, as for errors that its own code raises.
    """
    begin = inspect.getattr_static(control, "__init__", None)

    def make(**parameters: float) -> Any:
        if isinstance(begin, FunctionType):
            try:
                inspect.signature(begin).bind(None, **parameters)
            except TypeError as error:
                _raise_at(begin, TypeError(f"{control.__name__}.__init__(): {error}"))
        return control(**parameters)

    return make


def _place(method: FunctionType) -> str:
    return f"{method.__code__.co_filename}:{method.__code__.co_firstlineno}"


def _raise_at(method: FunctionType, error: Exception) -> None:
    """Raise an error as if from the first line of a method, as template compilers do."""
    code = method.__code__
    text = "\n" * (code.co_firstlineno - 1) + f"def {method.__name__}(error): raise error"
    namespace: dict[str, Any] = {}
    exec(compile(text, code.co_filename, "exec"), namespace)
    namespace[method.__name__](error)

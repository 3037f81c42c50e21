"""Congestion controls of users, which scenarios name as `{ kind = "external", ... }`.

A control is a Python class, a Python file, or a shared library with a C interface. The hash of its
text is its version, and part of the ids of all runs with it. It is called for each acknowledgment,
or at intervals, as learned controls are (`longfat.learning`).
"""

import hashlib
import inspect
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from longfat import _engine
from longfat._engine import Chance, Delivery, LostSegment, Progress, Window
from longfat.base.errors import InvalidInput
from longfat.base.files import read_bytes
from longfat.controls.signatures import maker, misfits
from longfat.controls.versions import version_of

__all__ = [
    "HEADER",
    "Chance",
    "Delivery",
    "FileOfControl",
    "Interval",
    "LostSegment",
    "Progress",
    "Window",
    "control_at",
    "use_control",
]

Factory = Callable[..., Any]
"""Creates the control of one connection from its parameters, which are keyword arguments."""

LIBRARIES = frozenset({".so", ".dylib", ".dll"})
"""Suffixes of shared libraries; a version may follow (`libmine.so.1`)."""

HEADER: str = _engine.CONTROL_HEADER
"""Text of `longfat_control.h`, the interface of controls in C, C++ or Rust."""

NEEDED = ("on_acknowledgment", "on_loss", "on_timeout")
"""Required methods of a control that is called for each acknowledgment."""

NEEDED_AT_INTERVALS = ("decide", "interval_s")
"""Required members of a control that decides at intervals."""

NOT_FOR_CONTROLS = {
    "classical": "is the engine's own law",
    _engine.LEARNER: "is the agent of longfat.learning",
}
"""Reserved names, each with the reason."""


class Interval(NamedTuple):
    """Measurements of a connection in an interval, the input of a decision."""

    end_s: float
    """End of the interval, in simulated seconds."""
    delivered_bytes: float
    """Bytes newly delivered, in order or not."""
    lost_bytes: float
    """Bytes found lost; only by recoveries that keep a scoreboard of segments."""
    marked_bytes: float
    """Bytes delivered with congestion marks (ECN)."""
    round_trips: float
    """Number of round-trip samples."""
    round_trip_s: float
    """Mean round trip in s; that of the latest interval with samples, 0 before the first."""
    shortest_round_trip_s: float
    """Shortest round trip of the connection so far in s; 0 before the first."""
    in_flight_bytes: float
    """Bytes in flight at the end of the interval."""
    window_bytes: float
    """Congestion window at the end, in bytes; 0 before the first acknowledgment of data."""
    rate_bytes: float
    """Pacing rate in bytes/s; 0 without pacing."""
    losses: float
    """Number of congestion events: losses, or the first mark of a window."""
    timeouts: float
    """Number of expirations of the retransmission timer."""


def use_control(name: str, control: Factory | str | Path, *, version: str | None = None) -> None:
    """Register a congestion control under a name that scenarios can then use.

    `control` is a class or another callable that creates a control from the flavor's `parameters`,
    given as keyword arguments; or the path of a file: Python, followed by `:CLASS` if it has more
    than one control, or a shared library with the C interface of `HEADER`. A control has the
    methods `on_acknowledgment`, `on_loss` and `on_timeout`, and optionally others
    (`docs/guide/controls.md`); or `decide`, which gets an `Interval` every `interval_s` seconds and
    returns the power of two by which the window, or the rate, changes (`docs/guide/learning.md`).

    Different versions give different run ids. The version is the hash of the file's text; for a
    class also of its code with every value that the code uses (attributes, defaults, closures,
    globals); or `version` if it is given. Raises `InvalidInput` for an object that is no control
    and for a class that uses a value without a version, and `LongfatError` for a file that cannot
    be read.
    """
    if isinstance(control, str | Path):
        control_at(str(control)).provide(name, version, load=True)
        return
    if inspect.isclass(control) and (missing := _missing_of(control)):
        raise InvalidInput([f"class {control.__name__} is no control: it has no {missing[0]}"])
    if inspect.isclass(control) and (problems := list(misfits(control))):
        raise InvalidInput(problems)
    make = maker(control) if inspect.isclass(control) else control
    digest = version_of(control) if version is None else _digest(version.encode())
    _engine.provide_control(_checked(name), lambda: make, digest)


class FileOfControl(Protocol):
    """A file that contains a control."""

    @property
    def path(self) -> Path:
        """Path of the file."""

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """Register it under a name; `load` it at once, or when it is first needed.

        Raises `InvalidInput` for an invalid name, and for an invalid file, with the place.
        """


def control_at(location: str) -> FileOfControl:
    """Return the control at `FILE` or `FILE:CLASS`. Raises `LongfatError` if it cannot be read."""
    path, colon, name = location.rpartition(":")
    if colon and name.isidentifier():
        return PythonFile(Path(path), name)
    if LIBRARIES.intersection(Path(location).suffixes):
        return LibraryFile(Path(location))
    return PythonFile(Path(location), None)


class LibraryFile:
    """A shared library at `path` that contains a control."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = read_bytes(path)

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """Register the control; see `FileOfControl.provide`."""
        digest = _digest(self._text if version is None else version.encode())
        _engine.provide_library(_checked(name), str(self.path), digest, load)


class PythonFile:
    """A Python file at `path` with a control; executed when loaded or at its first use.

    The text is read and hashed once, and exactly this text is executed.
    """

    def __init__(self, path: Path, class_name: str | None) -> None:
        self.path = path
        self._class_name = class_name
        self._text = read_bytes(path)
        self._lock = threading.Lock()
        self._class: type | None = None

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """Register the control; see `FileOfControl.provide`."""
        if load:
            self.load()
        text = self._text + (self._class_name or "").encode()
        digest = _digest(text if version is None else version.encode())
        _engine.provide_control(_checked(name), lambda: maker(self.load()), digest)

    def load(self) -> type:
        """Execute the file once and return its control.

        Raises `InvalidInput` with the place of an error.
        """
        with self._lock:
            if self._class is None:
                found = self._chosen(_executed(self._text, self.path))
                if problems := list(misfits(found)):
                    raise InvalidInput(problems)
                self._class = found
            return self._class

    def _chosen(self, module: ModuleType) -> type:
        classes = {
            name: found
            for name, found in vars(module).items()
            if inspect.isclass(found) and found.__module__ == module.__name__
        }
        if self._class_name is None:
            controls = [found for found in classes.values() if not _missing_of(found)]
            if len(controls) == 1:
                return controls[0]
            raise InvalidInput([f"{self.path}: {_why_not_one(controls, classes)}"])
        if self._class_name not in classes:
            known = ", ".join(classes) or "none"
            raise InvalidInput([f"{self.path}: no class {self._class_name}; classes: {known}"])
        chosen = classes[self._class_name]
        if missing := _missing_of(chosen):
            raise InvalidInput([f"{self.path}: class {chosen.__name__} has no {missing[0]}"])
        return chosen


def _checked(name: str) -> str:
    if not name or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in name):
        raise InvalidInput([f"{name!r} is no name of a control: letters, digits, -, _ and ."])
    if name in NOT_FOR_CONTROLS:
        raise InvalidInput([f"{name!r} {NOT_FOR_CONTROLS[name]}; give the control another name"])
    return name


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _missing_of(control: type) -> list[str]:
    needed = NEEDED_AT_INTERVALS if hasattr(control, "decide") else NEEDED
    return [what for what in needed if not hasattr(control, what)]


def _why_not_one(controls: list[type], classes: dict[str, type]) -> str:
    if controls:
        names = ", ".join(control.__name__ for control in controls)
        return f"several controls ({names}); say which, as FILE:CLASS"
    nearly = [(name, missing) for name, found in classes.items() if (missing := _missing_of(found))]
    if len(nearly) == 1 and len(nearly[0][1]) < len(NEEDED):
        (name, missing) = nearly[0]
        return f"class {name} is no control: it has no {', '.join(missing)}"
    either, other = ", ".join(NEEDED), ", ".join(NEEDED_AT_INTERVALS)
    return f"no control: that is a class with {either}, or with {other}"


def _executed(text: bytes, path: Path) -> ModuleType:
    module = ModuleType(f"longfat_control_{_digest(text)[:12]}")
    module.__file__ = str(path)
    if b"\0" in text:  # on which versions of Python differ
        raise InvalidInput([f"{path}: a binary file; expected Python, or a shared library"])
    try:
        exec(compile(text, str(path), "exec"), vars(module))  # the user's own code
    except SyntaxError as error:
        place = "" if error.lineno is None else f":{error.lineno}:{error.offset}"
        raise InvalidInput([f"{path}{place}: {error.msg}"]) from None
    except (Exception, SystemExit) as error:  # a file that exits must not end longfat
        what = f"{type(error).__name__}: {error}"
        raise InvalidInput([f"{path}{_line_of(error, path)}: {what}"]) from error
    return module


def _line_of(error: BaseException, path: Path) -> str:
    """Return the innermost line of a file in an exception's traceback, as ":LINE" for messages."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f":{lines[-1]}" if lines else ""

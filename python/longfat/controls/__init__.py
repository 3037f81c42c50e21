"""Congestion controls of one's own, which scenarios name as `{ kind = "external", ... }`.

A control is a class in Python, in a file or not. What tells one version of it from another is a
hash of its text, which becomes part of the names of all runs with it. It hears of each
acknowledgment, or decides at intervals as those do that are learned (`longfat.learning`).
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
"""What makes the control of one connection, given its parameters by name."""

LIBRARIES = frozenset({".so", ".dylib", ".dll"})
"""What the names of shared libraries have at their ends (`libmine.so.1`)."""

HEADER: str = _engine.CONTROL_HEADER
"""`longfat_control.h`, with which a control in C, C++ or Rust is written."""

NEEDED = ("on_acknowledgment", "on_loss", "on_timeout")
"""The methods that a control must have that hears of each acknowledgment."""

NEEDED_AT_INTERVALS = ("decide", "interval_s")
"""What a control must have that decides at intervals."""

NOT_FOR_CONTROLS = {
    "classical": "is the engine's own",
    _engine.LEARNER: "waits for decisions from longfat.learning",
}
"""Names that mean something else."""


class Interval(NamedTuple):
    """What the acknowledgments of an interval have told a connection: what decisions rest on."""

    end_s: float
    """When it ended, in seconds."""
    delivered_bytes: float
    """What was newly delivered, in order or not."""
    lost_bytes: float
    """What was found to be lost, by a recovery that knows segment by segment."""
    marked_bytes: float
    """What was delivered with marks of congestion."""
    round_trips: float
    """How many round trips were measured."""
    round_trip_s: float
    """Their mean; that of the last interval that had any, and 0 before there was one."""
    shortest_round_trip_s: float
    """The shortest of the connection so far; 0 before there was one."""
    in_flight_bytes: float
    """What is in the network at the end."""
    window_bytes: float
    """The congestion window at the end; 0 before the first acknowledgment of data."""
    rate_bytes: float
    """Bytes a second at which segments leave; 0 if they leave as the window allows."""
    losses: float
    """How often a loss, or a mark that was the first of its window, asked for less."""
    timeouts: float
    """How often the retransmission timer has expired."""


def use_control(name: str, control: Factory | str | Path, *, version: str | None = None) -> None:
    """Provide a congestion control under a name: from now on scenarios can be run that have it.

    `control` is a class, or anything else that makes a control when it is called with the numbers
    of the flavor's `parameters` by name; or the path of a file: Python, followed by `:CLASS` if
    more than one class in it is a control, or a shared library with the C interface of `HEADER`.
    A control has the methods `on_acknowledgment`, `on_loss` and `on_timeout`, and others if it
    likes (`docs/guide/controls.md`); or `decide`, which is given an `Interval` every `interval_s`
    seconds, and gives the power of two by which the window changes, or the rate
    (`docs/guide/learning.md`).

    Runs of two versions have different names: what counts is the text of the file; of a class its
    code with all that it goes by (attributes, defaults, closures, globals) and the text of its file
    if it is in one; or `version` if it is given. Raises `InvalidInput` for what is no control and
    for a class that goes by what has no version, and `LongfatError` for a file that cannot be read.
    """
    if isinstance(control, str | Path):
        control_at(str(control)).provide(name, version, load=True)
        return
    if inspect.isclass(control) and (missing := _lacking(control)):
        raise InvalidInput([f"class {control.__name__} is no control: it lacks {missing[0]}"])
    if inspect.isclass(control) and (problems := list(misfits(control))):
        raise InvalidInput(problems)
    make = maker(control) if inspect.isclass(control) else control
    told = version_of(control) if version is None else _digest(version.encode())
    _engine.provide_control(_checked(name), lambda: make, told)


class FileOfControl(Protocol):
    """A file that a control is in."""

    @property
    def path(self) -> Path:
        """Where it is."""

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """Provide it under a name; loaded at once, or when it is first needed.

        Raises `InvalidInput` for no name, and where the file is wrong, with the place.
        """


def control_at(location: str) -> FileOfControl:
    """The control at `FILE` or `FILE:CLASS`. Raises `LongfatError` if it cannot be read."""
    path, colon, name = location.rpartition(":")
    if colon and name.isidentifier():
        return PythonFile(Path(path), name)
    if LIBRARIES.intersection(Path(location).suffixes):
        return LibraryFile(Path(location))
    return PythonFile(Path(location), None)


class LibraryFile:
    """A shared library with a control, at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._text = read_bytes(path)

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """As `FileOfControl.provide`."""
        digest = _digest(self._text if version is None else version.encode())
        _engine.provide_library(_checked(name), str(self.path), digest, load)


class PythonFile:
    """A file at `path` with a control, executed when it is loaded or the first control is made.

    What is executed is the text that was read, and hashed, at the beginning.
    """

    def __init__(self, path: Path, class_name: str | None) -> None:
        self.path = path
        self._class_name = class_name
        self._text = read_bytes(path)
        self._lock = threading.Lock()
        self._class: type | None = None

    def provide(self, name: str, version: str | None = None, *, load: bool = False) -> None:
        """As `FileOfControl.provide`."""
        if load:
            self.load()
        text = self._text + (self._class_name or "").encode()
        digest = _digest(text if version is None else version.encode())
        _engine.provide_control(_checked(name), lambda: maker(self.load()), digest)

    def load(self) -> type:
        """Execute the file, once. Raises `InvalidInput` where it is wrong, with the place."""
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
            controls = [found for found in classes.values() if not _lacking(found)]
            if len(controls) == 1:
                return controls[0]
            raise InvalidInput([f"{self.path}: {_why_not_one(controls, classes)}"])
        if self._class_name not in classes:
            known = ", ".join(classes) or "none"
            raise InvalidInput([f"{self.path}: no class {self._class_name}; classes: {known}"])
        chosen = classes[self._class_name]
        if missing := _lacking(chosen):
            raise InvalidInput([f"{self.path}: class {chosen.__name__} lacks {missing[0]}"])
        return chosen


def _checked(name: str) -> str:
    if not name or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in name):
        raise InvalidInput([f"{name!r} is no name of a control: letters, digits, -, _ and ."])
    if name in NOT_FOR_CONTROLS:
        raise InvalidInput([f"{name!r} {NOT_FOR_CONTROLS[name]}; give the control another name"])
    return name


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


def _lacking(control: type) -> list[str]:
    needed = NEEDED_AT_INTERVALS if hasattr(control, "decide") else NEEDED
    return [what for what in needed if not hasattr(control, what)]


def _why_not_one(controls: list[type], classes: dict[str, type]) -> str:
    if controls:
        names = ", ".join(control.__name__ for control in controls)
        return f"several controls ({names}); say which, as FILE:CLASS"
    nearly = [(name, lacking) for name, found in classes.items() if (lacking := _lacking(found))]
    if len(nearly) == 1 and len(nearly[0][1]) < len(NEEDED):
        (name, lacking) = nearly[0]
        return f"class {name} is no control: it lacks {', '.join(lacking)}"
    either, other = ", ".join(NEEDED), ", ".join(NEEDED_AT_INTERVALS)
    return f"no control: that is a class with {either}, or with {other}"


def _executed(text: bytes, path: Path) -> ModuleType:
    module = ModuleType(f"longfat_control_{_digest(text)[:12]}")
    module.__file__ = str(path)
    if b"\0" in text:  # of which Python's versions say different things
        raise InvalidInput([f"{path}: a binary file; expected Python, or a shared library"])
    try:
        exec(compile(text, str(path), "exec"), vars(module))  # the user's own code
    except SyntaxError as error:
        place = "" if error.lineno is None else f":{error.lineno}:{error.offset}"
        raise InvalidInput([f"{path}{place}: {error.msg}"]) from None
    except (Exception, SystemExit) as error:  # what a file ends is not longfat
        what = f"{type(error).__name__}: {error}"
        raise InvalidInput([f"{path}{_line_of(error, path)}: {what}"]) from error
    return module


def _line_of(error: BaseException, path: Path) -> str:
    """The innermost line of a file that an exception came through, as messages name it."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    return f":{lines[-1]}" if lines else ""

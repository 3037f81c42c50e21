"""Version hash of a control that is a class or a function.

It covers the code and every value that the code uses: attributes, defaults, closures, the globals
it names, and so on; for libraries only their names. Objects with opaque contents, such as a lock or
an open file, have no version: nothing is guessed. Line numbers and comments do not count.
"""

import copyreg
import dis
import functools
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from longfat.base.errors import InvalidInput
from longfat.base.files import read_bytes

Part = tuple[str, object]
"""A name and a value on which another depends; the name may be empty."""

_PLAIN = frozenset({bool, bytes, complex, float, str, type(None), type(...), range})
"""Types whose values `repr` describes completely."""

_IRRELEVANT = frozenset({
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__",
    "__annotations_cache__", "__dict__", "__doc__", "__firstlineno__", "__module__",
    "__orig_bases__", "__parameters__", "__qualname__", "__static_attributes__",
    "__type_params__", "__weakref__", "_abc_impl",
})  # fmt: skip
"""Attributes of classes without influence on the behavior of instances."""

_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})

_Cached = type(functools.cache(len))

_COMPILED = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType)


def version_of(control: Callable[..., object]) -> str:
    """Return the version of a control as SHA-256 (hex), which covers the text of its file if any.

    Raises `InvalidInput`, with the place, for one that uses a value without a version.
    """
    name = getattr(control, "__qualname__", type(control).__qualname__)
    walk = _Walk()
    try:
        return _joined("control", [name.encode(), _text_of(control), walk.digest(control)]).hex()
    except (_Opaque, RecursionError) as opaque:
        where = "".join(f"{part}: " for part in walk.path)
        what = opaque if isinstance(opaque, _Opaque) else "nested too deeply"
        problem = f"{name}: {where}{what}: its version cannot be determined"
        raise InvalidInput([f'{problem}; pass it: use_control(..., version="1")']) from None


def _text_of(control: Callable[..., object]) -> bytes:
    """Return the text of the file that defines a control; empty if there is none."""
    try:
        file = inspect.getsourcefile(control)
    except (OSError, TypeError):  # without a file, as in a notebook
        return b""
    return read_bytes(Path(file)) if file is not None and Path(file).is_file() else b""


class _Opaque(Exception):
    """A value with opaque contents, which has no version."""


class _Walk:
    """Digests of values with all the values on which they depend."""

    def __init__(self) -> None:
        self.path: list[str] = []
        """Names from the control to the current value, or to the one that failed."""
        self._within: dict[int, int] = {}
        self._known: dict[int, bytes] = {}
        self._kept: list[object] = []  # keeps ids unique

    def digest(self, value: object) -> bytes:
        """Return the digest of a value. Raises `_Opaque`."""
        if type(value) is int:
            return _joined("int", [b"%x" % value])
        if type(value) in _PLAIN:
            return _joined(type(value).__name__, [repr(value).encode()])
        identity = id(value)
        if identity in self._within:  # a cycle, such as a class named in its own method
            depth = len(self._within) - self._within[identity]
            return _joined("within", [str(depth).encode()])
        if identity not in self._known:
            self._kept.append(value)
            self._within[identity] = len(self._within)
            self._known[identity] = self._digest_of_parts(value)
            del self._within[identity]
        return self._known[identity]

    def _digest_of_parts(self, value: object) -> bytes:
        kind, parts = _parts_of(value)
        digests = []
        for name, part in parts:
            self.path += [name] if name else []
            digests.append(_joined(name, [self.digest(part)]))
            del self.path[len(self.path) - bool(name) :]
        return _joined(kind, sorted(digests) if isinstance(value, set | frozenset) else digests)


def _joined(kind: str, digests: list[bytes]) -> bytes:
    joined = hashlib.sha256(kind.encode())
    for digest in digests:
        joined.update(b"%d:" % len(digest))
        joined.update(digest)
    return joined.digest()


def _parts_of(value: Any) -> tuple[str, Iterator[Part]]:
    """Return the kind of a value and the parts on which it depends. Raises `_Opaque`."""
    kind = type(value).__name__
    if isinstance(value, CodeType):
        return kind, iter(_of_code(value))
    if isinstance(value, ModuleType):
        return kind, iter(_of_module(value))
    if isinstance(value, type | FunctionType) and _is_of_library(value):
        return "library", iter([("", f"{value.__module__}.{value.__qualname__}")])
    if isinstance(value, FunctionType):
        return kind, _of_function(value)
    if isinstance(value, type):
        return "class", _of_class(value)
    if isinstance(value, MethodType):
        return kind, iter([("", value.__func__), ("self", value.__self__)])
    if isinstance(value, _COMPILED):
        return kind, iter(_of_compiled(value))
    if isinstance(value, MemberDescriptorType | GetSetDescriptorType):
        return kind, iter([("", value.__name__)])
    if type(value) in _READERS:
        return kind, iter([("", part) for part in _READERS[type(value)](value)])
    if type(value) in (list, tuple, set, frozenset):
        return kind, (("", item) for item in value)
    if type(value) in (dict, MappingProxyType):
        return "dict", (("", item) for item in value.items())
    return "object", iter(_of_object(value))


_READERS: Mapping[type, Callable[[Any], tuple[object, ...]]] = {
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
    property: attrgetter("fget", "fset", "fdel"),
    functools.cached_property: attrgetter("func", "attrname"),
    _Cached: lambda value: (value.__wrapped__, value.cache_parameters()),
}
"""Attributes on which wrappers of functions depend."""


def _of_code(code: CodeType) -> list[Part]:
    """Return the parts of a code object without its line numbers."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    texts = (code.co_code, code.co_exceptiontable)
    return [("", part) for part in (counts, names, texts, code.co_consts)]


def _of_function(function: FunctionType) -> Iterator[Part]:
    yield "", function.__code__
    yield "", function.__defaults__
    yield "", function.__kwdefaults__
    yield from sorted(vars(function).items())
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, _of_cell(cell)
    if not _is_library(function.__globals__.get("__name__")):
        for name in sorted(set(_globals_of(function.__code__)) & function.__globals__.keys()):
            yield name, function.__globals__[name]


def _of_cell(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # still empty
        return ...


def _globals_of(code: CodeType) -> Iterator[str]:
    """Yield the names of globals that a code object and its nested code objects read."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in _GLOBALS:
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals_of(constant)


def _of_class(given: type) -> Iterator[Part]:
    yield "", given.__qualname__
    yield "", type(given)
    yield "", given.__bases__
    yield from sorted(
        (name, value) for name, value in vars(given).items() if name not in _IRRELEVANT
    )


def _of_module(module: ModuleType) -> list[Part]:
    """Return a module's name, and the text of its file unless it is of a library."""
    name: str = module.__name__
    if _is_library(name):
        return [("", name)]
    file = getattr(module, "__file__", None)
    if file is None or not Path(file).is_file():
        raise _Opaque(f"the module {name} has no file")
    return [("", name), ("", read_bytes(Path(file)))]


def _of_compiled(function: Any) -> list[Part]:
    """Return the name of a compiled function of a library. Raises `_Opaque` for any other."""
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, ModuleType):
        return [("", function.__name__), ("self", owner)]
    module = getattr(function, "__objclass__", function).__module__
    if not _is_library(module):
        raise _Opaque(f"{function.__qualname__} is compiled")
    return [("", f"{module}.{function.__qualname__}")]


def _of_object(value: object) -> list[Part]:
    """Return the parts of any other object: its pickled form."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        reduced: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
    except Exception as error:
        raise _Opaque(f"a value of type {type(value).__name__}") from error
    if isinstance(reduced, str):  # the name of a global variable
        module = getattr(value, "__module__", type(value).__module__)
        if not _is_library(module):
            raise _Opaque(f"{module}.{reduced}")
        return [("", f"{module}.{reduced}")]
    state, items, pairs = (*reduced[2:5], None, None, None)[:3]
    has_names = isinstance(state, dict) and all(isinstance(name, str) for name in state)
    attributes = sorted(state.items()) if has_names else [("", state)]
    contents = [("", list(items or ())), ("", list(pairs or ()))]
    return [("", reduced[0]), ("", reduced[1]), *attributes, *contents]


def _is_of_library(value: type | FunctionType) -> bool:
    """True if a library has this object under its name."""
    if not _is_library(value.__module__):
        return False
    found: object = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is value


@functools.cache
def _is_library(module: object) -> bool:
    """True if a module is part of Python, of longfat or of an installed package."""
    if not isinstance(module, str):  # code from `exec` may have anything there
        return False
    if module.partition(".")[0] in (*sys.stdlib_module_names, "longfat"):
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)

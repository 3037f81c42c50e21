"""Reading and writing whole files, with one clear message when that fails."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longfat.base.errors import LongfatError

_ANYBODY_WRITES = 0o222


MOST_BYTES = 2**28
"""Largest file that is read as a whole; scenarios and studies have kilobytes, logs megabytes."""

_PART_BYTES = 2**20

_AT_ONCE: int = getattr(os, "O_NONBLOCK", 0)
"""Does not wait for the writer of a named pipe; Windows has none among its files."""

_OPENED_BY_SHELLS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Beginnings of the paths of pipes that a shell has opened, as `<(command)` does."""


def read_bytes(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the bytes of a regular file, or of a pipe that the shell has opened.

    Raises `LongfatError` if it is absent, unreadable, anything else, or larger than `most_bytes`.
    """
    with _one_message(path), open(_opened(path, most_bytes), "rb") as file:
        content = bytearray()
        # In parts: a single read would allocate all that it may return.
        while part := file.read(_PART_BYTES):
            content += part
            if len(content) > most_bytes:
                raise _too_large(path, most_bytes)
    return bytes(content)


def check_regular(path: Path, most_bytes: int) -> None:
    """Raise `LongfatError` unless `path` is a regular file of at most `most_bytes`."""
    with _one_message(path):
        os.close(_opened(path, most_bytes))


def refuse_special(path: Path) -> None:
    """Raise `LongfatError` for a named pipe, a device or a socket, on which opening may wait."""
    with _one_message(path):
        kind = stat.S_IFMT(path.stat().st_mode) if os.path.lexists(path) else 0
    if kind in _KINDS:
        raise LongfatError(f"{path}: {_KINDS[kind]}; expected a regular file")


def _opened(path: Path, most_bytes: int) -> int:
    """Return a descriptor of the file; does not wait for the writer of a named pipe."""
    is_of_shell = str(path).startswith(_OPENED_BY_SHELLS)
    descriptor = os.open(path, os.O_RDONLY | (0 if is_of_shell else _AT_ONCE))
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    is_pipe = is_of_shell and kind in (stat.S_IFIFO, stat.S_IFSOCK)
    if (kind == stat.S_IFREG or is_pipe) and status.st_size <= most_bytes:
        return descriptor
    os.close(descriptor)
    if kind == stat.S_IFDIR:
        raise LongfatError(f"{path}: is a directory")
    if kind == stat.S_IFREG:
        raise _too_large(path, most_bytes)
    raise LongfatError(f"{path}: {_KINDS.get(kind, 'no file')}; expected a regular file")


_KINDS = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


def _too_large(path: Path, most_bytes: int) -> LongfatError:
    return LongfatError(f"{path}: larger than {most_bytes / 2**20:,.0f} MiB, the most that is read")


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises `LongfatError` as `read_bytes` does, and for bytes that are not UTF-8.
    """
    return as_text(read_bytes(path), path)


def as_text(content: bytes, path: Path) -> str:
    """Decode the content of a file. Raises `LongfatError` for bytes that are not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise LongfatError(f"{path}: not UTF-8 text (byte {error.start})") from error


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path that replaces `path` when the block ends without an error.

    The replacement is atomic: a reader sees the old file or the new one. Symbolic links are
    followed; special files, such as named pipes, are written directly. The temporary path keeps the
    suffix, because writers choose their format by it. Raises `LongfatError` if the file cannot be
    written or is read-only.
    """
    import tempfile  # takes half of the start-up time of a verb that only reads

    with _one_message(path):
        target = path.resolve()
        refuse_missing_folder(target.parent, str(path))
        is_special = target.exists() and not (target.is_file() or target.is_dir())
        if target.is_file() and not target.stat().st_mode & _ANYBODY_WRITES:
            raise LongfatError(f"{path}: read-only")
        handle, name = tempfile.mkstemp(
            dir=None if is_special else target.parent, prefix=f".{path.stem}-", suffix=path.suffix
        )
        os.close(handle)
    temporary = Path(name)
    try:
        with _one_message(path):
            yield temporary
            temporary.chmod(_default_mode())
            if is_special:
                target.write_bytes(temporary.read_bytes())
            else:
                temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def refuse_missing_folder(folder: Path, name: str) -> None:
    """Raise `LongfatError` if the folder for the file `name` does not exist."""
    if not folder.exists():
        raise LongfatError(f"{name}: there is no folder {folder.resolve()}; make it first")


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _one_message(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LongfatError(f"{path}: {reason}") from error
    except ValueError as error:  # a path with a zero byte in it
        raise LongfatError(f"{str(path)!r}: {error}") from error

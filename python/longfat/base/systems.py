"""Systems that have what a verb needs, in one place; everything else works on all of them."""

import sys

from longfat.base.errors import LongfatError


def need_posix(what: str) -> None:
    """Raise `LongfatError` on Windows; `what` begins the message."""
    if sys.platform == "win32":
        raise LongfatError(
            f"{what} needs Linux or macOS; on Windows, the subsystem for Linux will do"
        )


def need_linux(what: str) -> None:
    """Raise `LongfatError` on other systems; `what` begins the message."""
    if sys.platform != "linux":
        raise LongfatError(
            f"{what} needs Linux, and this is {sys.platform}; "
            "a virtual machine or a container with Linux will do"
        )

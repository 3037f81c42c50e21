"""What becomes of output that nobody takes: a reader has left, or a disk is full."""

import errno
import os
import sys

NOT_PRINTED = 1
"""Exit code of a command whose output did not arrive."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def is_of_output(error: Exception) -> bool:
    """Whether it says that output could not be written: it is of no file by name."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _FULL


def print_no_more(error: OSError) -> None:
    """Say why output cannot be written, unless its reader has seen enough, and let go of the rest.

    Python would else try again while it ends, and complain in its own words.
    """
    if not isinstance(error, BrokenPipeError):
        print(f"cannot write the output: {error.strerror}", file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

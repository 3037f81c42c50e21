"""Failures of standard output: the reader has closed the pipe, or the disk is full."""

import errno
import os
import sys

NOT_PRINTED = 1
"""Exit code of a command whose output could not be written."""

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def is_of_output(error: Exception) -> bool:
    """True if the error is of an output stream: an `OSError` of a full disk without a file name."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _FULL


def print_no_more(error: OSError) -> None:
    """Print why output cannot be written, unless the pipe was closed, and discard what remains.

    Otherwise Python flushes again at exit and prints a message of its own.
    """
    if not isinstance(error, BrokenPipeError):
        print(f"cannot write the output: {error.strerror}", file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

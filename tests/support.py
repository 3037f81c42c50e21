"""Helpers shared by test modules."""

import subprocess
from collections.abc import Callable

Longfat = Callable[..., subprocess.CompletedProcess[str]]
"""The command line: arguments in, the ended process with its output out."""

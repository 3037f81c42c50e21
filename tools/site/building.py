"""Sphinx over the sources, with warnings as errors, and a look at every link of what it makes."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tools.site.links import broken_links, external_links
from tools.site.staging import Source, write


class Built(NamedTuple):
    """Warnings and broken links, and links that leave the site."""

    problems: list[str]
    external: list[str]


def build(sources: Mapping[str, Source], work: Path, output: Path) -> Built:
    """Build a site; `work` keeps what need not be read again the next time."""
    source, doctrees = work / "source", work / "doctrees"
    if write(source, sources):
        shutil.rmtree(doctrees, ignore_errors=True)  # links to pages that come or go are read anew
    configuration = Path(__file__).parent
    options = ["-q", "-W", "--keep-going", "-b", "html"]
    folders = ["-c", str(configuration), "-d", str(doctrees), str(source), str(output)]
    command = [sys.executable, "-m", "sphinx", *options, *folders]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    problems = [*done.stderr.splitlines(), *broken_links(output)]
    if problems or done.returncode:
        shutil.rmtree(doctrees, ignore_errors=True)
        return Built(problems or [f"sphinx ended with {done.returncode}"], [])
    return Built([], external_links(output))

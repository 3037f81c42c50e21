"""Registry of importers: a module turns files of another program into a path as it was measured.

A new importer is a module with `KIND` (what it reads, in messages), `HELP` (of its verb), `FILES`
(its arguments), `OPTIONS` (those it uses), `recognizes` and `measured`, and a line in `IMPORTERS`.
`MORE_FILES`, if it has them, are options that name further files.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from longfat.base.errors import BadInput
from longfat.schedules.kinds import kind_of
from longfat.schedules.measured import Measured
from longfat.schedules.options import PLAIN, Options
from longfat.schedules.sample import Sample, sample_of

IMPORTERS = {
    "ping": "longfat.schedules.ping",
    "lens": "longfat.schedules.lens",
    "irtt": "longfat.schedules.irtt",
    "iperf3": "longfat.schedules.iperf3",
    "nuttcp": "longfat.schedules.nuttcp",
    "flent": "longfat.schedules.flent",
    "mahimahi": "longfat.schedules.mahimahi",
    "leoreplayer": "longfat.schedules.leoreplayer",
    "hypatia": "longfat.schedules.hypatia",
    "parquet": "longfat.schedules.parquet",
    "orbit": "longfat.schedules.orbit",
}


class Importer(Protocol):
    """Interface of a module with an importer."""

    KIND: str
    HELP: str
    FILES: Sequence[str]
    OPTIONS: Sequence[str]

    def recognizes(self, sample: Sample, /) -> bool:
        """Return whether the beginning of a file is of this kind."""

    def measured(self, files: Mapping[str, Sample], options: Options, /) -> Measured:
        """Return the path; `files` are by argument. Raises `BadInput` for other files."""


def importer(name: str) -> Importer:
    """Return the importer of this name."""
    return cast("Importer", import_module(IMPORTERS[name]))


def more_files(name: str) -> Mapping[str, str]:
    """Return the options of an importer that name further files, with their help."""
    found: Mapping[str, str] = getattr(importer(name), "MORE_FILES", {})
    return found


def import_files(name: str, files: Mapping[str, Path], options: Options = PLAIN) -> Measured:
    """Return the path that files of one kind describe.

    Raises `LongfatError` for a file that cannot be read, and `BadInput`, with one line, for one
    that looks like another kind, or has a mistake.
    """
    chosen = importer(name)
    samples = {argument: sample_of(path) for argument, path in files.items()}
    for sample in samples.values():
        refuse_other_kinds(sample, name)
    source = ", ".join(sample.source for sample in samples.values())
    return chosen.measured(samples, options).checked(source)


def refuse_other_kinds(sample: Sample, name: str) -> None:
    """Raise `BadInput` for a file that looks like another kind than that of an importer."""
    if importer(name).recognizes(sample):
        return
    kind = looks_like(sample)
    if kind is not None:
        expected = importer(name).KIND
        raise BadInput([f"{sample.source}: looks like {kind}; expected {expected}"])


def looks_like(sample: Sample) -> str | None:
    """Return what a file looks like and which verb reads it, or None if it is not known."""
    for name in IMPORTERS:
        if importer(name).recognizes(sample):
            return f"{importer(name).KIND}, which `longfat schedule from-{name}` reads"
    return kind_of(sample)

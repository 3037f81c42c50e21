"""One path of several schedules: delays of one, rates of another."""

from collections.abc import Sequence
from pathlib import Path

from longfat.base.errors import BadInput
from longfat.schedules import looks_like
from longfat.schedules.measured import Measured, columns_of_both, joined, quantity_of, with_notes
from longfat.schedules.sample import Sample, sample_of
from longfat.schedules.table import is_table, read_table


def join_files(paths: Sequence[Path]) -> Measured:
    """Return one path of several schedules, which are CSV.

    Of a column that several have, the first one's is taken, and a note says so. Raises
    `LongfatError` for a file that cannot be read, and `BadInput` for one that is no schedule, and
    for one of which nothing is taken.
    """
    parts = [_read(sample_of(path)) for path in paths]
    owners: dict[str, Path] = {}
    notes: list[str] = []
    for path, part in zip(paths, parts, strict=True):
        names = list(columns_of_both(part))
        if all(name in owners for name in names):
            problem = "all of its columns are those of files before; leave it out, or name it first"
            raise BadInput([f"{path}: {problem}"])
        notes += dict.fromkeys(
            f"{quantity_of(name)} is taken from {owners[name]}, not from {path}"
            for name in names
            if name in owners
        )
        owners = dict.fromkeys(names, path) | owners
    return with_notes(joined(parts), *notes)


def _read(sample: Sample) -> Measured:
    if not is_table(sample):
        kind = looks_like(sample)
        if kind is not None:
            expected = "a schedule, CSV with time_s and rate_bps, delay_s, jitter_s or loss"
            raise BadInput([f"{sample.source}: looks like {kind}; expected {expected}"])
    return read_table(sample.text, sample.source)

"""Schedules of a path joined column by column: rates of one measurement, delays of another."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longfat.base.cells import csv_lines, is_number, separator_problem
from longfat.base.errors import BadInput, few
from longfat.schedules.parquet import COLUMNS


@dataclass(frozen=True)
class Schedule:
    """Steps of a schedule: times in s, ascending, and the cells of each column as written."""

    source: str
    times_s: Sequence[float]
    columns: Mapping[str, Sequence[str]]

    def at(self, column: str, time_s: float) -> str:
        """Return the cell in force at a time: of the last step until then, or of the first."""
        return self.columns[column][max(bisect_right(self.times_s, time_s) - 1, 0)]


def read_steps(text: str, source: str) -> Schedule:
    """Read the CSV of `path.steps`. Raises `BadInput` with the lines of errors."""
    (first, header), *rows = csv_lines(text, source) or [(1, [])]
    if separated := separator_problem(header):
        raise BadInput([f"{source}:{first}: {separated}"])
    if header[:1] != ["time_s"] or len(header) == 1 or set(header) - set(COLUMNS):
        expected = "the column time_s and any of rate_bps, delay_s, jitter_s and loss"
        raise BadInput([f"{source}:{first}: expected {expected}, found {', '.join(header)}"])
    problems = [
        f"{source}:{number}: expected {len(header)} numbers for {','.join(header)}, found "
        f"{','.join(cells)[:80]}"
        for number, cells in rows
        if len(cells) != len(header) or not all(map(is_number, cells))
    ]
    if problems or not rows:
        raise BadInput(few(problems, source) or [f"{source}: no rows below the header"])
    columns = dict(zip(header, zip(*(cells for _, cells in rows), strict=True), strict=True))
    times_s = [float(cell) for cell in columns.pop("time_s")]
    for (number, _), before, after in zip(rows[1:], times_s, times_s[1:], strict=False):
        if after <= before:
            raise BadInput(
                [f"{source}:{number}: times must ascend, and {after:g} follows {before:g}"]
            )
    return Schedule(source, times_s, columns)


def joined(schedules: Sequence[Schedule]) -> str:
    """Return one schedule as CSV, with a step wherever one of the `schedules` has one.

    A column holds its value until its next step; before its first step it has that of the first.
    Raises `BadInput` for a column that two schedules have.
    """
    owners: dict[str, Schedule] = {}
    for schedule in schedules:
        for column in schedule.columns:
            if column in owners:
                both = f"{owners[column].source} and {schedule.source}"
                raise BadInput([f"{both} both have the column {column}; leave it out of one"])
            owners[column] = schedule
    names = [name for name in COLUMNS if name in owners]
    times_s = sorted({time for schedule in schedules for time in schedule.times_s})
    rows = [[f"{time!r}", *(owners[name].at(name, time) for name in names)] for time in times_s]
    return "\n".join(",".join(row) for row in [["time_s", *names], *rows])


def what_holds_on(schedules: Sequence[Schedule]) -> list[str]:
    """Return a note for each schedule whose last step is before that of the longest one."""
    end_s = max(schedule.times_s[-1] for schedule in schedules)
    return [
        f"{schedule.source}: the last step, at {schedule.times_s[-1]:g} s, holds to the end; the "
        f"longest schedule has steps until {end_s:g} s"
        for schedule in schedules
        if schedule.times_s[-1] < end_s
    ]

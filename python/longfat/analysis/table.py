"""Observations from a CSV file: columns for factors, response and replication; others ignored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longfat.analysis.experiment import Observation
from longfat.base.cells import csv_lines, is_number, separator_problem
from longfat.base.errors import BadInput, LongfatError
from longfat.base.files import read_text
from longfat.base.suggestions import nearest_or_known
from longfat.base.where import matching

REPLICATION = "replication"
"""Default name of the column that identifies replications."""


@dataclass(frozen=True)
class Columns:
    """Roles of the columns of a table; `replication` is None if no column identifies them."""

    factors: Sequence[str]
    response: str
    replication: str | None


@dataclass(frozen=True)
class Observations:
    """Observations (`rows`), and the levels of each factor in order."""

    factors: Mapping[str, Sequence[str]]
    rows: Sequence[Observation]


def load_observations(
    path: Path,
    factors: Sequence[str],
    response: str,
    replication: str | None = None,
    where: str | None = None,
) -> Observations:
    """Read the rows of a CSV for which the SQL condition `where` holds.

    Without `replication`, a column of that name is used if there is one. Raises `BadInput` with
    one line for each wrong column or cell, and `LongfatError` for a file that cannot be read.
    """
    header, lines = _lines(path)
    columns = _columns(path, header, factors, response, replication)
    if where is not None:
        lines = _selected(path, header, lines, where)
    problems: list[str] = []
    rows = []
    for number, cells in lines:
        row = dict(zip(header, cells, strict=True))
        found = list(_problems(row, columns))
        problems += [f"{path}:{number}: {problem}" for problem in found]
        if not found:
            rows.append(_observation(row, columns, f"{path}:{number}"))
    if problems:
        raise BadInput(problems)
    if not rows:
        raise LongfatError(f"{path}: no rows{f' meet {where}' if where else ''}")
    levels = {
        factor: list(dict.fromkeys(row.levels[position] for row in rows))
        for position, factor in enumerate(factors)
    }
    return Observations(levels, rows)


def columns_of(path: Path) -> Sequence[str]:
    """Return the names of the columns of a CSV. Raises as `load_observations` does."""
    header, _ = _lines(path)
    return header


def check_names(factors: Sequence[str], response: str, known: Sequence[str], source: str) -> None:
    """Raise `BadInput` for factors that are unknown, repeated, or equal to the response."""
    problems = []
    for position, factor in enumerate(factors):
        if factor not in known:
            problems.append(unknown("factor", factor, known, source))
        elif factor in factors[:position]:
            problems.append(f"factor {factor!r} is given twice")
        elif factor == response:
            problems.append(f"{factor!r} cannot be a factor and the response")
    if problems:
        raise BadInput(problems)


def unknown(kind: str, name: str, known: Sequence[str], source: str) -> str:
    """Return a message about an unknown name, with the nearest known one."""
    return f"{source}: no {kind} {name!r}{nearest_or_known(name, known)}"


_Lines = Sequence[tuple[int, Sequence[str]]]
"""Rows of cells, each with its line number."""


def _lines(path: Path) -> tuple[Sequence[str], _Lines]:
    """Read the header and all non-empty rows. Raises `BadInput` for rows of another length."""
    lines = csv_lines(read_text(path), str(path))
    if not lines:
        raise LongfatError(f"{path}: empty; a header and rows are needed")
    (_, header), *rows = lines
    if separated := separator_problem(header):
        raise BadInput([f"{path}:1: {separated}"])
    problems = [
        f"{path}:1: column {name!r} stands twice"
        for name in dict.fromkeys(header)
        if header.count(name) > 1
    ]
    problems += [
        f"{path}:{number}: {len(cells)} cells under a header of {len(header)}"
        for number, cells in rows
        if len(cells) != len(header)
    ]
    if problems:
        raise BadInput(problems)
    return header, rows


def _columns(
    path: Path,
    header: Sequence[str],
    factors: Sequence[str],
    response: str,
    replication: str | None,
) -> Columns:
    check_names(factors, response, header, str(path))
    if response not in header:
        raise BadInput([unknown("response", response, header, str(path))])
    if replication is None:
        usable = REPLICATION in header and REPLICATION not in (*factors, response)
        return Columns(factors, response, REPLICATION if usable else None)
    if replication not in header:
        raise BadInput([unknown("column", replication, header, str(path))])
    if replication in (*factors, response):
        raise BadInput([f"{replication!r} cannot be the replication and a factor or the response"])
    return Columns(factors, response, replication)


def _selected(path: Path, header: Sequence[str], lines: _Lines, where: str) -> _Lines:
    """Return the lines that meet the SQL condition; an empty cell is NULL."""
    table = [[cell or None for cell in cells] for _, cells in lines]
    try:
        return [lines[index] for index in matching(header, table, where)]
    except LongfatError as error:
        raise LongfatError(f"{path}: {error}") from error


def _problems(row: Mapping[str, str], columns: Columns) -> Iterator[str]:
    for factor in columns.factors:
        if not row[factor]:
            yield f"no level of {factor}"
    if columns.replication and not row[columns.replication]:
        yield f"no {columns.replication}"
    value = row[columns.response]
    if not value:
        yield f"no value of {columns.response}"
    elif not is_number(value):
        yield f"{columns.response} {value!r} is not a number"


def _observation(row: Mapping[str, str], columns: Columns, place: str) -> Observation:
    return Observation(
        levels=tuple(row[factor] for factor in columns.factors),
        replication=row[columns.replication] if columns.replication else None,
        value=float(row[columns.response]),
        place=place,
    )

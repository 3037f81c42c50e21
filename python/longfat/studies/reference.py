"""A paper's tables as CSV: a column per factor, a column per metric, and doubtful values.

The column `doubtful` names the metrics of the row whose printed digits are doubtful, separated by
spaces; `note` explains why. Both are optional.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from longfat.base.cells import csv_lines, is_number, separator_problem
from longfat.base.errors import BadInput
from longfat.base.files import as_text, read_bytes

Combination = tuple[tuple[str, str], ...]
"""A factor combination: (factor, level) pairs in the study's order of factors."""

Levels = Mapping[str, Sequence[str]]
"""Names of the levels of each factor, in the study's order."""

DOUBTFUL = "doubtful"
NOTE = "note"


@dataclass(frozen=True)
class ReferenceRow:
    """One row of a paper's table: a factor combination and the values printed for it, if any.

    `roundings` has half a unit of each value's last printed digit: 0.21 stands for 0.205 to 0.215.
    `members` are the combinations that a row of means averages, and empty for any other.
    """

    combination: Combination
    values: Mapping[str, float]
    doubtful: frozenset[str]
    note: str
    members: tuple[Combination, ...] = ()
    roundings: Mapping[str, float] = field(default_factory=dict)

    @property
    def simulated(self) -> tuple[Combination, ...]:
        """Factor combinations that are simulated for this row."""
        return self.members or (self.combination,)


def load_reference(path: Path, levels: Levels, metrics: Sequence[str]) -> list[ReferenceRow]:
    """Read a paper's table.

    Raises `LongfatError` for a file that cannot be read, and as `read_reference` does.
    """
    return read_reference(read_bytes(path), path, levels, metrics)


def read_reference(
    content: bytes, path: Path, levels: Levels, metrics: Sequence[str]
) -> list[ReferenceRow]:
    """Parse a paper's table; messages name it by its path.

    Raises `BadInput` with one line for each wrong column or cell, and `LongfatError` for bytes that
    are not UTF-8.
    """
    lines = iter(csv_lines(as_text(content, path), str(path)))
    first, header = next(lines, (1, []))
    problems = [
        f"{path}:{first}: {problem}" for problem in _header_problems(header, levels, metrics)
    ]
    if problems:
        raise BadInput(problems)
    rows: dict[Combination, ReferenceRow] = {}
    for number, cells in lines:
        found = list(_row_problems(header, cells, levels, metrics))
        if not found:
            row = _row(dict(zip(header, cells, strict=True)), levels, metrics)
            if row.combination in rows:
                found = ["the factor combination stands twice"]
            rows[row.combination] = row
        problems += [f"{path}:{number}: {problem}" for problem in found]
    if problems:
        raise BadInput(problems)
    return list(rows.values())


def unprinted(levels: Levels) -> list[ReferenceRow]:
    """Return the rows of a table without printed values: all levels crossed."""
    axes = [[(factor, level) for level in names] for factor, names in levels.items()]
    return [ReferenceRow(found, {}, frozenset(), "") for found in itertools.product(*axes)]


def with_members(
    rows: Sequence[ReferenceRow],
    mean_over: Set[str],
    combinations: Iterable[Combination],
    origin: Path,
    *,
    is_partial: bool = False,
) -> list[ReferenceRow]:
    """Add to rows of means the `combinations` that each averages.

    These have the row's levels, and any level of the factors `mean_over`. Raises `BadInput` for
    rows without any; `origin` is their file. If not all combinations exist (`is_partial`), these
    rows are left out.
    """
    members: dict[Combination, list[Combination]] = {}
    for combination in combinations:
        if mean_over <= dict(combination).keys():
            kept = tuple(pair for pair in combination if pair[0] not in mean_over)
            members.setdefault(kept, []).append(combination)
    lost = [row for row in rows if row.combination not in members]
    if lost and not is_partial:
        names = [" ".join(level for _, level in row.combination) for row in lost]
        raise BadInput([f"{origin}: no factor combination to average for {name}" for name in names])
    return [
        replace(row, members=tuple(members[row.combination]))
        for row in rows
        if row.combination in members
    ]


def _header_problems(
    columns: Sequence[str], levels: Levels, metrics: Sequence[str]
) -> Iterator[str]:
    if separated := separator_problem(columns):
        yield separated
        return
    known = [*levels, *metrics, DOUBTFUL, NOTE]
    for column in columns:
        if column not in known:
            yield f"unknown column {column!r}; known: {', '.join(known)}"
        elif columns.count(column) > 1:
            yield f"column {column!r} stands twice"
    for metric in metrics:
        if metric not in columns:
            yield f"no column {metric!r}, which the study compares"


def _row_problems(
    header: Sequence[str], cells: Sequence[str], levels: Levels, metrics: Sequence[str]
) -> Iterator[str]:
    if len(cells) != len(header):
        yield f"{len(cells)} cells under a header of {len(header)}"
        return
    for column, cell in zip(header, cells, strict=True):
        if column in levels and cell not in levels[column]:
            yield f"{column} {cell!r} is no level; known: {', '.join(levels[column])}"
        elif column in metrics and cell and not is_number(cell):
            yield f"{column} {cell!r} is not a number"
        elif column == DOUBTFUL:
            for metric in cell.split():
                if metric not in metrics:
                    yield f"doubtful {metric!r} is no metric; known: {', '.join(metrics)}"


def _row(cells: Mapping[str, str], levels: Levels, metrics: Sequence[str]) -> ReferenceRow:
    return ReferenceRow(
        combination=tuple((factor, cells[factor]) for factor in levels if factor in cells),
        values={metric: float(cells[metric]) for metric in metrics if cells[metric]},
        doubtful=frozenset(cells.get(DOUBTFUL, "").split()),
        note=cells.get(NOTE, ""),
        roundings={metric: _rounding(cells[metric]) for metric in metrics if cells[metric]},
    )


def _rounding(printed: str) -> float:
    """Return half a unit of the last digit of a printed number."""
    exponent = Decimal(printed).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))

"""Responses of a study: tables of metrics by factor levels, with a paper's numbers if any."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from longfat.base.errors import BadInput
from longfat.records.completions import is_time
from longfat.records.directions import LESS_IS_BETTER
from longfat.studies.design import Condition, check_number, excluded
from longfat.studies.factors import Factor
from longfat.studies.reference import (
    Combination,
    Levels,
    ReferenceRow,
    load_reference,
    unprinted,
    with_members,
)


@dataclass(frozen=True)
class Response:
    """One metric of one table, with its rows.

    `is_printed` is True if the paper prints numbers for it, and `reference` is their file. The
    levels of the factor `across` are columns; `enough` is the share of the result at its last level
    that is enough. Axes of plots end at `limits`, in the unit of the metric, and are logarithmic if
    `is_log`.
    """

    table: str
    title: str
    metric: str
    rows: Sequence[ReferenceRow]
    is_printed: bool = True
    across: str | None = None
    enough: float | None = None
    reference: str | None = None
    limits: tuple[float | None, float | None] = (None, None)
    is_log: bool = False


class _Table(NamedTuple):
    """Source of rows: a reference file or levels, and the factors that they average over."""

    reference: str | None
    levels: tuple[tuple[str, tuple[str, ...]], ...]
    mean_over: tuple[str, ...]


def read_responses(
    documents: Sequence[dict[str, Any]],
    factors: Sequence[Factor],
    where: Condition | None,
    combinations_of: Callable[[Iterable[ReferenceRow]], list[Combination]],
    file: Path,
) -> list[Response]:
    """Read the responses in a study's `file`, with their rows.

    `combinations_of` returns the simulated combinations, given the rows, from which some designs
    take them; rows of means get the combinations that they average. Rows of combinations that do
    not exist, by the design's `where`, are left out. Raises `LongfatError` for a
    reference that cannot be read and `BadInput` for an invalid one, for means without members and
    for too many rows.
    """
    rows_of_table = _load_tables(documents, factors, where, file)
    own_rows = [row for table, rows in rows_of_table.items() if not table.mean_over for row in rows]
    combinations = combinations_of(own_rows)
    for table, rows in rows_of_table.items():
        if table.mean_over:
            origin = file if table.reference is None else file.parent / table.reference
            rows_of_table[table] = with_members(
                rows, set(table.mean_over), combinations, origin, is_partial=where is not None
            )
    _check_enough(documents, file)
    return [
        Response(
            table=document["table"],
            title=document["title"],
            metric=document["metric"],
            rows=rows_of_table[_table(document, factors)],
            is_printed=document["reference"] is not None,
            across=document["across"],
            enough=document["enough"],
            reference=document["reference"],
            limits=tuple(document["limits"]),
            is_log=document["log"],
        )
        for document in documents
    ]


def _check_enough(documents: Sequence[dict[str, Any]], file: Path) -> None:
    """Raise `BadInput` for `enough` with a metric of which less is better."""
    problems = [
        f"{file}: table {document['table']}: enough: of {document['metric']} less is better, and a "
        "share of the last level's would be enough where there is more of it; leave it out"
        for document in documents
        if document["enough"] is not None
        and (is_time(document["metric"]) or document["metric"] in LESS_IS_BETTER)
    ]
    if problems:
        raise BadInput(problems)


def responses_of(combinations: Iterable[Combination]) -> list[Response]:
    """Return the responses of a study without any: efficiency and fairness of all combinations."""
    rows = [ReferenceRow(combination, {}, frozenset(), "") for combination in combinations]
    return [
        Response("design", "All factor combinations", metric, rows, is_printed=False)
        for metric in ("efficiency", "fairness")
        if rows
    ]


def _load_tables(
    documents: Sequence[dict[str, Any]],
    factors: Sequence[Factor],
    where: Condition | None,
    file: Path,
) -> dict[_Table, list[ReferenceRow]]:
    """Return the rows of each table; reads a file with several metrics once."""
    metrics_of_table: dict[_Table, list[str]] = {}
    for document in documents:
        metrics_of_table.setdefault(_table(document, factors), []).append(document["metric"])
    levels = {factor.name: list(factor.levels) for factor in factors}
    for table in metrics_of_table:
        count = math.prod(len(names) for _, names in table.levels)
        check_number(count, f"{file}: response.rows")

    def crossed(table: _Table) -> list[ReferenceRow]:
        rows = unprinted(dict(table.levels))
        if where is None or table.mean_over:
            return rows
        left_out = excluded(where, factors, [row.combination for row in rows])
        return [row for row in rows if row.combination not in left_out]

    return {
        table: crossed(table)
        if table.reference is None
        else load_reference(
            file.parent / table.reference, _without(levels, table.mean_over), metrics
        )
        for table, metrics in metrics_of_table.items()
    }


def _without(levels: Levels, averaged: Sequence[str]) -> Levels:
    return {factor: names for factor, names in levels.items() if factor not in averaged}


def _table(document: dict[str, Any], factors: Sequence[Factor]) -> _Table:
    rows = document["rows"]
    levels = tuple(
        (factor.name, tuple(factor.levels if rows[factor.name] == "all" else rows[factor.name]))
        for factor in factors
        if factor.name in rows
    )
    return _Table(document["reference"], levels, tuple(document["mean_over"]))

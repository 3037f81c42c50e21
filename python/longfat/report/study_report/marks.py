"""Marks at cells of a table whose numbers are in doubt, and the notes that explain them."""

import string
from collections.abc import Sequence
from typing import NamedTuple

from longfat.base.html import Html, element, joined
from longfat.report.markdown import curve_rows, entry_rows, part_rows
from longfat.results.caution import Caution
from longfat.results.comparison import Entry, TableComparison
from longfat.results.curves import curve_levels, curves

_NO_VALUE = "-"


class Note(NamedTuple):
    """A caution about a table with its mark, a letter; "" if it concerns every entry."""

    mark: str
    caution: Caution


def notes_of(table: TableComparison) -> list[Note]:
    """Return the notes below a table, those about every entry first."""
    everywhere: list[Caution] = []
    elsewhere: list[Caution] = []
    for caution in table.cautions:
        concerned = [caution in table.about(entry) for entry in table.entries]
        (everywhere if all(concerned) else elsewhere).append(caution)
    marks = (
        string.ascii_lowercase[place % 26] * (place // 26 + 1) for place in range(len(elsewhere))
    )
    return [
        *(Note("", caution) for caution in everywhere),
        *(Note(mark, caution) for mark, caution in zip(marks, elsewhere, strict=True)),
    ]


def marked_entries(
    table: TableComparison, notes: Sequence[Note]
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table's entries, with marks at the means in doubt.

    Without replications, the deterministic value has the mark.
    """
    header, rows = entry_rows(table)
    start = len(table.factors)
    mean, deterministic = header.index("mean", start), header.index("deterministic", start)
    for row, entry in zip(rows, table.entries, strict=True):
        place = deterministic if row[mean] == _NO_VALUE else mean
        row[place] = _marked(row[place], table, [entry], notes)
    return header, rows


def marked_curves(
    table: TableComparison, notes: Sequence[Note]
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table by curves, with marks at the values in doubt."""
    header, rows = curve_rows(table)
    levels = curve_levels(table)
    start = header.index(levels[0], len(table.factors) - 1)
    for row, curve in zip(rows, curves(table), strict=True):
        for place, level in enumerate(levels, start):
            if entry := curve.entries.get(level):
                row[place] = _marked(row[place], table, [entry], notes)
    return header, rows


def marked_parts(
    table: TableComparison, notes: Sequence[Note]
) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a table's summary, with marks where an entry in it is in doubt."""
    header, rows = part_rows(table)
    place = header.index("mean absolute error" if table.response.is_printed else "mean")
    levels = [(factor, level) for factor, found in table.by.items() for level in found]
    for row, part in zip(rows, [None, *levels], strict=True):
        entries = [entry for entry in table.entries if part is None or part in entry.combination]
        row[place] = _marked(row[place], table, entries, notes)
    return header, rows


def note_list(notes: Sequence[Note]) -> Html:
    """Return the notes as a list; empty without any."""
    if not notes:
        return Html("")
    items = (
        element("li", *([element("sup", note.mark), " "] if note.mark else []), f"{note.caution}.")
        for note in notes
    )
    return element("ul", *items, class_="notes")


def _marked(
    cell: str, table: TableComparison, entries: Sequence[Entry], notes: Sequence[Note]
) -> str:
    own = [caution for entry in entries for caution in table.about(entry)]
    found = [note for note in notes if note.mark and note.caution in own]
    if cell == _NO_VALUE or not found:
        return cell
    said = "; ".join(str(note.caution) for note in found)
    return joined([cell, element("sup", ",".join(note.mark for note in found), title=said)])

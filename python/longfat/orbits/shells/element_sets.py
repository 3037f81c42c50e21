"""Shells of two-line element sets (TLE), as Celestrak and Space-Track publish them.

Columns are those of Spacetrack Report 3; the last digit of a line is the sum of its digits modulo
10, in which a minus counts as 1. SGP4 itself reads numbers from their columns and checks nothing.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sgp4.api import WGS72, Satrec

from longfat.base.cells import shown_cells
from longfat.base.errors import BadInput
from longfat.base.files import read_text
from longfat.base.numbers import counted
from longfat.orbits.description import Description
from longfat.orbits.shells.propagation import Perturbed
from longfat.orbits.shells.satellites import Satellites

MOST = 100_000
"""Most element sets of a file; more are taken for a mistake."""

_OLD_DAYS = 14
"""Age of element sets from which a note says so: SGP4 errs by 1 to 3 km a day (Vallado 2006)."""

_NUMBER = r"[A-HJ-NP-Z\d ][\d ]{4}"
_SMALL = r"[ +-][\d ]\d{4}[ +-]\d"
_FIRST = re.compile(
    rf"1 ({_NUMBER})[A-Z ] [ -~]{{8}} \d\d[\d ]{{2}}\d\.\d{{8}} [ +-]\.\d{{8}} {_SMALL} {_SMALL}"
    r" [\d ] [\d ]{4}\d",
    re.ASCII,
)
_ANGLE = r"[\d ]{3}\.[\d ]{4}"
_SECOND = re.compile(
    rf"2 ({_NUMBER}) {_ANGLE} {_ANGLE} [\d ]{{7}} {_ANGLE} {_ANGLE} [\d ]{{2}}\.\d{{8}}"
    r"[\d ]{5}\d",
    re.ASCII,
)
_COLUMNS = 69


def satellites(settings: Mapping[str, Any], description: Description) -> Satellites:
    """Return the satellites of a file. Raises `BadInput` with the line of an error."""
    path = description.folder / settings["file"]
    names, records = [], []
    for number, name, first, second in _sets(read_text(path), str(path)):
        record = Satrec.twoline2rv(first, second, WGS72)
        if record.error:
            problem = "elements of no orbit that SGP4 can compute"
            raise BadInput([f"{path}:{number}: {problem} (error {record.error})"])
        names.append(name)
        records.append(record)
    if not records:
        raise BadInput(
            [f"{path}: no element sets; expected pairs of lines that begin with 1 and 2"]
        )
    day, share = description.epoch_days
    ages = [abs(day - record.jdsatepoch + share - record.jdsatepochF) for record in records]
    notes = []
    if max(ages) > _OLD_DAYS:
        what = f"warning: {path}: element sets are up to {max(ages):,.0f} days from the epoch"
        notes.append(f"{what}; SGP4 errs by 1 to 3 km a day")
    return Satellites(names, Perturbed(records, day, share), None, tuple(notes))


def _sets(text: str, source: str) -> Iterator[tuple[int, str, str, str]]:
    """Yield each element set: the number of its first line, its name, and both lines."""
    lines = [
        (number, line.rstrip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip()
    ]
    name, at, found = "", 0, 0
    while at < len(lines):
        number, line = lines[at]
        if not line.startswith("1 "):
            if line.startswith("2 ") or name:
                problem = f"expected line 1 of an element set, found {shown_cells([line])}"
                raise BadInput([f"{source}:{number}: {problem}"])
            name = line.removeprefix("0 ").strip()
            at += 1
            continue
        if at + 1 == len(lines):
            raise BadInput([f"{source}:{number}: line 2 of this element set is missing"])
        first = _checked(line, _FIRST, f"{source}:{number}: line 1")
        second = _checked(lines[at + 1][1], _SECOND, f"{source}:{lines[at + 1][0]}: line 2")
        if first != second:
            problem = f"line 2 is of satellite {second}, line 1 before it of {first}"
            raise BadInput([f"{source}:{lines[at + 1][0]}: {problem}"])
        found += 1
        if found > MOST:
            raise BadInput([f"{source}:{number}: more than {counted(MOST, 'element set')}"])
        yield number, name or first, line, lines[at + 1][1]
        name, at = "", at + 2
    if name:
        problem = f"no element set follows the name {shown_cells([name], 40)}"
        raise BadInput([f"{source}:{lines[-1][0]}: {problem}"])


def _checked(line: str, pattern: re.Pattern[str], where: str) -> str:
    """Return the catalog number of a line. Raises `BadInput` for one that is not as it must be."""
    if len(line) != _COLUMNS:
        raise BadInput([f"{where} of an element set has {_COLUMNS} columns, found {len(line)}"])
    matched = pattern.fullmatch(line)
    if matched is None:
        problem = f"is not in the columns of an element set: {shown_cells([line])}"
        raise BadInput([f"{where} {problem}"])
    digits = sum(int(sign) if sign.isdigit() else sign == "-" for sign in line[:-1]) % 10
    if digits != int(line[-1]):
        raise BadInput([f"{where} ends with the checksum {line[-1]}, but its digits give {digits}"])
    return matched[1].strip()

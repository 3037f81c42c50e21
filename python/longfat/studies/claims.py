"""Claims: statements of a source, each with a measured number and the bound that decides it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.base.files import read_bytes
from longfat.studies.definition import StudyDefinition
from longfat.studies.kinds import CLAIMS_FILE

InPaper = Literal["measured", "holds", "fails", "not-printed"]
"""Check of the claim in the source's own numbers; all but the first value record its result."""

ROUNDING = 1e-9
"""Relative tolerance of a limit: sums of printed decimals are not exact."""

ROUNDING_AROUND_ZERO = 1e-12
"""Absolute tolerance of a limit of 0.

Round-off in differences of shares and of printed decimals is smaller. A nonzero result of a run is
larger: time has a resolution of picoseconds, and so small a loss share needs 1e12 cells."""


@dataclass(frozen=True)
class Bound:
    """The numbers for which a claim holds: from `low` to `high`, None for no limit.

    The limits are included unless it `is_strict`.
    """

    text: str
    low: float | None
    high: float | None
    is_strict: bool

    def contains(self, value: float) -> bool:
        """True if a number is within the bound."""
        return self._is_above(value) and self._is_below(value)

    def contains_all(self, low: float, high: float) -> bool:
        """True if every number of an interval is within the bound."""
        return self.contains(low) and self.contains(high)

    def contains_none(self, low: float, high: float) -> bool:
        """True if no number of an interval is within the bound."""
        return not self._is_above(high) or not self._is_below(low)

    def _is_above(self, value: float) -> bool:
        if self.low is None or _are_close(value, self.low):
            return self.low is None or not self.is_strict
        return value > self.low

    def _is_below(self, value: float) -> bool:
        if self.high is None or _are_close(value, self.high):
            return self.high is None or not self.is_strict
        return value < self.high


@dataclass(frozen=True)
class Claim:
    """A statement, the SQL that measures it, its place in the file, and the bound."""

    id: str
    section: str
    statement: str
    measure: str
    origin: str
    bound: Bound
    in_paper: InPaper
    note: str


def load_claims(study: StudyDefinition) -> list[Claim]:
    """Load the claims of a study, in the order of its file.

    Raises `longfat.InvalidInput` for an invalid file and `LongfatError` for one that cannot be
    read. Does not check their SQL.
    """
    file = study.folder / CLAIMS_FILE
    if not file.exists():
        raise LongfatError(f"{file}: no such file, so {study.name} has no claims")
    return read_claims(file)


def claims_of(study: StudyDefinition) -> list[Claim]:
    """Load the claims of a study; none if it has no such file. Raises as `load_claims` does."""
    return load_claims(study) if (study.folder / CLAIMS_FILE).exists() else []


def read_claims(file: Path) -> list[Claim]:
    """Load the claims of a file. Raises as `load_claims` does."""
    documents = json.loads(_engine.check_claims(read_bytes(file), str(file)))
    return [claim_of(document) for document in documents]


def readable_claims(file: Path) -> list[Claim]:
    """Load the valid claims of an invalid file."""
    documents = json.loads(_engine.readable_claims(read_bytes(file), str(file)))
    return [claim_of(document) for document in documents]


def claim_of(document: dict[str, Any]) -> Claim:
    """Convert a claim from the engine's document."""
    measure, origin = document["measure"]
    return Claim(
        id=document["id"],
        section=document["section"],
        statement=document["statement"],
        measure=measure,
        origin=origin,
        bound=Bound(**document["holds"]),
        in_paper=document["in_paper"],
        note=document["note"],
    )


def _are_close(value: float, limit: float) -> bool:
    return abs(value - limit) <= (ROUNDING * abs(limit) or ROUNDING_AROUND_ZERO)

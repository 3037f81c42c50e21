"""The content of a measured file, unpacked and as text, and readers of what it may contain."""

import gzip
import io
import json
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from longfat.base.cells import csv_lines, is_number, shown_cells
from longfat.base.errors import BadInput
from longfat.base.files import MOST_BYTES, read_bytes

_LARGEST = 1e300
"""Largest number of JSON that is taken: a whole number may have any number of digits."""

_GZIP = b"\x1f\x8b"

_SEEN_CHARACTERS = 65536
"""Characters of a file by which its kind is recognized."""


@dataclass(frozen=True)
class Sample:
    """A measured file: its name in messages and its content, unpacked."""

    source: str
    content: bytes

    @cached_property
    def text(self) -> str:
        """The text, in UTF-8 or as PowerShell redirects output, in UTF-16.

        Bytes that are no text become replacement characters: only hosts' names may have them.
        """
        for mark in (BOM_UTF16_LE, BOM_UTF16_BE):
            if self.content.startswith(mark):
                return self.content.decode("utf-16", errors="replace")
        return self.content.removeprefix(BOM_UTF8).decode(errors="replace")

    @cached_property
    def head(self) -> list[str]:
        """The first non-empty lines."""
        lines = self.text[:_SEEN_CHARACTERS].splitlines()
        if len(self.text) > _SEEN_CHARACTERS:
            lines = lines[:-1] or lines
        return [line.strip() for line in lines if line.strip()]

    @property
    def is_json(self) -> bool:
        """True if it begins as a JSON object does."""
        return self.text[:_SEEN_CHARACTERS].lstrip().startswith("{")

    def rows(self, header: tuple[str, ...]) -> list[tuple[int, list[float]]]:
        """Return (line, values of these columns) of a CSV with a header. Raises `BadInput`."""
        lines = csv_lines(self.text, self.source)
        number, names = lines[0] if lines else (1, [])
        missing = [name for name in header if name not in names]
        if missing:
            expected = f"expected the columns {', '.join(header)}"
            found = shown_cells(names) or "none"
            raise BadInput([f"{self.source}:{number}: {expected}, found {found}"])
        return [(number, self._values(number, cells, names, header)) for number, cells in lines[1:]]

    def _values(
        self, number: int, cells: list[str], names: list[str], header: tuple[str, ...]
    ) -> list[float]:
        row = dict(zip(names, cells, strict=False))
        wanted = [row.get(name, "") for name in header]
        if len(cells) != len(names) or not all(map(is_number, wanted)):
            expected = f"expected numbers for {', '.join(header)}"
            raise BadInput([f"{self.source}:{number}: {expected}, found {shown_cells(cells)}"])
        return list(map(float, wanted))


def sample_of(path: Path) -> Sample:
    """Read a file, compressed with gzip or not.

    Raises `LongfatError` as `longfat.base.files.read_bytes`, and `BadInput` for a gzip file that is
    damaged or unpacks to too much.
    """
    content = read_bytes(path)
    return Sample(str(path), unpacked(content, str(path)))


def unpacked(content: bytes, source: str) -> bytes:
    """Return the content of a gzip file, which may be small and unpack to very much."""
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            found = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInput([f"{source}: a gzip file that is damaged or not whole: {error}"]) from None
    if len(found) > MOST_BYTES:
        raise BadInput([f"{source}: unpacks to more than {MOST_BYTES / 2**20:,.0f} MiB"])
    return found


def document_of(sample: Sample, what: str) -> dict[str, Any]:
    """Return the JSON object of a file; `what` is expected, in messages. Raises `BadInput`."""
    try:
        document = json.loads(sample.text)
    except RecursionError:
        raise BadInput([f"{sample.source}: JSON that is nested too deeply"]) from None
    except ValueError as error:  # also for whole numbers of too many digits
        problem = f"expected {what}; it is no JSON that is whole: {error}"
        raise BadInput([f"{sample.source}: {problem}"]) from None
    if not isinstance(document, dict):
        raise BadInput([f"{sample.source}: expected {what}, found JSON of another kind"])
    return document


def object_in(within: Any, key: str, where: str) -> dict[str, Any]:
    """Return an object within a JSON object. Raises `BadInput` if it is absent or another kind."""
    found = within.get(key) if isinstance(within, dict) else None
    if not isinstance(found, dict):
        raise BadInput([f"{where}: expected {key}, an object"])
    return found


def list_in(within: Any, key: str, where: str) -> list[Any]:
    """Return a list within a JSON object. Raises `BadInput` if it is absent or of another kind."""
    found = within.get(key) if isinstance(within, dict) else None
    if not isinstance(found, list):
        raise BadInput([f"{where}: expected {key}, a list"])
    return found


def number_in(within: Any, key: str, where: str) -> float:
    """Return a number within a JSON object, of at most 1e300. Raises `BadInput`."""
    found: Any = within.get(key) if isinstance(within, dict) else None
    is_a_number = isinstance(found, int | float) and not isinstance(found, bool)
    if not is_a_number or not abs(found) <= _LARGEST:
        raise BadInput([f"{where}: expected {key}, a number, found {shown_cells([str(found)])}"])
    return float(found)

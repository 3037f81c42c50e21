"""Kind of an input: a scenario, a study, claims and so on, and what verbs may get in their place.

Decided by names and by patterns in the text, not by a parser, so that a malformed file still
gets the messages of its kind.
"""

import re
from pathlib import Path
from typing import Literal

CLAIMS_FILE = "claims.toml"
STUDY_FILE = "study.toml"

Kind = Literal["scenario", "study", "file of claims", "description of orbits", "situation"]

Source = Literal[
    "scenario",
    "study",
    "file of claims",
    "description of orbits",
    "situation",
    "store",
    "folder of traces",
    "table",
]
"""Kinds of inputs that can be told from each other for certain."""

_STUDY_TABLE = re.compile(
    rb'^\s*\[+\s*(design|factors|adjust|response|quick|audit)\b|"factors"\s*:', re.MULTILINE
)
_CLAIM_TABLE = re.compile(rb"^\s*\[\[\s*claim\b", re.MULTILINE)
_EXPECT_TABLE = re.compile(rb"^\s*\[\[\s*expect\b", re.MULTILINE)
_SHELLS = re.compile(rb"^\s*(\[\[\s*shells\b|shells\s*=)", re.MULTILINE)
_TOPOLOGY = re.compile(rb'^\s*\[?\s*topology\s*[].=]|"topology"\s*:', re.MULTILINE)

_DATABASE = b"SQLite format 3\x00"
_TRACES_FILE = "traces.json"

_BYTES_READ = 2**16
"""Bytes of a file in which its kind shows."""


def kind_of(file: Path, text: bytes) -> Kind:
    """Return the kind of a file: a scenario if it is none of the others."""
    if file.name in (CLAIMS_FILE, STUDY_FILE):
        return "study" if file.name == STUDY_FILE else "file of claims"
    if _CLAIM_TABLE.search(text):
        return "file of claims"
    if _SHELLS.search(text):
        return "description of orbits"
    if _EXPECT_TABLE.search(text):
        return "situation"
    return "study" if _STUDY_TABLE.search(text) else "scenario"


def surely_no_study(file: Path, text: bytes) -> str | None:
    """Return the kind of a file that is no study, in words; None if it may be a study."""
    kind = kind_of(file, text)
    if kind == "scenario":
        return "a scenario" if _TOPOLOGY.search(text) else None
    return None if kind == "study" else f"a {kind}"


def source_at(path: Path) -> Source | None:
    """Return the kind of a file or folder; None if that is uncertain or there is none."""
    try:
        if path.is_dir():
            return _kind_of_folder(path)
        if not path.is_file():
            return None
        with path.open("rb") as file:
            text = file.read(_BYTES_READ)
    except (OSError, ValueError):
        return None
    if text.startswith(_DATABASE):
        return "store"
    if path.suffix.lower() == ".csv":
        return "table"
    kind = kind_of(path, text)
    # In JSON, what commands print looks like a study.
    is_sure = _TOPOLOGY.search(text) if kind == "scenario" else not text.startswith(b"{")
    return kind if is_sure else None


def _kind_of_folder(path: Path) -> Source | None:
    if (path / _TRACES_FILE).is_file():
        return "folder of traces"
    return "study" if (path / STUDY_FILE).is_file() else None

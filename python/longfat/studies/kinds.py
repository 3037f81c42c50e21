"""Kind of an input file: a scenario, a study or claims.

Decided by its name and by patterns in its text, not by a parser, so that a malformed file still
gets the messages of its kind.
"""

import re
from pathlib import Path
from typing import Literal

CLAIMS_FILE = "claims.toml"
STUDY_FILE = "study.toml"

Kind = Literal["scenario", "study", "file of claims"]

_STUDY_TABLE = re.compile(
    rb'^\s*\[+\s*(design|factors|adjust|response|quick|audit)\b|"factors"\s*:', re.MULTILINE
)
_CLAIM_TABLE = re.compile(rb"^\s*\[\[\s*claim\b", re.MULTILINE)
_TOPOLOGY = re.compile(rb'^\s*\[?\s*topology\s*[].=]|"topology"\s*:', re.MULTILINE)


def kind_of(file: Path, text: bytes) -> Kind:
    """Return the kind of a file: a scenario if it is neither a study nor claims."""
    if file.name in (CLAIMS_FILE, STUDY_FILE):
        return "study" if file.name == STUDY_FILE else "file of claims"
    if _CLAIM_TABLE.search(text):
        return "file of claims"
    return "study" if _STUDY_TABLE.search(text) else "scenario"


def surely_no_study(file: Path, text: bytes) -> str | None:
    """Return the kind of a file that is no study, in words; None if it may be a study."""
    kind = kind_of(file, text)
    if kind == "scenario":
        return "a scenario" if _TOPOLOGY.search(text) else None
    return None if kind == "study" else "a file of claims"

"""`longfat check`: every error of a scenario, a study or a file of claims at once."""

import re
from pathlib import Path

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, say
from longfat.errors import LongfatError

# Decided by the text, not by a parser, so that a broken file is still known for what it is.
_STUDY_TABLE = re.compile(
    rb"^\s*\[+\s*(design|factors|adjust|response|quick|audit)\b", re.MULTILINE
)
_CLAIM_TABLE = re.compile(rb"^\s*\[\[\s*claim\b", re.MULTILINE)


@click.command("check")
@click.argument("file")
@json_option
def command(file: str, as_json: bool) -> None:
    """Check a scenario, a study or a file of claims: all errors, each with its line and column.

    A file called study.toml, or with a [design], [factors] or [[response]] table, is a study; its
    scenario and its reference tables are checked with it. One called claims.toml, or with a
    [[claim]], has claims; they are checked against the study in their folder. A folder is a study
    with its claims, if it has any.
    """
    kind, problems = _check(Path(file))
    if as_json:
        print_json({"file": file, "kind": kind, "valid": not problems, "problems": problems})
    elif problems:
        say("\n".join(problems))
    else:
        click.echo(f"{file}: a good {kind}")
    if problems:
        raise click.exceptions.Exit(LongfatError.exit_code)


def _check(file: Path) -> tuple[str, list[str]]:
    from longfat import _engine
    from longfat.errors import BadInput
    from longfat.files import read_bytes

    text = b"" if file.is_dir() else read_bytes(file)
    kind = "study" if file.is_dir() else _kind(file.name, text)
    try:
        if kind == "study":
            _check_study(file)
        elif kind == "file of claims":
            _check_claims(file)
        else:
            _engine.resolve_scenario(text, str(file))
    except BadInput as error:
        return kind, error.problems
    return kind, []


def _kind(name: str, text: bytes) -> str:
    from longfat.claims import CLAIMS_FILE
    from longfat.study import STUDY_FILE

    if name in (CLAIMS_FILE, STUDY_FILE):
        return "study" if name == STUDY_FILE else "file of claims"
    if _CLAIM_TABLE.search(text):
        return "file of claims"
    return "study" if _STUDY_TABLE.search(text) else "scenario"


def _check_study(file: Path) -> None:
    """Check a study; of a folder its claims as well."""
    from longfat.audit import check_audit
    from longfat.claims import CLAIMS_FILE
    from longfat.study import load_study

    check_audit(load_study(file))
    if file.is_dir() and (file / CLAIMS_FILE).exists():
        _check_claims(file / CLAIMS_FILE)


def _check_claims(file: Path) -> None:
    from longfat.analysis.claim_tables import planned_tables
    from longfat.analysis.claims import check_claims
    from longfat.claims import read_claims
    from longfat.study import load_study

    claims = read_claims(file)
    study = load_study(file.parent)
    check_claims(study, claims, planned_tables(study))

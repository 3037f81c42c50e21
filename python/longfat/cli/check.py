"""`longfat check`: every error of a scenario, a study or a file of claims at once."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, say
from longfat.errors import BadInput, LongfatError
from longfat.kinds import CLAIMS_FILE, Kind, kind_of

if TYPE_CHECKING:
    from longfat.study import Study


class _Checked(NamedTuple):
    """What is wrong with a file, and whether that kept any of it from being checked."""

    kind: Kind
    problems: list[str]
    is_whole: bool = True


@click.command("check")
@click.argument("file")
@json_option
def command(file: str, as_json: bool) -> None:
    """Check a scenario, a study or a file of claims: all errors, each with its line and column.

    A file called study.toml, or with a [design], [factors] or [[response]] table, is a study; its
    scenario and its reference tables are checked with it. One called claims.toml, or with a
    [[claim]], has claims; they are checked against the study in their folder. A folder is a study
    with its claims, if it has any; so is the name of a study that comes with longfat.
    """
    kind, problems, is_whole = _check(_found(file))
    if as_json:
        print_json({"file": file, "kind": kind, "valid": not problems, "problems": problems})
    elif problems:
        say("\n".join(problems))
    else:
        click.echo(f"{file}: a good {kind}")
    if problems:
        if not is_whole and not as_json:
            say("once this is mended, there is more to check")
        raise click.exceptions.Exit(LongfatError.exit_code)


def _found(file: str) -> Path:
    """What is at a path, or else the folder of the shipped study of that name."""
    path = Path(file)
    if not path.exists():
        from longfat.slips import nearest
        from longfat.study import shipped_studies, shipped_study

        if file in shipped_studies():
            return shipped_study(file)
        if near := nearest(file, shipped_studies()):
            raise LongfatError(f"{file}: no such file or directory, and no shipped study{near}")
    return path


def _check(file: Path) -> _Checked:
    from longfat import _engine
    from longfat.files import read_bytes

    text = b"" if file.is_dir() else read_bytes(file)
    kind = "study" if file.is_dir() else kind_of(file, text)
    if kind == "study":
        return _checked_study(file)
    if kind == "file of claims":
        study, problems = _loaded(file.parent)
        return _Checked(kind, [*problems, *_problems_of_claims(file, study)], study is not None)
    try:
        _engine.resolve_scenario(text, str(file))
    except BadInput as error:
        return _Checked(kind, error.problems)
    return _Checked(kind, [])


def _checked_study(file: Path) -> _Checked:
    """A study; of a folder its claims as well."""
    from longfat.audit import check_audit

    study, problems = _loaded(file)
    if study is not None:
        try:
            check_audit(study)
        except BadInput as error:
            problems = error.problems
    if file.is_dir() and (file / CLAIMS_FILE).exists():
        problems = [*problems, *_problems_of_claims(file / CLAIMS_FILE, study)]
    return _Checked("study", problems, study is not None)


def _loaded(source: Path) -> "tuple[Study | None, list[str]]":
    """A study, or what is wrong with it."""
    from longfat.study import load_study

    try:
        return load_study(source), []
    except BadInput as error:
        return None, error.problems


def _problems_of_claims(file: Path, study: "Study | None") -> list[str]:
    """What is wrong with claims; their SQL is judged where there is a study, whatever else is."""
    from longfat.analysis.claim_tables import planned_tables
    from longfat.analysis.claims import check_claims
    from longfat.claims import read_claims, readable_claims

    problems: list[str] = []
    try:
        claims = read_claims(file)
    except BadInput as error:
        problems, claims = error.problems, readable_claims(file)
    if study is not None and claims:
        try:
            check_claims(study, claims, planned_tables(study))
        except BadInput as error:
            problems = [*problems, *error.problems]
    return problems

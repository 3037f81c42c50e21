"""`longfat check`: every error of a scenario or study file at once."""

import re
from pathlib import Path

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, say
from longfat.errors import LongfatError

# Decided by the text, not by a parser, so that a broken file is still known for what it is.
_STUDY_TABLE = re.compile(rb"^\s*\[+\s*(design|factors|adjust|response|quick)\b", re.MULTILINE)


@click.command("check")
@click.argument("file")
@json_option
def command(file: str, as_json: bool) -> None:
    """Check a scenario or study file: all errors, each with its line and column.

    A file with a [design], [factors] or [[response]] table is a study; its scenario and its
    reference tables are checked with it.
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
    from longfat.study import load_study

    text = read_bytes(file)
    kind = "study" if _STUDY_TABLE.search(text) else "scenario"
    try:
        if kind == "study":
            load_study(file)
        else:
            _engine.resolve_scenario(text, str(file))
    except (_engine.InvalidInput, BadInput) as error:
        return kind, error.problems
    return kind, []

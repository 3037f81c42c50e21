"""`longfat check`: every error of a scenario, a study, claims, orbits or a situation at once."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click

from longfat.base.errors import BadInput, LongfatError
from longfat.cli.options import json_option, overrides_of, settings_option
from longfat.cli.sources import SourceType
from longfat.cli.talk import print_json, print_table, say
from longfat.studies.kinds import CLAIMS_FILE, Kind, kind_of

if TYPE_CHECKING:
    from longfat.scenarios.scenario import Scenario
    from longfat.studies.definition import StudyDefinition


class _Checked(NamedTuple):
    """The problems of a file, and whether they kept a part of it from being checked."""

    kind: Kind
    problems: list[str]
    is_whole: bool = True
    scenario: "Scenario | None" = None


@click.command("check")
@click.argument("file", type=SourceType(*get_args(Kind)))
@settings_option
@json_option
def command(file: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Check a scenario, a study, claims, orbits or a situation: all errors, each with its place.

    For a valid scenario: the round trips, the bandwidth-delay products, and how long buffers take
    to empty.

    A file called study.toml, or with a [design], [factors] or [[response]] table, is a study; its
    scenario and its reference tables are checked with it. One called claims.toml, or with a
    [[claim]], has claims; they are checked against the study in their folder. A folder is a study
    with its claims, if it has any; so is the name of a study that comes with longfat. A file with
    [[shells]] describes orbits; the element sets that it names are checked with it. One with
    [[expect]] is a situation of `longfat test-controller`; it is checked with CUBIC in it.
    """
    checked = _check(_found(file), overrides_of(settings))
    if as_json:
        print_json(_document(file, checked))
    elif checked.problems:
        say("\n".join(checked.problems))
    else:
        click.echo(f"{file}: a good {checked.kind}")
        if checked.scenario is not None:
            _show(checked.scenario)
    if checked.problems:
        if not checked.is_whole and not as_json:
            say("fix this to have the rest checked")
        raise click.exceptions.Exit(LongfatError.exit_code)


def _document(file: str, checked: _Checked) -> dict[str, Any]:
    from longfat.report.network import network_words
    from longfat.scenarios.resolved import network_of

    kind, problems, _, scenario = checked
    document = {"file": file, "kind": kind, "valid": not problems, "problems": problems}
    if scenario is None:
        return document
    network = network_of(scenario.settings)
    return document | {
        "network": network,
        "remarks": list(network_words(scenario.settings, network)),
    }


def _show(scenario: "Scenario") -> None:
    """Print a description of the network, and cautions about a run."""
    from longfat.report.network import HEADER, network_rows, network_words
    from longfat.scenarios.resolved import network_of

    network = network_of(scenario.settings)
    if network["ports"]:
        print_table(HEADER, network_rows(network))
    for words in network_words(scenario.settings, network):
        click.echo(words)


def _found(file: str) -> Path:
    """Return the path, or else the folder of the shipped study of that name."""
    path = Path(file)
    if not path.exists():
        from longfat.base.suggestions import nearest
        from longfat.studies.definition import shipped_studies, shipped_study

        if file in shipped_studies():
            return shipped_study(file)
        if near := nearest(file, shipped_studies()):
            raise LongfatError(f"{file}: no such file or directory, and no shipped study{near}")
    return path


def _check(file: Path, overrides: dict[str, str]) -> _Checked:
    from longfat.base.files import read_bytes
    from longfat.scenarios.scenario import ScenarioText

    text = b"" if file.is_dir() else read_bytes(file)
    kind = "study" if file.is_dir() else kind_of(file, text)
    if overrides and kind != "scenario":
        raise click.UsageError(f"--set is for scenarios, and {file} is a {kind}")
    if kind == "study":
        return _checked_study(file)
    if kind == "description of orbits":
        return _Checked(kind, _problems_of_orbits(file, text))
    if kind == "situation":
        return _Checked(kind, _problems_of_situation(file))
    if kind == "file of claims":
        study, problems = _loaded(file.parent)
        return _Checked(kind, [*problems, *_problems_of_claims(file, study)], study is not None)
    try:
        scenario = ScenarioText(text, str(file)).with_set(overrides)
    except BadInput as error:
        return _Checked(kind, error.problems)
    return _Checked(kind, [], scenario=scenario)


def _checked_study(file: Path) -> _Checked:
    """Check a study; for a folder its claims as well."""
    from longfat.studies.audit import check_audit

    study, problems = _loaded(file)
    if study is not None:
        try:
            check_audit(study)
        except BadInput as error:
            problems = error.problems
    if file.is_dir() and (file / CLAIMS_FILE).exists():
        problems = [*problems, *_problems_of_claims(file / CLAIMS_FILE, study)]
    return _Checked("study", problems, study is not None)


def _loaded(source: Path) -> "tuple[StudyDefinition | None, list[str]]":
    """Return a study, or its problems."""
    from longfat.studies.definition import load_study

    try:
        return load_study(source), []
    except BadInput as error:
        return None, error.problems


def _problems_of_claims(file: Path, study: "StudyDefinition | None") -> list[str]:
    """Return the problems of claims; their SQL is checked only if there is a study."""
    from longfat.analysis.claim_tables import planned_tables
    from longfat.analysis.claims import check_claims
    from longfat.studies.claims import read_claims, readable_claims

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


def _problems_of_orbits(file: Path, text: bytes) -> list[str]:
    """Return the problems of a description of orbits, and of the files that it names."""
    from longfat.orbits.description import described
    from longfat.orbits.shells import constellation

    try:
        constellation(described(text, str(file)))
    except BadInput as error:
        return error.problems
    return []


def _problems_of_situation(file: Path) -> list[str]:
    """Return the problems of a situation: of the file, its scenarios and its expectations."""
    from longfat.analysis.situations import check_expectations
    from longfat.studies.situations import controller_named, load_situation

    try:
        situation = load_situation(file, controller_named("cubic", {}))
        check_expectations(situation, situation.plan())
    except BadInput as error:
        return error.problems
    return []

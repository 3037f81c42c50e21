"""A source of another kind than a verb takes, and a store in another place than it has it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest

from longfat.base.errors import LongfatError
from longfat.cli.program import main
from longfat.cli.sources import SourceType
from longfat.studies.kinds import Source, source_at
from longfat.studies.situations import find_situation
from tests.cli.test_bad_input import refused
from tests.support import Longfat


def commands(group: click.Group = main, *before: str) -> Iterator[tuple[list[str], click.Command]]:
    """Every verb with its words on the command line."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)
        else:
            yield [*before, name], command


PARAMETERS = [
    (" ".join([*words, str(parameter.opts[0])]), parameter.type)
    for words, command in commands()
    for parameter in command.params
    if isinstance(parameter.type, SourceType)
]


@pytest.fixture
def sources(study_folder: Path, scenario_file: Path, tmp_path: Path) -> dict[Source, Path]:
    """One source of each kind."""
    claims = study_folder / "claims.toml"
    claims.write_text('schema_version = 1\n[[claim]]\nid = "S-1"\n')
    with closing(sqlite3.connect(tmp_path / "runs.db")) as database, database:
        database.execute("CREATE TABLE runs (run_id TEXT)")
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "traces.json").write_text("{}")
    (tmp_path / "table.csv").write_text("a,y\n1,2\n")
    return {
        "scenario": scenario_file,
        "study": study_folder,
        "file of claims": claims,
        "situation": find_situation("codel"),
        "store": tmp_path / "runs.db",
        "folder of traces": tmp_path / "traces",
        "table": tmp_path / "table.csv",
    }


def test_each_kind_of_source_is_told_from_the_others(sources: dict[Source, Path]) -> None:
    assert {kind: source_at(path) for kind, path in sources.items()} == {
        kind: kind for kind in sources
    }


def test_what_may_be_anything_is_taken_for_nothing(tmp_path: Path) -> None:
    for name, text in (("a.toml", "x = 1\n"), ("log.txt", "64 bytes from 10.0.0.1"), ("b.db", "")):
        (tmp_path / name).write_text(text)
        assert source_at(tmp_path / name) is None
    (tmp_path / "analysis.json").write_text('{"factors": {"a": ["1", "2"]}}')
    assert source_at(tmp_path / "analysis.json") is None
    assert source_at(tmp_path) is None
    assert source_at(tmp_path / "missing") is None


@pytest.mark.parametrize(("name", "taken"), PARAMETERS, ids=[name for name, _ in PARAMETERS])
def test_a_source_of_another_kind_is_refused_with_the_command_that_takes_it(
    name: str, taken: SourceType, sources: dict[Source, Path]
) -> None:
    for kind, path in sources.items():
        if kind in taken.wanted:
            assert taken.convert(str(path), None, None) == str(path)
            continue
        with pytest.raises(LongfatError) as told:
            taken.convert(str(path), None, None)
        expected, command = str(told.value).split("\n")
        assert expected.startswith(f"{path}: a {kind}, and a {taken.wanted[0]}"), name
        assert command.startswith("  longfat ")
        assert str(path) in command


def test_every_parameter_called_study_or_store_knows_what_it_takes() -> None:
    """But for `run`, whose SCENARIO may be the id of a run, and for the new store of `salvage`."""
    named = [
        (words, parameter)
        for words, command in commands()
        for parameter in command.params
        if parameter.name in ("study", "studies", "store")
    ]
    assert len(named) > 20
    assert [words for words, parameter in named if not isinstance(parameter.type, SourceType)] == []


@pytest.mark.parametrize("verb", ["run", "smallest"])
def test_a_study_that_comes_along_is_no_scenario(longfat: Longfat, verb: str) -> None:
    search = ("port.buffer", "--from", "9 cells", "--to", "20 cells", "--reach", "0.5")
    process = longfat(verb, "ubr-plus", *(search if verb == "smallest" else ()))
    refused(process, "ubr-plus: a study, and a scenario is expected", "longfat study run ubr-plus")


def test_a_plot_is_refused_a_source_of_another_kind(
    longfat: Longfat, sources: dict[Source, Path]
) -> None:
    for kind, path, command in (
        ("cwnd", sources["scenario"], "longfat run {} --trace traces"),
        ("cwnd", sources["store"], "longfat run --from {} RUN --trace traces"),
        ("main-effects", sources["study"], "longfat analyze {} --response METRIC --json"),
        ("responses", sources["store"], "longfat study compare STUDY --store {}"),
    ):
        refused(longfat("plot", kind, path, "-o", "x.svg"), command.format(path))
    assert not Path("x.svg").exists()


@pytest.mark.parametrize("words", [["store", "check"], ["store", "upgrade"], ["store", "salvage"]])
def test_a_verb_whose_argument_is_the_store_says_so_of_an_option(words: list[str]) -> None:
    with pytest.raises(click.UsageError, match="a store is given without an option"):
        main([*words, "--store", "runs.db"], standalone_mode=False)


def test_a_run_of_a_store_is_chosen_with_from() -> None:
    with pytest.raises(click.UsageError, match="a store is given with --from"):
        main(["run", "--store", "runs.db", "3f2a91"], standalone_mode=False)


OF_STUDIES = [
    words
    for words, command in commands()
    if [each.name for each in command.params if isinstance(each, click.Argument)] == ["study"]
]


@pytest.mark.parametrize("words", OF_STUDIES, ids=" ".join)
def test_a_store_that_is_an_argument_too_many_is_told_its_option(words: list[str]) -> None:
    more = ["-o", "x.html"] if words == ["report"] else []
    with pytest.raises(click.UsageError, match=r"\(runs.db\).*; a store is given with --store"):
        main([*words, "ubr-plus", "runs.db", *more], standalone_mode=False)


def test_a_study_beside_its_store_is_told_the_option(longfat: Longfat) -> None:
    for location in ("runs.db", "postgresql://host/runs"):
        process = longfat("study", "compare", "ubr-plus", location)
        refused(process, f"({location}); a store is given with --store")
    assert "a store is given" not in longfat("study", "compare", "ubr-plus", "leo").stderr


def test_the_view_takes_a_store_as_other_verbs_do(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("view", "--store", scenario_file)
    refused(process, "a scenario, and a store is expected")
    refused(longfat("view", "a.db", "--store", "b.db"), "a.db and --store is b.db")


def test_a_study_without_runs_is_compared_in_one_message(longfat: Longfat) -> None:
    process = longfat("study", "compare", "leo")
    expected = "longfat.db: no run of leo to compare; to run them:\n  longfat study run leo\n"
    assert (process.returncode, process.stdout, process.stderr) == (2, "", expected)
    part = ("--table", "2", "--quick")
    assert (
        "longfat study run ubr-plus --table 2 --quick"
        in longfat("study", "compare", "ubr-plus", *part).stderr
    )
    assert longfat("study", "compare", "ubr-plus", "--within", "0.1").returncode == 3


@pytest.mark.parametrize(("wrong", "right"), [("ubr", "ubr-plus"), ("coexist", "coexistence")])
def test_the_beginning_of_a_study_s_name_suggests_it(
    longfat: Longfat, wrong: str, right: str
) -> None:
    refused(longfat("study", "run", wrong), f"did you mean '{right}'?")


@pytest.mark.parametrize(
    ("separator", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
)
def test_other_separators_are_named_before_factors_are_asked_for(
    longfat: Longfat, tmp_path: Path, separator: str, name: str
) -> None:
    rows = ["a,b,y", "1,2,3", "1,3,4", "2,2,5", "2,3,6"]
    (tmp_path / "table.csv").write_text("\n".join(rows).replace(",", separator))
    refused(longfat("analyze", "table.csv", "--response", "y"), f"columns are separated by {name}")
    (tmp_path / "table.csv").write_text("\n".join(rows))
    process = longfat("analyze", "table.csv", "--response", "y")
    refused(process, "needs --factors", "table.csv has a, b, y")


def test_a_buffer_needs_no_blank(longfat: Longfat, scenario_file: Path) -> None:
    resolved = [
        longfat("run", scenario_file, "--set", f"port.buffer={buffer}", "--scenario").stdout
        for buffer in ("1.5BDP", "1.5 BDP")
    ]
    assert resolved[0] == resolved[1]
    assert json.loads(resolved[0])["port"]["buffer_cells"] > 0

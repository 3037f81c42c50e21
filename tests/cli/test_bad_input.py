"""Bad input: one clear message each on stderr, exit code 2, no traceback, nothing half-written."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from longfat.store import Store
from tests.support import Longfat


def refused(process: subprocess.CompletedProcess[str], *expected: str) -> None:
    """The process ended with exit code 2 and a message that contains every expected text."""
    assert process.returncode == 2, process
    assert process.stdout == ""
    assert process.stderr.strip()
    assert "Traceback" not in process.stderr
    for text in expected:
        assert text in process.stderr


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("sources = 2", "surces = 2", ["surces", "did you mean", "sources"]),
        ("[tcp]", "[tpc]", ["tpc", "did you mean", "tcp"]),
        ('"n-source"', '"star"', ["star", "n-source"]),
        ('kind = "fba"', 'kind = "fbb"', ["fbb", "fba"]),
        ('"50 ms"', "50", ["duration", "with its unit"]),
        ('"50 ms"', '"50"', ["duration"]),
        ('"155.52 Mbit/s"', '"5 Mb"', ["rate", "bit/s"]),
        ('"200 cells"', '"200 B"', ["port.buffer"]),
        ('"50 ms"', '"-50 ms"', ["duration"]),
        ('"50 ms"', '"0 ms"', ["duration"]),
        ("sources = 2", "sources = 0", ["topology.sources"]),
        ("sources = 2", "sources = -2", ["topology.sources"]),
        ('"200 cells"', '"11 cells"', ["port.buffer", "cannot hold one packet"]),
        ("threshold = 0.9", "threshold = 1.1", ["threshold", "at most 1"]),
        ("threshold = 0.9", "threshold = -0.1", ["threshold"]),
        ("z = 0.8", "z = nan", ["port.policy.z"]),
        ('"50 ms"', '"1000000000 s"', ["duration", "too large"]),
        ('"50 ms"', '"99999999999999999999999999 s"', ["duration"]),
        ("sources = 2", "sources = 1000000000", ["topology.sources"]),
        ('"65535 B"', '"511 B"', ["tcp.receiver_window"]),
        ("seed = 1", "seed = -1", ["seed"]),
        ("schema_version = 1", "schema_version = 2", ["newer than this program"]),
        ("[topology]", "[topology", ["scenario.toml:5"]),
    ],
)
def test_a_wrong_scenario_is_reported_with_its_place(
    longfat: Longfat, scenario_file: Path, old: str, new: str, expected: list[str]
) -> None:
    text = scenario_file.read_text()
    assert old in text
    scenario_file.write_text(text.replace(old, new, 1))
    for verb in ("run", "check"):
        refused(longfat(verb, scenario_file), f"{scenario_file}:", *expected)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"\x7fELF\x02\x01\x01\0\0\0", b'title = "\xff\xfe"', b"[" * 100_000, b"\0"],
    ids=["empty", "blank", "binary", "broken UTF-8", "deeply nested", "zero byte"],
)
@pytest.mark.parametrize("name", ["bad.toml", "bad.json"])
def test_a_file_that_is_no_scenario_is_one_message(
    longfat: Longfat, tmp_path: Path, content: bytes, name: str
) -> None:
    (tmp_path / name).write_bytes(content)
    for verb in ("run", "check"):
        refused(longfat(verb, name), name)


@pytest.mark.parametrize(
    "arguments",
    [["run"], ["check"], ["study", "run"], ["study", "plan"], ["study", "compare"]],
)
def test_absent_paths_are_named(longfat: Longfat, arguments: list[str]) -> None:
    refused(longfat(*arguments, "no/such/file"), "no/such/file")


@pytest.mark.parametrize(
    ("arguments", "meant"), [(["runn"], "run"), (["study", "comprae", "ubr-plus"], "compare")]
)
def test_a_mistyped_verb_is_reported_with_the_one_that_may_have_been_meant(
    longfat: Longfat, arguments: list[str], meant: str
) -> None:
    process = longfat(*arguments)
    assert process.returncode == 2
    assert process.stderr.endswith(f"; did you mean '{meant}'?\n")


@pytest.mark.parametrize("arguments", [["run"], ["check"], ["study", "run"]])
def test_a_directory_is_no_file(longfat: Longfat, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "folder").mkdir()
    refused(longfat(*arguments, "folder"), "folder")


def test_an_unreadable_file_is_named(longfat: Longfat, scenario_file: Path) -> None:
    scenario_file.chmod(0)
    try:
        scenario_file.read_bytes()
    except PermissionError:
        refused(longfat("run", scenario_file), str(scenario_file), "permission denied")
    else:
        pytest.skip("file permissions do not bind root: no file is unreadable")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "topology.sources"],
        ["--set", "=5"],
        ["--set", "topology.surces=5"],
        ["--set", "port.buffer=12000"],
        ["--seed", "-1"],
        ["--seed", "many"],
        ["--nonsense"],
    ],
)
def test_a_wrong_option_is_refused(
    longfat: Longfat, scenario_file: Path, arguments: list[str]
) -> None:
    refused(longfat("run", scenario_file, *arguments), arguments[0])


def test_arguments_that_are_no_text_are_refused(longfat: Longfat, scenario_file: Path) -> None:
    refused(longfat("run", scenario_file, "--set", "seed=\udcff"))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("topology.sources", "topology.surces", ["surces"]),
        ('"reference-rows"', '"reference-row"', ["reference-row"]),
        ('metric = "fairness"', 'metric = "fairnes"', ["fairnes"]),
        ('fba = "fba"', 'fba = "fbb"', ["fbb"]),
        ("replications = 2", "replications = -2", ["replications"]),
        ('"scenario.toml"', '"other.toml"', ["other.toml"]),
        ('"reference/b.csv"', '"reference"', ["reference"]),
        ("where = \"load = 'light'\"", 'where = "lod = 1"', ["lod", "load, policy, z"]),
    ],
)
def test_a_wrong_study_is_refused(
    longfat: Longfat, study_folder: Path, old: str, new: str, expected: list[str]
) -> None:
    file = study_folder / "study.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    refused(longfat("study", "run", study_folder, "--quick"), *expected)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--where", "colour = 'red'"], ["colour", "load, policy, z, replication"]),
        (["--where", "load = "], ["--where"]),
        (["--where", "load = 'none'"], ["no run of small"]),
        (["--table", "Z"], ["small has no table 'Z'; its tables: A, B"]),
        (["--replications", "-1"], ["--replications"]),
    ],
)
@pytest.mark.parametrize("verb", ["run", "plan", "status", "compare"])
def test_a_wrong_part_of_a_study_is_refused(
    longfat: Longfat,
    study_folder: Path,
    tmp_path: Path,
    verb: str,
    options: list[str],
    expected: list[str],
) -> None:
    refused(longfat("study", verb, study_folder, *options), *expected)
    assert not (tmp_path / "longfat.db").exists()


def test_no_jobs_at_all_is_refused(longfat: Longfat, study_folder: Path) -> None:
    refused(longfat("study", "run", study_folder, "--jobs", "0"), "--jobs")


STORE_VERBS = [
    ["study", "run"],
    ["study", "plan"],
    ["study", "status"],
    ["study", "compare"],
    ["plot", "efficiency-fairness", "-o", "a.svg"],
    ["analyze", "--response", "efficiency", "--table", "A"],
]


@pytest.mark.parametrize("verb", STORE_VERBS, ids=" ".join)
def test_a_store_that_is_not_sqlite_is_refused_and_left_alone(
    longfat: Longfat, study_folder: Path, tmp_path: Path, verb: list[str]
) -> None:
    (tmp_path / "longfat.db").write_text("my shopping list\n")
    refused(longfat(*verb, study_folder), "longfat.db: not an SQLite file")
    assert (tmp_path / "longfat.db").read_text() == "my shopping list\n"


@pytest.mark.parametrize("verb", STORE_VERBS, ids=" ".join)
def test_a_store_of_a_newer_version_is_refused_and_left_alone(
    longfat: Longfat, study_folder: Path, tmp_path: Path, verb: list[str]
) -> None:
    file = tmp_path / "longfat.db"
    with Store.writable(str(file)):
        pass
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE meta SET value = '99'")
    before = file.read_bytes()
    refused(longfat(*verb, study_folder), "schema version 99")
    assert file.read_bytes() == before


def test_a_store_of_another_kind_is_refused(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "run", study_folder, "--store", "mysql://host/name")
    refused(process, "mysql://host/name", "postgresql://")


def test_a_store_in_a_folder_that_does_not_exist_is_refused(
    longfat: Longfat, study_folder: Path
) -> None:
    process = longfat("study", "run", study_folder, "--store", "nowhere/longfat.db")
    refused(process, "nowhere/longfat.db: there is no folder", "make it first")


def test_a_read_only_store_is_one_message_and_can_be_read(
    longfat: Longfat, study_folder: Path, small_disk: Path
) -> None:
    location = str(small_disk / "longfat.db")
    with Store.writable(location):
        pass
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    refused(longfat("study", "run", study_folder, "--store", location), location)
    assert longfat("study", "status", study_folder, "--store", location).returncode == 0


def test_a_full_disk_loses_nothing_that_was_stored(
    longfat: Longfat, study_folder: Path, small_disk: Path, tmp_path: Path
) -> None:
    location = str(small_disk / "longfat.db")
    longfat("study", "run", study_folder, "--store", location)
    process = longfat("study", "run", study_folder, "--replications", "200", "--store", location)
    refused(process, location, "full", "to continue:", "longfat study run")

    room = tmp_path / "room"
    shutil.copytree(small_disk, room)
    with closing(sqlite3.connect(room / "longfat.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM runs").fetchone()[0] >= 15


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nonsense", "small", "-o", "a.svg"], ["'nonsense'", "efficiency-fairness"]),
        (["efficiency-fairness", "small"], ["-o FILE"]),
        (["efficiency-fairness", "small", "-o", "a.doc"], ["a.doc", ".svg"]),
        (
            ["efficiency-fairness", "small", "-o", "a.svg"],
            ["no runs that efficiency-fairness could draw", "study run"],
        ),
        (
            ["efficiency-fairness", "small", "-o", "a.svg", "--columns", "lod"],
            ["--columns: unknown factor 'lod'; known: load, policy, z"],
        ),
    ],
)
def test_a_wrong_plot_is_refused(
    longfat: Longfat, study_folder: Path, tmp_path: Path, arguments: list[str], expected: list[str]
) -> None:
    assert study_folder.parent == tmp_path
    refused(longfat("plot", *arguments), *expected)
    assert not list(tmp_path.glob("*.svg"))


def test_a_plot_into_a_folder_that_does_not_exist_is_refused(
    longfat: Longfat, study_folder: Path
) -> None:
    longfat("study", "run", study_folder, "--quick")
    process = longfat("plot", "efficiency-fairness", study_folder, "-o", "nowhere/a.svg")
    refused(process, "nowhere/a.svg: there is no folder")

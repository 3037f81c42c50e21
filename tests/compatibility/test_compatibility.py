"""Files that released versions have read and written are read today (docs/contracts.md)."""

import json
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from longfat import _engine
from longfat.scenarios.scenario import load_scenario
from longfat.store import Store
from longfat.studies.definition import load_study
from tests.support import Longfat

HERE = Path(__file__).parent
VERSIONS = sorted(folder.name for folder in HERE.glob("[0-9]*"))


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest) -> Path:
    return HERE / str(request.param)


@pytest.fixture
def store(kept: Path, tmp_path: Path, longfat: Longfat) -> Path:
    """The store of a version, upgraded if a command says so."""
    file = tmp_path / "kept.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript((kept / "store.sql").read_text())
    assert longfat("store", "upgrade", file).returncode == 0
    return file


def record_of(kept: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((kept / "record.json").read_text())
    return record


def is_of_this_model(engine: str) -> bool:
    """True if an engine's version, such as 0.1.0+model.2, has the number of the model of today."""
    return engine.rpartition("+model.")[2] == str(_engine.MODEL)


def lost(before: Any, now: Any, path: str = "") -> list[str]:
    """Paths of keys that are no longer there, or have a value of another type."""
    if isinstance(before, dict) and isinstance(now, dict):
        gone = [f"{path}.{key}" for key in before if key not in now]
        kept = (key for key in before if key in now)
        return [
            *gone,
            *(each for key in kept for each in lost(before[key], now[key], f"{path}.{key}")),
        ]
    if isinstance(before, list) and isinstance(now, list) and before and now:
        return lost(before[0], now[0], f"{path}[]")
    numbers = (int, float)
    same = type(before) is type(now) or (isinstance(before, numbers) and isinstance(now, numbers))
    return [] if same or before is None or now is None else [path]


def changed(before: Any, now: Any, path: str = "") -> list[str]:
    """Paths of settings that have another value, or are gone; new ones do not count."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            each for key in before for each in changed(before[key], now.get(key), f"{path}.{key}")
        ]
    return [] if before == now else [path]


def test_its_files_are_valid(kept: Path, longfat: Longfat) -> None:
    for file in (kept / "study", kept / "study" / "scenario.toml"):
        done = longfat("check", file)
        assert done.returncode == 0, done.stderr
    assert load_study(str(kept / "study")).name == "study"


def test_its_scenario_has_every_default_that_it_had(kept: Path) -> None:
    scenario = load_scenario(str(kept / "study" / "scenario.toml"))
    before = record_of(kept)["scenario"]
    assert changed(before, scenario.settings) == []


def test_its_record_is_a_scenario_and_comes_out_the_same(kept: Path, longfat: Longfat) -> None:
    before = record_of(kept)
    now = json.loads(longfat("run", kept / "record.json", "--json").stdout)
    assert lost(before, now) == []
    if is_of_this_model(before["engine"]):
        assert now["fingerprint"] == before["fingerprint"]
        assert changed(before["metrics"], now["metrics"]) == []


def test_its_store_is_whole_and_its_runs_can_be_repeated(store: Path, longfat: Longfat) -> None:
    assert longfat("store", "check", store).returncode == 0
    with closing(sqlite3.connect(store)) as database:
        runs = database.execute("SELECT run_id, engine FROM runs").fetchall()
    names = [name for name, _ in runs]
    assert runs
    with Store.readable(str(store)) as opened:
        assert {stored.run_id for stored in opened.stored_runs(names)} == set(names)
    name, engine = runs[0]
    if is_of_this_model(engine):
        done: subprocess.CompletedProcess[str] = longfat("run", "--from", store, name)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({"a": 1}, {"a": 2.5, "b": 1}, []),
        ({"a": {"b": 1}}, {"a": {}}, [".a.b"]),
        ({"a": [{"b": 1}]}, {"a": [{"c": 1}]}, [".a[].b"]),
        ({"a": 1}, {"a": "1"}, [".a"]),
    ],
)
def test_a_key_that_is_gone_or_has_another_type_is_found(
    before: Any, now: Any, expected: list[str]
) -> None:
    assert lost(before, now) == expected


def test_another_default_is_found() -> None:
    assert changed({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "d": 4}) == [".a.b", ".c"]

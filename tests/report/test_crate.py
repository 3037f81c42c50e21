"""A study as an RO-Crate, held to what the specification requires.

RO-Crate 1.1: sections "Root Data Entity", "Data Entities" and "Provenance of entities".
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import polars
import pytest

from longfat import _engine
from tests.support import Longfat

LICENSE = "https://creativecommons.org/licenses/by/4.0/"


@pytest.fixture
def crate(longfat: Longfat, study_folder: Path, tmp_path: Path) -> Path:
    assert longfat("study", "run", study_folder, "--jobs", "1").returncode == 0
    done = longfat("export", "study", study_folder, "--to", "crate", "--license", LICENSE)
    assert done.returncode == 0, done.stderr
    assert "crate: 15 runs" in done.stderr
    return tmp_path / "crate"


def entities(crate: Path) -> dict[str, dict[str, Any]]:
    document = json.loads((crate / "ro-crate-metadata.json").read_text())
    assert document["@context"] == "https://w3id.org/ro/crate/1.1/context"
    found = {entity["@id"]: entity for entity in document["@graph"]}
    assert len(found) == len(document["@graph"]), "an @id stands for one entity"
    return found


def references(value: Any) -> list[str]:
    """Every @id that an entity refers to."""
    if isinstance(value, list):
        return [found for item in value for found in references(item)]
    if isinstance(value, dict):
        own = [value["@id"]] if value.keys() == {"@id"} else []
        return own + [found for item in value.values() for found in references(item)]
    return []


def test_the_root_has_what_a_crate_must_have(crate: Path) -> None:
    found = entities(crate)
    descriptor, root = found["ro-crate-metadata.json"], found["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["@type"] == "Dataset"
    assert {"name", "description", "datePublished", "license", "hasPart"} <= root.keys()
    assert root["license"] == {"@id": LICENSE}


def test_every_reference_is_an_entity_or_an_address_and_every_file_is_there(crate: Path) -> None:
    found = entities(crate)
    for entity in found.values():
        for name in references(entity):
            assert name in found or name.startswith("https://"), name
    parts = {part["@id"] for part in found["./"]["hasPart"]}
    files = {name for name, entity in found.items() if entity["@type"] == "File"}
    on_disk = {str(file.relative_to(crate)) for file in crate.rglob("*") if file.is_file()}
    assert parts == files == on_disk - {"ro-crate-metadata.json"}
    for name in files & {name for name in found if "sha256" in found[name]}:
        assert found[name]["sha256"] == hashlib.sha256((crate / name).read_bytes()).hexdigest()


def test_the_action_says_who_made_what_of_what_and_when(crate: Path) -> None:
    found = entities(crate)
    action = found[found["./"]["mentions"]["@id"]]
    assert action["@type"] == "CreateAction"
    assert found[action["instrument"]["@id"]]["version"] == _engine.ENGINE_VERSION
    assert action["result"] == {"@id": "runs.parquet"}
    assert {"study.toml", "scenario.toml", "reference/a.csv"} <= {
        used["@id"] for used in action["object"]
    }
    assert action["startTime"] <= action["endTime"]


def test_the_table_has_the_runs_of_the_store(
    crate: Path, longfat: Longfat, study_folder: Path
) -> None:
    table = polars.read_parquet(crate / "runs.parquet")
    plan = json.loads(longfat("study", "plan", study_folder, "--json").stdout)["runs"]
    assert set(table["run_id"]) == {run["run_id"] for run in plan}
    columns = [entity["name"] for entity in entities(crate).values()
               if entity["@type"] == "PropertyValue"]  # fmt: skip
    assert columns == table.columns
    first = table.row(0, named=True)
    shown = json.loads(longfat("run", "--from", "longfat.db", first["run_id"], "--json").stdout)
    assert first["efficiency"] == shown["metrics"]["efficiency"]
    assert first["fingerprint"] == shown["fingerprint"]


def test_the_exported_study_plans_the_same_runs(
    crate: Path, longfat: Longfat, study_folder: Path
) -> None:
    documents = [
        json.loads(longfat("study", "plan", folder, "--json").stdout)
        for folder in (crate, study_folder)
    ]
    first, second = ({run["run_id"] for run in document["runs"]} for document in documents)
    assert first == second


def test_a_table_may_be_csv(crate: Path, longfat: Longfat, study_folder: Path) -> None:
    done = longfat("export", "study", study_folder, "--to", "other", "--format", "csv")
    assert done.returncode == 0
    other = crate.parent / "other"
    parquet = polars.read_parquet(crate / "runs.parquet")
    assert (
        polars.read_csv(other / "runs.csv")["efficiency"].to_list()
        == parquet["efficiency"].to_list()
    )
    assert entities(other)["runs.csv"]["encodingFormat"] == "text/csv"
    assert entities(other)["./"]["license"] == "none stated"


def test_no_folder_is_overwritten_and_no_empty_study_exported(
    longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    done = longfat("export", "study", study_folder, "--to", "none")
    assert done.returncode != 0
    assert "no run of small to export" in done.stderr
    assert not (tmp_path / "none").exists()
    done = longfat("export", "study", study_folder, "--to", study_folder)
    assert done.returncode != 0
    assert "has files in it" in done.stderr

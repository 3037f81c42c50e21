"""The answer in words, the claims and the cautions of a study's page agree with the commands."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.report.test_cautions_travel import ARRIVED, SCENARIO, STUDY
from tests.support import Longfat

CLAIM = """\
schema_version = 1

[[claim]]
id = "S-1"
statement = "Light loads are carried"
measure = "SELECT avg(efficiency) FROM runs WHERE load = 'light'"
holds = "> 0.01"

[[claim]]
id = "S-2"
statement = "Heavy loads are carried"
measure = "SELECT avg(efficiency) FROM runs WHERE load = 'heavy'"
holds = "> 0.01"
"""


@pytest.fixture
def outcome(store: str, client: TestClient, study_folder: Path) -> dict[str, Any]:
    """The outcome of the study `small`, half of which has been run."""
    assert Path(store).exists()
    (study_folder / "claims.toml").write_text(CLAIM)
    found: dict[str, Any] = client.get("/api/studies/small/outcome").json()
    return found


def test_answers_are_those_of_the_comparison(
    outcome: dict[str, Any], longfat: Longfat, study_folder: Path
) -> None:
    compared = json.loads(longfat("study", "compare", study_folder, "--json").stdout)
    answers = [table["answer"] for table in compared["tables"] if table["answer"] is not None]
    assert len(answers) == len(outcome["tables"]) > 1
    for answer, table in zip(answers, outcome["tables"], strict=True):
        assert table["sentences"] == answer["sentences"]
        assert table["factors"] == answer["factors"]
    assert any("have no result yet" in said for said in outcome["tables"][0]["sentences"])


def test_verdicts_are_those_of_the_command_and_lead_to_their_runs(
    outcome: dict[str, Any], longfat: Longfat, client: TestClient, study_folder: Path
) -> None:
    document = json.loads(longfat("study", "claims", study_folder, "--json").stdout)
    found = outcome["claims"]["claims"]
    assert [{**claim, "combinations": []} for claim in document["claims"]] == [
        {**claim, "combinations": []} for claim in found
    ]
    assert [claim["verdict"] for claim in found] == ["holds", "no data"]
    for claim, load in zip(found, ("light", "heavy"), strict=True):
        assert claim["combinations"]
        for number in claim["combinations"]:
            runs = client.get(f"/api/studies/small/combinations/{number}").json()
            assert runs["levels"]["load"] == load


def test_the_best_of_a_table_leads_to_its_runs(outcome: dict[str, Any], client: TestClient) -> None:
    for table in outcome["tables"]:
        for best in table["best"]:
            assert best["combinations"]
            for number in best["combinations"]:
                levels = client.get(f"/api/studies/small/combinations/{number}").json()["levels"]
                assert best["levels"].items() <= levels.items()


@pytest.mark.usefixtures("store")
def test_a_study_without_claims_has_none(client: TestClient) -> None:
    assert client.get("/api/studies/small/outcome").json()["claims"] is None
    assert client.get("/api/studies/nosuch/outcome").status_code == 404


def test_a_wrong_claim_is_reported_and_the_rest_of_the_page_is_there(
    store: str, client: TestClient, study_folder: Path
) -> None:
    assert Path(store).exists()
    (study_folder / "claims.toml").write_text(CLAIM.replace("avg(eff", "avg(oops"))
    answer = client.get("/api/studies/small/outcome")
    assert answer.status_code == 422
    assert "oops" in " ".join(answer.json()["problems"])
    assert client.get("/api/studies/small").status_code == 200


@pytest.fixture
def far(study_folder: Path, longfat: Longfat) -> None:
    """The study `small` is one of which half of the combinations deliver too little."""
    for name, text in (("scenario", SCENARIO), ("study", STUDY)):
        (study_folder / f"{name}.toml").write_text(text)
    assert longfat("study", "run", study_folder, "--jobs", "1").returncode == 0


@pytest.mark.usefixtures("far")
def test_cautions_of_a_page_name_their_combinations(
    client: TestClient,
) -> None:
    study = client.get("/api/studies/small").json()
    (undelivered,) = [one for one in study["cautions"] if one["kind"] == "undelivered"]
    assert ARRIVED in undelivered["said"]
    assert undelivered["metric"] == "flow p95_s"
    place = [factor["name"] for factor in study["factors"]].index("delay")
    delays = [
        study["combinations"][number]["levels"][place] for number in undelivered["combinations"]
    ]
    assert delays == ["geo", "geo"]
    for combination in study["combinations"]:
        low, high = combination["intervals"]["flow p95_s"]
        assert low <= combination["means"]["flow p95_s"] <= high

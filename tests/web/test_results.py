"""Pages of studies and runs agree with the store and the command line."""

import csv
import json
import math
import re
import shlex
from pathlib import Path
from statistics import fmean

import pytest
from starlette.testclient import TestClient

from longfat.plots import PLOTS, find
from longfat.plots.options import STUDY_SOURCES
from longfat.web.view import View
from tests.support import Longfat
from tests.web.conftest import TOKEN


def test_the_state_of_a_study_is_what_study_status_says(
    store: str, client: TestClient, longfat: Longfat, study_folder: Path
) -> None:
    status = json.loads(longfat("study", "status", study_folder, "--json").stdout)
    overview = client.get("/api/studies").json()
    found = next(study for study in overview["studies"] if study["name"] == "small")
    assert found["state"] == {name: status[name] for name in found["state"]}
    assert 0 < found["state"]["done"] < found["state"]["runs"]
    assert overview["store"] == store
    assert found["command"] == f"longfat study run {study_folder} --store {store}"
    shipped = next(study for study in overview["studies"] if study["name"] == "ubr-plus")
    assert shipped["command"] == f"longfat study run ubr-plus --store {store}"
    assert {"ubr-plus", "guaranteed-rate"} <= {study["name"] for study in overview["studies"]}


@pytest.mark.usefixtures("store")
def test_means_are_those_of_the_comparison(
    client: TestClient, longfat: Longfat, study_folder: Path
) -> None:
    compared = json.loads(longfat("study", "compare", study_folder, "--json").stdout)
    table = next(
        table
        for table in compared["tables"]
        if (table["table"], table["response"]) == ("A", "efficiency")
    )
    study = client.get("/api/studies/small").json()
    factors = [factor["name"] for factor in study["factors"]]
    means = {
        tuple(combination["levels"]): combination["means"].get("efficiency")
        for combination in study["combinations"]
    }
    compared_means = {
        tuple(entry.get(factor) for factor in factors): entry["mean"] for entry in table["entries"]
    }
    assert any(mean is not None for mean in compared_means.values())
    assert {levels: means[levels] for levels in compared_means} == compared_means
    assert study["metrics"][:2] == ["efficiency", "fairness"]


@pytest.mark.usefixtures("store")
def test_what_is_missing_of_a_combination_comes_with_the_command_that_runs_it(
    client: TestClient, longfat: Longfat
) -> None:
    study = client.get("/api/studies/small").json()
    places = range(len(study["combinations"]))
    answers = [client.get(f"/api/studies/small/combinations/{place}").json() for place in places]
    lacking = [
        place
        for place, answer in enumerate(answers)
        if any(run["status"] == "missing" for run in answer["runs"])
    ]
    assert [place for place in places if answers[place]["command"]] == lacking
    command = shlex.split(answers[lacking[0]]["command"])
    assert command[:3] == ["longfat", "study", "run"]
    assert longfat(*command[1:]).returncode == 0
    now = client.get(f"/api/studies/small/combinations/{lacking[0]}").json()
    assert now["command"] is None
    assert {run["status"] for run in now["runs"]} == {"done"}


def test_a_combination_leads_to_its_runs_and_they_to_their_parts(
    store: str, client: TestClient, longfat: Longfat
) -> None:
    study = client.get("/api/studies/small").json()
    number = next(place for place, found in enumerate(study["combinations"]) if found["done"] > 1)
    combination = study["combinations"][number]
    runs = client.get(f"/api/studies/small/combinations/{number}").json()["runs"]
    assert [run["replication"] for run in runs] == [0, 1, 2]
    mean = fmean(run["metrics"]["efficiency"] for run in runs[1:])
    assert mean == combination["means"]["efficiency"]
    run_id = runs[1]["run_id"]
    record = json.loads(longfat("run", "--from", store, run_id, "--json").stdout)
    page = client.get(f"/api/runs/{run_id}").json()
    for name in ("fingerprint", "flows", "ports", "seed", "replication", "engine"):
        assert page[name] == record[name]
    assert page["metrics"].items() <= record["metrics"].items()
    assert page["commands"][0] == f"longfat run --from {store} {run_id[:12]}"


@pytest.mark.usefixtures("store")
def test_the_traces_of_a_stored_run_come_from_the_same_run_again(client: TestClient) -> None:
    run_id = client.get("/api/studies/small/combinations/0").json()["runs"][1]["run_id"]
    answer = client.post(f"/api/runs/{run_id}/charts", json={"page": "a page"}).json()
    assert answer["is_as_stored"]
    assert answer["run_id"] == run_id
    assert [chart["name"] for chart in answer["charts"]] == ["cwnd", "queue", "goodput"]


@pytest.mark.usefixtures("store")
def test_a_stored_run_opens_in_the_playground_as_the_same_run(client: TestClient) -> None:
    run_id = client.get("/api/studies/small/combinations/0").json()["runs"][1]["run_id"]
    settings = client.get(f"/api/runs/{run_id}").json()["settings"]
    answer = client.post("/api/play", json={"page": "a page", "settings": settings}).json()
    assert answer["run_id"] == run_id


@pytest.mark.usefixtures("store")
def test_plots_of_a_study_are_those_of_the_command(
    client: TestClient, longfat: Longfat, study_folder: Path, tmp_path: Path
) -> None:
    kinds = [kind["name"] for kind in client.get("/api/studies/small").json()["figures"]]
    assert {"efficiency-fairness", "ledger", "reference"} <= set(kinds)
    answer = client.get("/api/studies/small/figures/reference", params={"table": "A"}).json()
    file = tmp_path / "reference.csv"
    longfat("plot", "reference", study_folder, "--table", "A", "-o", file)
    numbers = [float(text) for text in re.findall(r"\d+\.\d+", json.dumps(answer["specification"]))]
    assert re.fullmatch(r"The paper's values against ours, .*; n = .*\.", answer["caption"])
    with file.open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) > 1
    for row in rows:  # specifications have fewer digits
        assert any(math.isclose(number, float(row["ours"]), rel_tol=1e-3) for number in numbers)


@pytest.mark.usefixtures("store")
def test_factors_have_the_roles_in_a_figure_that_are_chosen(client: TestClient) -> None:
    study = client.get("/api/studies/small").json()
    roles = {figure["name"]: figure["roles"] for figure in study["figures"]}
    assert roles["responses"] == ["columns", "colors", "markers"]
    address = "/api/studies/small/figures/responses"
    answer = client.get(address, params={"table": "A", "colors": "load"})
    assert "--table A --colors load --store" in answer.json()["command"]
    assert answer.json()["specification"] != client.get(address).json()["specification"]
    refused = client.get(address, params={"colors": "loud"})
    assert refused.status_code == 422
    assert "--colors: unknown factor 'loud'; known: " in refused.json()["problems"][0]


@pytest.mark.usefixtures("store")
def test_every_figure_that_is_offered_can_be_drawn_and_no_other(client: TestClient) -> None:
    study = client.get("/api/studies/small").json()
    offered = {figure["name"]: figure["tables"] for figure in study["figures"]}
    for kind in (name for name in PLOTS if find(name).SOURCE in STUDY_SOURCES):
        for table in ("", *study["tables"]):
            answer = client.get(f"/api/studies/small/figures/{kind}", params={"table": table})
            assert (answer.status_code == 200) == (table in offered.get(kind, ())), (kind, table)
    assert "buffer-efficiency" not in offered


def test_a_study_without_runs_offers_no_figures(client: TestClient) -> None:
    assert client.get("/api/studies/small").json()["figures"] == []


def test_a_store_that_does_not_exist_reads_as_empty_and_is_not_made(
    client: TestClient, tmp_path: Path
) -> None:
    study = client.get("/api/studies/small").json()
    assert study["state"]["done"] == 0
    assert study["state"]["missing"] == study["state"]["runs"]
    assert not (tmp_path / "longfat.db").exists()


def test_looking_changes_nothing_in_a_store(store: str, client: TestClient) -> None:
    before = Path(store).read_bytes()
    run_id = client.get("/api/studies/small/combinations/0").json()["runs"][1]["run_id"]
    client.get("/api/studies/small")
    client.post(f"/api/runs/{run_id}/charts", json={"page": "a page"})
    assert Path(store).read_bytes() == before


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/studies/unknown", 404),
        ("/api/studies/unknown/state", 404),
        ("/api/studies/small/figures/cwnd", 404),
        ("/api/studies/small/figures/unknown", 404),
        ("/api/studies/small/figures/ledger", 422),
        ("/api/studies/small/figures/ledger?table=Z", 422),
        ("/api/studies/small/combinations/99999", 404),
        ("/api/studies/small/combinations/-1", 404),
        ("/api/runs/zz", 422),
        ("/api/runs/%27%20OR%201=1", 422),
    ],
)
def test_an_unknown_address_is_not_found_with_a_message(
    client: TestClient, address: str, status: int
) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    if "-1" not in address:
        assert answer.json()["problems"]


def test_a_file_that_is_no_store_is_reported(client: TestClient, view: View) -> None:
    Path(view.location).write_text("a letter to a friend")
    answer = client.get("/api/studies")
    assert answer.status_code == 422
    assert "not an SQLite file" in answer.json()["problems"][0]
    assert TOKEN not in answer.text

"""check, models, schema and doctor."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from longfat import _engine
from longfat.cli.schema import KINDS
from longfat.store import Store
from tests.cli.test_bad_input import refused
from tests.support import Longfat


def test_a_good_scenario_is_called_good(longfat: Longfat, scenario_file: Path) -> None:
    process = longfat("check", scenario_file)
    assert process.returncode == 0
    assert process.stdout.startswith(f"{scenario_file}: a good scenario\n")


GEO = """
schema_version = 1
duration = "10 s"
framing = "packet"
port.buffer = "0.5 BDP"
tcp = { preset = "linux-like", mss = "1460 B", timestamps = false }
[topology]
kind = "n-source"
sources = 2
access = { rate = "1 Gbit/s", delay = "5 ms" }
bottleneck = { rate = "200 Mbit/s", delay = "290 ms" }
"""


def test_the_check_of_a_scenario_says_what_its_path_holds_and_who_cannot_fill_it(
    longfat: Longfat, tmp_path: Path
) -> None:
    (tmp_path / "geo.toml").write_text(GEO)
    shown = longfat("check", "geo.toml").stdout
    # 2 (290 + 2 * 5) ms at 200 Mbit/s are 15 MB, half of it 5,000 packets of 1500 B.
    (row,) = (line.split() for line in shown.splitlines() if " packets " in line)
    assert row == ["bottleneck", "200", "600", "15,000", "5000", "packets", "300", "0.5"]
    assert "6,291.5 kB under way (tcp.receiver_window), 0.419 of what bottleneck" in shown
    document = json.loads(longfat("check", "geo.toml", "--json").stdout)
    (port,) = document["network"]["ports"]
    assert (port["buffer_bits"], port["longest_round_trip_ps"]) == (60 * 10**6, 6 * 10**11)
    assert "alone it cannot fill it" in document["remarks"][0]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ('tcp={ flavor = "prague", ecn = "classic" }', "prague responds to the share"),
        ('tcp={ flavor = "dctcp" }', 'ecn = "none" does not report: write "per-segment"'),
        ('connections=[{ flavor = "bbr", ecn = "classic" }, {}]', "bbr does not respond to marks"),
        ('tcp={ flavor = "dctcp", ecn = "per-segment" }', None),
        ('connections=[{ flavor = "prague", ecn = "accurate" }, { flavor = "bbr" }]', None),
    ],
)
def test_the_check_of_a_scenario_says_who_hears_no_marks(
    longfat: Longfat, scenario_file: Path, setting: str, expected: str | None
) -> None:
    remarks = json.loads(longfat("check", scenario_file, "--set", setting, "--json").stdout)[
        "remarks"
    ]
    about_marks = [words for words in remarks if "ecn" in words]
    if expected is None:
        assert about_marks == []
    else:
        assert [expected in words for words in about_marks] == [True]


def test_settings_of_a_check_are_for_scenarios(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("check", study_folder, "--set", "duration=1 s")
    refused(process, "--set is for scenarios")


def test_a_good_study_is_called_good(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("check", study_folder / "study.toml", "--json")
    assert process.returncode == 0
    assert json.loads(process.stdout) == {
        "file": str(study_folder / "study.toml"),
        "kind": "study",
        "valid": True,
        "problems": [],
    }


def test_a_folder_is_checked_as_a_study_with_its_claims(
    longfat: Longfat, study_folder: Path
) -> None:
    process = longfat("check", study_folder)
    assert (process.returncode, process.stdout) == (0, f"{study_folder}: a good study\n")
    claims = study_folder / "claims.toml"
    claims.write_text("schema_version = 2\n")
    process = longfat("check", study_folder)
    assert process.returncode == 2
    assert process.stderr.startswith(f"{claims}:1:")


def test_a_shipped_study_is_checked_by_its_name(longfat: Longfat) -> None:
    process = longfat("check", "leo")
    assert (process.returncode, process.stdout) == (0, "leo: a good study\n")


CLAIMS = """\
schema_version = 1

[[claim]]
id = "C-1"
statement = "Something happens."
measure = "SELECT max(efficiency) FROM runs"
holds = "=> 1"

[[claim]]
id = "C-2"
statement = "Nothing happens."
measure = "SELECT max(eficiency) FROM runs"
holds = "> 1"

[[claim]]
id = "C-1"
statement = "Something happens again."
measure = "SELECT 1"
holds = "> 0"
"""


def test_what_is_wrong_with_one_claim_hides_nothing_of_the_others(
    longfat: Longfat, study_folder: Path
) -> None:
    claims = study_folder / "claims.toml"
    claims.write_text(CLAIMS)
    for checked in (claims, study_folder):
        process = longfat("check", checked)
        assert process.returncode == 2
        assert [line.split(": ")[0] for line in process.stderr.splitlines()] == [
            f"{claims}:7:9",
            f"{claims}:16:6",
            f"{claims}:12:11",
            str(claims),
        ]


def test_what_is_wrong_with_a_study_does_not_hide_what_is_wrong_with_its_claims(
    longfat: Longfat, study_folder: Path
) -> None:
    file, claims = study_folder / "study.toml", study_folder / "claims.toml"
    claims.write_text(CLAIMS)
    text = file.read_text()
    file.write_text(text.replace("reference-rows", "rows").replace('"port.policy.z"', '"port.z"'))
    process = longfat("check", study_folder)
    assert process.returncode == 2
    *problems, last = process.stderr.splitlines()
    for expected in (
        f"{file}:7:8: design.kind: unknown choice",
        f"{file}:18:13: port.z: unknown key",
        f"{claims}:7:9: claim[0].holds",
        f"{claims}:16:6: claim[2].id: a second claim",
    ):
        assert any(problem.startswith(expected) for problem in problems), expected
    assert last == "fix this to have the rest checked"


def test_all_problems_of_a_scenario_are_reported_with_their_places(
    longfat: Longfat, scenario_file: Path
) -> None:
    text = scenario_file.read_text()
    scenario_file.write_text(text.replace("sources = 2", "sources = 0").replace("50 ms", "50"))
    process = longfat("check", scenario_file)
    assert process.returncode == 2
    assert process.stdout == ""
    assert [line.split(": ")[0] for line in process.stderr.splitlines()] == [
        f"{scenario_file}:2:12",
        f"{scenario_file}:7:11",
    ]
    document = json.loads(longfat("check", scenario_file, "--json").stdout)
    assert document["valid"] is False
    assert document["problems"] == process.stderr.splitlines()


def test_a_bad_reference_table_is_a_problem_of_the_study(
    longfat: Longfat, study_folder: Path
) -> None:
    table = study_folder / "reference" / "a.csv"
    table.write_text(table.read_text().replace("0.95", "0.9S"))
    process = longfat("check", study_folder / "study.toml")
    assert process.returncode == 2
    assert f"{table}:3: fairness '0.9S' is not a number" in process.stderr


@pytest.mark.parametrize(
    ("name", "kind"), [("study.toml", "study"), ("claims.toml", "file of claims")]
)
@pytest.mark.parametrize("text", ["", "schema_version = 1\n"])
def test_a_file_is_what_its_name_says_even_if_it_says_nothing(
    longfat: Longfat, study_folder: Path, name: str, kind: str, text: str
) -> None:
    (study_folder / name).write_text(text)
    document = json.loads(longfat("check", study_folder / name, "--json").stdout)
    assert document["kind"] == kind
    assert "topology" not in str(document["problems"])


def test_models_are_listed_with_their_sources(longfat: Longfat) -> None:
    models = json.loads(longfat("models", "--json").stdout)
    assert {"kind", "name", "summary", "source", "parameters"} <= models[0].keys()
    assert "selective-drop" in longfat("models").stdout


def test_a_parameter_is_a_row_that_begins_with_its_name(longfat: Longfat) -> None:
    lines = longfat("models", "dualpi2").stdout.splitlines()
    header = next(line.split("  ") for line in lines if "alternatives" in line)
    titles = [title.strip() for title in header if title.strip()]
    assert titles == ["parameter", "default", "expected", "alternatives", "what it is"]
    (check,) = (line.split() for line in lines if line.strip().startswith("length_check"))
    assert check[1] == "dequeue"
    assert "None" not in "".join(lines)


def test_a_preset_is_shown_with_the_values_that_it_sets(longfat: Longfat) -> None:
    process = longfat("models", "linux-like")
    assert process.returncode == 0, process.stderr
    (line,) = (line for line in process.stdout.splitlines() if line.startswith("  receiver_window"))
    assert "6 MiB" in line


def test_every_kind_of_model_can_be_shown(longfat: Longfat) -> None:
    models = json.loads(longfat("models", "--json").stdout)
    for kind in {model["kind"] for model in models}:
        process = longfat("models", kind)
        assert process.returncode == 0, process.stderr


def test_models_of_one_kind_come_with_their_parameters(longfat: Longfat) -> None:
    kind = json.loads(longfat("models", "--json").stdout)[0]["kind"]
    process = longfat("models", kind)
    assert process.returncode == 0
    assert "threshold" in process.stdout


def test_an_unknown_kind_of_model_is_refused_with_the_known_ones(longfat: Longfat) -> None:
    process = longfat("models", "colour")
    assert process.returncode == 2
    assert "kinds: " in process.stderr


@pytest.mark.parametrize("kind", ["drop-policy", "drop policy", "Drop_Policy"])
def test_kinds_are_found_however_their_words_are_joined(longfat: Longfat, kind: str) -> None:
    models = json.loads(longfat("models", kind, "--json").stdout)
    assert {model["kind"] for model in models} == {"drop policy"}


def test_a_model_is_found_by_its_own_name(longfat: Longfat) -> None:
    process = longfat("models", "cubic")
    assert process.returncode == 0
    assert "TCP flavor" in process.stdout
    assert "fast_convergence" in process.stdout
    assert "dctcp" not in process.stdout


def test_a_name_that_kinds_share_means_a_model_of_each(longfat: Longfat) -> None:
    models = json.loads(longfat("models", "tail-drop", "--json").stdout)
    assert [model["kind"] for model in models] == ["drop policy", "queue discipline"]


@pytest.mark.parametrize(("wrong", "right"), [("tcp flavour", "TCP flavor"), ("cubc", "cubic")])
def test_the_nearest_model_is_suggested(longfat: Longfat, wrong: str, right: str) -> None:
    refused(longfat("models", wrong), repr(wrong), f"did you mean {right!r}?")


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_json_schemas(longfat: Longfat, kind: str) -> None:
    schema = json.loads(longfat("schema", kind).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]


def test_the_doctor_prints_versions_build_and_store(longfat: Longfat, tmp_path: Path) -> None:
    with Store.writable(str(tmp_path / "longfat.db")):
        pass
    process = longfat("doctor", "--json")
    assert process.returncode == 0
    document = json.loads(process.stdout)
    assert document["build_profile"] == "release"
    assert document["cores"] >= 1
    assert document["store"] == {
        "name": "longfat.db",
        "exists": True,
        "done": 0,
        "failed": 0,
        "check": "ok",
    }


def test_the_doctor_makes_no_store(longfat: Longfat, tmp_path: Path) -> None:
    process = longfat("doctor")
    assert process.returncode == 0
    assert not (tmp_path / "longfat.db").exists()


def test_the_doctor_finds_a_damaged_store(longfat: Longfat, tmp_path: Path) -> None:
    file = tmp_path / "longfat.db"
    with Store.writable(str(file)):
        pass
    with closing(sqlite3.connect(file)) as database:
        pages = database.execute("PRAGMA page_count").fetchone()[0]
    content = bytearray(file.read_bytes())
    size = len(content) // pages
    content[-size:] = b"\xff" * size
    file.write_bytes(content)
    process = longfat("doctor")
    assert process.returncode == 3
    assert "Traceback" not in process.stderr


def test_a_run_too_short_for_a_steady_state_is_reported(
    longfat: Longfat, scenario_file: Path
) -> None:
    """A satellite's slow start: its window doubles in round trips of 0.56 s."""
    far = ["--set", "topology.bottleneck.delay=275 ms", "--set", "port.buffer=20000 cells"]

    def remarks(*more: str) -> list[str]:
        process = longfat("check", scenario_file, *far, *more, "--json")
        found: list[str] = json.loads(process.stdout)["remarks"]
        return found

    short = " ".join(remarks("--set", "duration=20 s"))
    assert "slow start takes about" in short
    assert "measure.from" in short
    late = " ".join(remarks("--set", "duration=20 s", "--set", "measure.from=10 s"))
    assert "slow start" not in late
    assert "and 10 s are measured" in late
    finite = ["--set", 'traffic={kind="finite",size="1 MB"}']
    assert "slow start" not in " ".join(remarks("--set", "duration=20 s", *finite))


def test_metrics_are_listed_with_what_they_are_and_which_way_is_better(longfat: Longfat) -> None:
    metrics = json.loads(longfat("metrics", "--json").stdout)
    better = {metric["name"]: metric["better"] for metric in metrics}
    assert better["efficiency"] == "more"
    assert better["mean_round_trip_s"] == "less"
    assert better["offered_bps"] is None
    assert better.keys() == set(_engine.METRICS)
    assert all(metric["what"].endswith(".") for metric in metrics)
    assert "max_min_fairness" in longfat("metrics").stdout


def test_an_unknown_metric_is_refused_with_the_nearest(longfat: Longfat) -> None:
    process = longfat("metrics", "round_trip")
    assert process.returncode == 2
    assert process.stderr == (
        "no metric is called 'round_trip'; did you mean 'mean_round_trip_s'?\n"
    )
    assert longfat("metrics", "timeouts").stdout.count("less") == 1

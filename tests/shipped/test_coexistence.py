import json
import runpy
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import PlannedRun, Selection, plan_reference, selection_of
from tests.support import Longfat

FLAVORS = {"reno": "rack-tlp-linux", "cubic": "cubic", "bbr": "bbr"}
QUEUES = ("tail-drop", "pie", "codel", "fq-codel")
BUFFERS = ("25000 B", "100000 B", "400000 B")
PARTS = ("harm", "delay", "completions", "newcomers")


@pytest.fixture(scope="module")
def coexistence() -> StudyDefinition:
    return load_study("coexistence")


def planned(study: StudyDefinition, *tables: str) -> list[tuple[dict[str, str], PlannedRun]]:
    plan = plan_reference(study, Selection(tables=tables, replications=0))
    return [(dict(run.combination), run) for run in plan.runs]


@pytest.fixture(scope="module")
def pairs(coexistence: StudyDefinition) -> list[tuple[dict[str, str], PlannedRun]]:
    return planned(coexistence, "share")


def test_each_replication_has_every_pair_behind_every_queue_once(
    pairs: list[tuple[dict[str, str], PlannedRun]],
) -> None:
    combinations = {
        (levels["first"], levels["second"], levels["queue"], levels["buffer"], levels["ratio"])
        for levels, _ in pairs
    }
    assert combinations == set(product(FLAVORS, FLAVORS, QUEUES, BUFFERS, ("1", "4")))
    assert len(pairs) == len(combinations)


def test_who_meets_whom_at_which_distance_is_what_the_levels_say(
    pairs: list[tuple[dict[str, str], PlannedRun]],
) -> None:
    for levels, run in pairs:
        settings = run.scenario.settings
        first, second = settings["connections"]
        assert first["flavor"]["kind"] == FLAVORS[levels["first"]]
        assert second["flavor"]["kind"] == FLAVORS[levels["second"]]
        topology = settings["topology"]
        common = 2 * (topology["bottleneck"]["delay_ps"] + topology["access"]["delay_ps"])
        round_trip = common + 2 * first["access_delay_ps"]
        assert round_trip == int(levels["ratio"]) * 40e9


def test_buffers_are_a_quarter_one_and_four_bandwidth_delay_products(
    pairs: list[tuple[dict[str, str], PlannedRun]],
) -> None:
    products = set()
    for _, run in pairs:
        rate = run.scenario.settings["topology"]["bottleneck"]["rate_bps"]
        size, _ = run.scenario.settings["port"]["buffer_cells"].split()
        products.add(int(size) / (rate * 0.04 / 8))
    assert products == {0.25, 1, 4}


def test_what_a_control_has_alone_is_there_wherever_it_meets_others(
    coexistence: StudyDefinition,
) -> None:
    def places(tables: tuple[str, ...]) -> set[tuple[str, str, str, str]]:
        return {
            (levels["first"], levels["queue"], levels["buffer"], levels["ratio"])
            for levels, _ in planned(coexistence, *tables)
            if levels["second"] == "nobody" or tables == ("share",)
        }

    assert places(("solo",)) == places(("share",))


def test_nobody_begins_after_the_end(coexistence: StudyDefinition) -> None:
    for levels, run in planned(coexistence, "solo", "bbr3", "l4s", "classic"):
        settings = run.scenario.settings
        if levels["second"] == "nobody":
            assert settings["connections"][1]["later_ps"] > settings["duration_ps"]


def test_only_prague_understands_marks(coexistence: StudyDefinition) -> None:
    for levels, run in planned(coexistence, "l4s", "classic"):
        for name, connection in zip(
            (levels["first"], levels["second"]), run.scenario.settings["connections"], strict=True
        ):
            assert ("ecn" in connection) == (name == "prague")


def test_the_quick_size_has_some_three_hundred_runs(coexistence: StudyDefinition) -> None:
    assert coexistence.quick.where is not None
    part = Selection(where=(coexistence.quick.where,), replications=coexistence.quick.replications)
    plan = plan_reference(coexistence, part)
    assert 200 <= plan.distinct_runs <= 300


@pytest.mark.parametrize("part", PARTS)
def test_the_page_has_its_tables_from_a_program_that_it_names(
    coexistence: StudyDefinition, part: str
) -> None:
    page = (Path(coexistence.folder) / "README.md").read_text()
    command = f"python studies/coexistence/tables.py {part}"
    begin, end = f"<!-- BEGIN: {command} -->", f"<!-- END: {command} -->"
    assert page.count(begin) == page.count(end) == 1
    assert "|" in page.partition(begin)[2].partition(end)[0]


def test_short_flows_are_reported_by_queue_and_pair_and_faster_in_queues_of_their_own(
    coexistence: StudyDefinition, longfat: Longfat, tmp_path: Path
) -> None:
    store = str(tmp_path / "flows.db")
    arguments = ("--table", "flows", "--replications", "0", "--store", store)
    assert longfat("study", "run", "coexistence", *arguments).returncode == 0
    program = Path(coexistence.folder) / "tables.py"
    told = subprocess.run(
        [sys.executable, program, "completions", "--replications", "0", "--store", store],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in told.splitlines()[2:]]
    p95 = {tuple(row[:3]): float(row[3].split("/")[1]) for row in rows if row}
    assert len(p95) == 4 * 6 * 2
    for (queue, *where), milliseconds in p95.items():
        if queue == "tail-drop":
            assert p95["fq-codel", *where] < milliseconds
    judged = longfat("study", "claims", "coexistence", "--only", "CX-20", "--replications", "0",
                     "--store", store, "--json")  # fmt: skip
    (claim,) = json.loads(judged.stdout)["claims"]
    assert claim["verdict"] == "holds"


def test_the_quick_size_leaves_dashes_where_it_has_no_runs(
    coexistence: StudyDefinition, longfat: Longfat, tmp_path: Path
) -> None:
    store = str(tmp_path / "quick.db")
    part = ("--table", "share,solo", "--quick", "--where", "queue = 'fq-codel'")
    assert longfat("study", "run", "coexistence", *part, "--store", store).returncode == 0
    program = runpy.run_path(str(Path(coexistence.folder) / "tables.py"))
    narrowed = selection_of((), "queue = 'fq-codel'", None, coexistence.quick)
    with Store.readable(store) as opened:
        runs = program["Runs"].of(coexistence, opened, ("share", "solo"), narrowed)
    _, rows = program["_harm"](
        lambda victim, other, **where: program["harm_to_first"](runs, victim, other, "4", **where),
        ["fq-codel"],
    )
    for _, victim, *cells in rows:
        assert victim in FLAVORS
        for small, moderate, large in (cell.split(" / ") for cell in cells):
            assert (small, large) == ("-", "-")
            assert 0 < float(moderate) < 1


def test_a_part_without_its_runs_says_how_many_are_missing(
    coexistence: StudyDefinition, tmp_path: Path
) -> None:
    program = Path(coexistence.folder) / "tables.py"
    done = subprocess.run(
        [sys.executable, program, "harm", "--store", tmp_path / "none.db"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "runs of the tables share, solo are not there" in done.stderr

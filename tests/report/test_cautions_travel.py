"""Cautions stand beside the numbers that they concern, wherever these are shown."""

import json
import re
from pathlib import Path

import pytest

import longfat as lf
from tests.support import Longfat

SCENARIO = """\
schema_version = 1
duration = "4 s"
framing = "packet"

[topology]
kind = "n-source"
sources = 4
access = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "2 ms" }

[port]
buffer = "60 packets"
queue = "tail-drop"

[tcp]
preset = "rfc"

[traffic]
kind = "flows"
interval = "100 ms"
size = { kind = "fixed", size = "10 kB" }
"""

STUDY = """\
schema_version = 1
title = "Short runs, of which one is too short for its path"

[design]
kind = "full-factorial"
replications = 2

[factors]
"topology.bottleneck.delay" = { lan = "2 ms", geo = "150 ms" }
"port.buffer" = ["30 packets", "60 packets"]

[[response]]
table = "times"
metric = "flow p95_s"
rows = { delay = "all", buffer = "all" }
across = "buffer"
"""

CLAIMS = """\
schema_version = 1

[[claim]]
id = "T-1"
statement = "Flows are quick"
measure = "SELECT avg(completions ->> '$.flow.p95_s') FROM runs"
holds = "< 10"
"""

ARRIVED = "with 2 of 4 settings less than 95 % had arrived when the runs ended"


@pytest.fixture
def far(tmp_path: Path, longfat: Longfat) -> Path:
    """A study of which half of the combinations deliver too little; its runs are stored."""
    folder = tmp_path / "far"
    folder.mkdir()
    for name, text in (("scenario", SCENARIO), ("study", STUDY), ("claims", CLAIMS)):
        (folder / f"{name}.toml").write_text(text)
    process = longfat("study", "run", "./far", "--jobs", "1")
    assert process.returncode == 0, process.stderr
    return folder


@pytest.mark.usefixtures("far")
def test_a_caution_is_in_every_form_of_what_it_concerns(longfat: Longfat) -> None:
    process = longfat("study", "compare", "./far", "--json")
    assert ARRIVED in process.stderr
    (table,) = json.loads(process.stdout)["tables"]
    (undelivered,) = [one for one in table["cautions"] if one["kind"] == "undelivered"]
    assert ARRIVED in undelivered["said"]
    in_doubt = {
        (entry["delay"], entry["buffer"])
        for entry in table["entries"]
        if "undelivered" in entry["cautions"]
    }
    assert in_doubt == {("geo", "30 packets"), ("geo", "60 packets")}

    claims = longfat("study", "claims", "./far", "--json")
    assert f"T-1: flow p95_s: {ARRIVED}" in claims.stderr
    (claim,) = json.loads(claims.stdout)["claims"]
    assert [ARRIVED in said for said in claim["cautions"]] == [True]

    analysed = longfat("analyze", "./far", "--response", "flow p95_s", "--json")
    assert ARRIVED in analysed.stderr
    assert any(ARRIVED in said for said in json.loads(analysed.stdout)["cautions"])


def test_a_report_marks_the_cells_in_doubt_and_explains_the_mark(
    longfat: Longfat, far: Path
) -> None:
    assert longfat("report", "./far", "--no-traces", "-o", "far.html").returncode == 0
    page = (far.parent / "far.html").read_text()
    (mark,) = set(re.findall(r"<li><sup>(\w)</sup> [^<]*had arrived", page))
    tables = re.sub(r"<figure.*?</figure>", "", page, flags=re.DOTALL)
    rows = re.findall(r"<tr><td>(lan|geo)</td>(.*?)</tr>", tables)
    marks = [(delay, re.findall(r"<sup[^>]*>([a-z,]*)</sup>", cells)) for delay, cells in rows]
    curves = [("lan", 0), ("geo", 2)]
    entries = [("lan", 0), ("lan", 0), ("geo", 1), ("geo", 1)]
    counted = [(delay, sum(mark in own.split(",") for own in found)) for delay, found in marks]
    assert counted[:6] == curves + entries
    claim = page[page.index('id="claims"') :]
    assert "<sup>*</sup> T-1: flow p95_s: " in claim


def test_objects_of_notebooks_show_cautions(far: Path) -> None:
    study = lf.study(far, store=far.parent / "longfat.db")
    assert any(ARRIVED in said for said in study.cautions())
    assert ARRIVED in study._repr_html_()
    (sentences,) = study.answer().values()
    assert sentences[0].startswith("Best (lowest) flow p95: ")
    compared = study.compare()
    doubts = dict(zip(compared["delay"], compared["cautions"], strict=True))
    assert ARRIVED in doubts["geo"]
    assert ARRIVED not in doubts["lan"]
    assert ARRIVED in study.claims()["cautions"][0]
    analysed = study.analyze("flow p95_s")
    assert ARRIVED in repr(analysed)
    assert ARRIVED in analysed._repr_html_()
    assert any(ARRIVED in said for said in analysed.document()["cautions"])


@pytest.mark.usefixtures("far")
def test_missing_runs_are_a_caution_about_their_cells(longfat: Longfat) -> None:
    more = longfat("study", "run", "./far", "--replications", "4", "--where", "delay = 'lan'")
    assert more.returncode == 0, more.stderr
    (table,) = json.loads(
        longfat("study", "compare", "./far", "--replications", "4", "--json").stdout
    )["tables"]
    said = {one["kind"]: one["said"] for one in table["cautions"]}
    assert said["missing runs"].startswith("missing runs: 4 of 20, of 2 of 4 factor combinations")
    assert {
        entry["delay"] for entry in table["entries"] if "missing runs" in entry["cautions"]
    } == {"geo"}
    assert table["answer"]["replications"] == 2

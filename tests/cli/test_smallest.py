"""`longfat smallest` at the command line."""

import json
import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_bad_input import refused
from tests.running.test_searching import LAN
from tests.support import Longfat
from tests.waiting import ended, until_handling

SPAN = ("--from", "2 packets", "--to", "200 packets", "--resolution", "0.2")


@pytest.fixture
def lan(tmp_path: Path) -> Path:
    file = tmp_path / "lan.json"
    file.write_text(json.dumps(LAN))
    return file


def test_the_table_the_sentence_and_the_document_say_the_same(longfat: Longfat, lan: Path) -> None:
    command = ("smallest", lan, "port.buffer", *SPAN, "--reach", "0.9")
    process = longfat(*command)
    assert process.returncode == 0, process
    document = json.loads(longfat(*command, "--json").stdout)
    told = process.stderr
    assert told.startswith(
        f"port.buffer: {document['enough']} packets are enough for efficiency >= 0.9 and "
        f"{document['too_little']} packets are too little (95 % confidence, 8 replications)"
    )
    head, _, *rows = filter(str.strip, process.stdout.splitlines())
    assert head.split() == ["port.buffer", "efficiency", "±", "verdict"]
    for row, tried in zip(rows, document["tried"], strict=True):
        assert row.split()[:2] == [str(tried["setting"]), "packets"]
        assert float(row.split()[2]) == pytest.approx(tried["mean"], rel=1e-3)
        assert row.rstrip().endswith(tried["verdict"])


def test_a_document_says_what_was_asked(longfat: Longfat, lan: Path) -> None:
    asked = ("--metric", "cell_loss_ratio", "--reach", "0.5", "--seed", "7", "--replications", "3")
    process = longfat("smallest", lan, "port.buffer", *SPAN, *asked, "--json")
    assert process.returncode == 0, process
    document = json.loads(process.stdout)
    expected = {
        "path": "port.buffer",
        "unit": "packets",
        "from": 2,
        "to": 200,
        "metric": "cell_loss_ratio",
        "more_is_better": False,
        "reach": 0.5,
        "of_largest": False,
        "replications": 3,
        "confidence": 0.95,
        "resolution": 0.2,
        "enough": 2,
        "too_little": None,
        "set": {"seed": "7"},
    }
    assert {name: document[name] for name in expected} == expected
    assert "already 2 packets are enough for cell_loss_ratio <= 0.5" in process.stderr


def test_where_not_even_the_largest_is_enough_the_exit_code_says_so(
    longfat: Longfat, lan: Path
) -> None:
    command = ("smallest", lan, "port.buffer", *SPAN, "--reach", "1")
    process = longfat(*command)
    assert process.returncode == 3
    assert "too little" in process.stdout
    told = "port.buffer: even 200 packets are not enough for efficiency >= 1, and less is taken"
    assert process.stderr.startswith(told)
    process = longfat(*command, "--json")
    assert process.returncode == 3
    assert json.loads(process.stdout)["enough"] is None


def test_what_is_open_asks_for_more_replications(longfat: Longfat, lan: Path) -> None:
    few = ("--replications", "2", "--confidence", "0.9999")
    command = ("smallest", lan, "port.buffer", *SPAN, *few, "--of-largest")
    process = longfat(*command, "--reach", "0.9")
    assert process.returncode == 0, process
    assert "efficiency / largest's" in process.stdout
    assert "packets are enough for efficiency >= 0.9 of that with 200 packets and" in process.stderr
    assert "2 packets may be (99.99 % confidence, 2 replications); more repl" in process.stderr
    process = longfat(*command[:-1], "--reach", "0.9")
    assert process.returncode == 3, "not known to be enough"
    told = "whether 2 packets are enough for efficiency >= 0.9, or 200 packets, is open ("
    assert told in process.stderr


def test_a_scenario_without_randomness_is_reported_as_such(longfat: Longfat, lan: Path) -> None:
    others = ("--set", "traffic.start=0 s", "--reach", "0.1")
    process = longfat("smallest", lan, "port.buffer", *SPAN, *others)
    assert process.returncode == 0
    assert "nothing in the scenario is left to chance" in process.stderr


def test_settings_without_a_unit_and_values_beside_them(longfat: Longfat, lan: Path) -> None:
    others = ("--set", "port.buffer=9 packets", "--limit", "wall=none", "--jobs", "2")
    command = ("smallest", lan, "topology.sources", "--from", "1", "--to", "3")
    process = longfat(*command, *others, "--reach", "0.01")
    assert process.returncode == 0, process
    assert "topology.sources: already 1 are enough" in process.stderr


def test_settings_with_decimals_are_printed_and_written_as_the_bounds_are(
    longfat: Longfat, lan: Path
) -> None:
    command = ("smallest", lan, "port.buffer", "--from", "0.1 BDP", "--to", "3 BDP")
    process = longfat(*command, "--reach", "0.9", "--json")
    assert process.returncode == 0, process
    document = json.loads(process.stdout)
    assert (document["from"], document["to"], document["unit"]) == (0.1, 3, "BDP")
    enough, too_little = document["enough"], document["too_little"]
    assert 0.1 <= too_little < enough < 3
    told = (
        f"port.buffer: {enough:.1f} BDP are enough for efficiency >= 0.9 and {too_little:.1f} BDP"
    )
    assert told in process.stderr


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--to", "200 kB"), "from 2 packets to 200 kB only if both have one unit"),
        (("--to", "1 packets"), "not from 2 packets to 1 packets"),
        (("--to", "2 RTT"), "one unit"),
        (("--to", "0.5 RTT"), "one unit"),
        (("--to", "1e3 packets"), "'1e3 packets'"),
        (("--metric", "efficency"), "did you mean 'efficiency'?"),
        (("--metric", "offered_bps"), "neither more nor less is better; of these one is: cell_"),
        (("--metric", "least_share_of_mcr"), "runs of this scenario have no least_share_of_mcr"),
        (("--reach", "nan"), "--reach"),
        (("--reach", "-1"), "--reach"),
        (("--replications", "1"), "--replications"),
        (("--confidence", "0.5"), "0.5<x<=0.9999"),
        (("--resolution", "0"), "--resolution"),
        (("--metric", "packets_lost", "--of-largest"), "packets_lost is 0 in replication 1"),
        (("--set", "port.buffer=9 packets"), "port.buffer is the setting that is searched for"),
        (("--set", "port.bufer=9 packets"), "--set port.bufer=9 packets: port.bufer: unknown key"),
        (
            ("--from", "2 B", "--to", "9000 B"),
            "--set port.buffer=2 B: port.buffer: 2 B cannot hold",
        ),
        (("--limit", "events=10"), "raise the limit"),
    ],
)
def test_bad_input_is_one_message(
    longfat: Longfat, lan: Path, options: tuple[str, ...], expected: str
) -> None:
    command = ("smallest", lan, "port.buffer", *SPAN, "--reach", "0.9")
    refused(longfat(*command, *options), expected)


def test_an_unknown_path_is_reported_with_the_nearest(longfat: Longfat, lan: Path) -> None:
    process = longfat("smallest", lan, "port.bufer", *SPAN, "--reach", "0.9")
    refused(process, "--set port.bufer=200 packets: port.bufer: unknown key; did you mean")


def test_a_terminal_shows_each_evaluation(program: Path, lan: Path) -> None:
    reader, terminal = pty.openpty()
    command: list[str | Path] = [program, "smallest", lan, "port.buffer", *SPAN, "--reach", "0.1"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.close(terminal)
    looks = os.read(reader, 4096).decode().splitlines()
    os.close(reader)
    assert done.returncode == 0
    assert looks[0].startswith("200 packets: efficiency 0.")
    assert looks[0].endswith(", enough")
    assert looks[1].startswith("2 packets: efficiency 0.")


@pytest.mark.parametrize("duration", ["2000 s", "200 ms"])
def test_ctrl_c_ends_a_search_whether_its_runs_are_long_or_short(
    program: Path, lan: Path, duration: str
) -> None:
    options = ("--set", f"duration={duration}", "--replications", "5000", "--jobs", "1")
    with subprocess.Popen(
        [program, "smallest", lan, "port.buffer", *SPAN, "--reach", "0.85", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until_handling(process, signal.SIGTERM, "the search")
        process.send_signal(signal.SIGINT)
        data, talk = ended(process, "the stopped search")
    assert process.returncode == 130
    assert data == ""
    assert talk == "stopped; a search stores no partial result\n"


def with_flows(scenario: Path, duration: str) -> Path:
    size = {"kind": "fixed", "size": "50 kB"}
    flows = {"kind": "flows", "interval": "250 ms", "size": size}
    scenario.write_text(json.dumps({**LAN, "duration": duration, "traffic": flows}))
    return scenario


def test_a_search_by_a_time_cautions_about_objects_that_did_not_arrive(
    longfat: Longfat, lan: Path
) -> None:
    with_flows(lan, "3 s")
    command = ("smallest", lan, "port.buffer", *SPAN, "--metric", "flow p95_s", "--reach", "0.4")
    document = json.loads(longfat(*command, "--json").stdout)
    assert document["more_is_better"] is False
    assert document["tried"][0]["verdict"] == "too little"
    assert document["tried"][-1]["verdict"] == "enough"
    process = longfat(*command)
    (caution,) = document["cautions"]
    assert caution in process.stderr
    assert "settings less than 95 % had arrived" in caution


def test_a_search_by_a_time_that_no_run_has_says_why(longfat: Longfat, lan: Path) -> None:
    with_flows(lan, "30 ms")
    process = longfat(
        *("smallest", lan, "port.buffer", *SPAN, "--metric", "flow p95_s", "--reach", "0.4")
    )
    refused(process, "flow p95_s is undefined: nothing had arrived when a run ended")


def test_a_kind_of_object_that_no_run_has_is_refused_with_those_that_there_are(
    longfat: Longfat, lan: Path
) -> None:
    process = longfat(
        "smallest", lan, "port.buffer", *SPAN, "--metric", "page p95_s", "--reach", "2"
    )
    refused(process, "runs of this scenario have no page p95_s; they have efficiency")

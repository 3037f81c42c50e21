"""test-controller: verdicts, exit codes, and what it writes."""

import gzip
import json
import re
from pathlib import Path

import pytest

from longfat.studies.situations import shipped_situations
from tests.situations.test_situations import SITUATION
from tests.support import Longfat

ROOT = Path(__file__).parents[2]


@pytest.fixture
def situation(tmp_path: Path) -> Path:
    """A situation of a fifth of a second, in which everything that grows at all passes."""
    file = tmp_path / "line.toml"
    file.write_text(SITUATION)
    return file


def test_a_controller_that_does_what_is_expected_passes(longfat: Longfat, situation: Path) -> None:
    process = longfat("test-controller", "rack-tlp", "--situation", situation)
    assert process.returncode == 0, process
    (row,) = (line for line in process.stdout.splitlines() if line.startswith("line"))
    assert row.split()[1] == "fills"
    assert ">= 0.5" in row
    assert "holds" in row
    assert "nobody" in row
    assert "1 situation: 1 hold." in process.stdout


def test_one_that_does_not_fails_with_what_that_means(longfat: Longfat, situation: Path) -> None:
    situation.write_text(SITUATION.replace(">= 0.5", "> 1.5"))
    process = longfat("test-controller", "rack-tlp", "--situation", situation)
    assert process.returncode == 1
    assert "rack-tlp fails in line" in process.stderr
    assert "line: Users wait." in process.stdout
    known = longfat("test-controller", "rack-tlp", "--situation", situation, "--may-fail", "line")
    assert known.returncode == 0
    assert "0 to run" in known.stderr


def test_verdicts_as_json_have_the_fields_that_scripts_rely_on(
    longfat: Longfat, situation: Path
) -> None:
    process = longfat("test-controller", "rack-tlp", "--situation", situation, "--json")
    document = json.loads(process.stdout)
    assert document["controller"] == "rack-tlp"
    assert document["verdicts"] == {"holds": 1}
    (found,) = document["situations"]
    assert (found["situation"], found["verdict"]) == ("line", "holds")
    (expectation,) = found["expectations"]
    assert expectation["source"] == "nobody"
    assert expectation["low"] <= expectation["measured"] <= expectation["high"]
    assert len(expectation["by_replication"]) == 2


def test_references_and_unchanged_controllers_are_not_run_again(
    longfat: Longfat, situation: Path
) -> None:
    for controller, missing in ("rack-tlp", 4), ("rack-tlp", 0), ("bbr", 2):
        process = longfat("test-controller", controller, "--situation", situation)
        assert f"1 situation: 4 runs, {missing} to run" in process.stderr


def test_the_report_has_a_plot_and_a_qlog_of_each_situation(
    longfat: Longfat, situation: Path, tmp_path: Path
) -> None:
    control = f"mine={ROOT / 'examples' / 'controls' / 'reno.py'}"
    chosen = ("--control", control, "--situation", situation, "-o", "report")
    process = longfat("test-controller", "mine", *chosen)
    assert process.returncode == 0, process
    folder = tmp_path / "report"
    assert {file.name for file in folder.iterdir()} == {
        "report.html", "verdicts.json", "line.png", "line.sqlog.gz",
    }  # fmt: skip
    page = (folder / "report.html").read_text()
    assert "mine in 1 situation" in page
    assert "data:image/png;base64," in page
    assert "nobody" in page
    assert "<script" not in page
    records = gzip.decompress((folder / "line.sqlog.gz").read_bytes()).decode().split("\x1e")
    names = {json.loads(record).get("name") for record in records if record}
    assert {"transport:packet_sent", "recovery:metrics_updated"} <= names
    assert json.loads((folder / "verdicts.json").read_text())["controller"] == "mine"


def test_a_control_whose_run_fails_has_no_data_and_fails(
    longfat: Longfat, situation: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(
        "class Broken:\n"
        "    def on_acknowledgment(self, window, progress):\n"
        "        window.cwnd = 1 / 0\n"
        "    def on_loss(self, window, flight): pass\n"
        "    def on_timeout(self, window, flight): pass\n"
    )
    chosen = ("--control", "broken=broken.py", "--situation", situation, "-o", "report")
    process = longfat("test-controller", "broken", *chosen)
    assert process.returncode == 1
    assert "no data" in process.stdout
    assert "broken.py, line 3" in process.stdout
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "Missing argument 'CONTROLLER'"),
        (("cubik",), "no controller of this name; did you mean 'cubic'?"),
        (("mine",), "--control mine=FILE provides one"),
        (("cubic", "--situation", "shalow-buffer"), "did you mean 'shallow-buffer'?"),
        (("cubic", "--may-fail", "shalow-buffer"), "did you mean 'shallow-buffer'?"),
        (("cubic", "--set", "flavor.betta=1", "--situation", "codel"), "betta"),
        (("cubic", "--set", "flavor"), "is not PATH=VALUE"),
        (("cubic", "--control", "mine=absent.py"), "absent.py"),
        (("cubic", "--confidence", "2"), "--confidence"),
    ],
)
def test_bad_input_is_one_message(
    longfat: Longfat, arguments: tuple[str, ...], expected: str
) -> None:
    process = longfat("test-controller", *arguments)
    assert process.returncode == 2
    assert expected in process.stderr
    assert "Traceback" not in process.stderr
    assert process.stdout == ""


def test_a_situation_is_checked_as_one(longfat: Longfat, situation: Path) -> None:
    process = longfat("check", situation)
    assert (process.returncode, process.stdout) == (0, f"{situation}: a good situation\n")
    situation.write_text(SITUATION.replace("title", "titel"))
    process = longfat("check", situation)
    assert (process.returncode, process.stdout) == (2, "")
    assert f"{situation}: titel: unknown; did you mean 'title'?" in process.stderr
    situation.write_text(SITUATION.replace("FROM runs", "FROM run"))
    process = longfat("check", situation)
    assert process.returncode == 2
    assert "no such table: run" in process.stderr
    assert "Traceback" not in process.stderr


def test_situations_are_listed_with_their_categories(longfat: Longfat) -> None:
    process = longfat("test-controller", "--list")
    assert process.returncode == 0
    assert "route-change" in process.stdout
    assert "changing paths" in process.stdout


def test_the_template_for_continuous_integration_says_what_there_is(longfat: Longfat) -> None:
    text = (ROOT / "examples" / "continuous-integration" / "controller.yml").read_text()
    (line,) = re.findall(r"run: longfat (.*)", text)
    words = line.replace("$MAY_FAIL", *re.findall(r"MAY_FAIL: (.*)", text)).split()
    assert words[0] == "test-controller"
    known = re.findall(r"--may-fail (\S+)", " ".join(words))
    assert set(known) <= set(shipped_situations())
    help_text = longfat("test-controller", "--help").stdout
    assert all(word in help_text for word in words if word.startswith("--"))

"""A campaign stopped by any signal continues where it was."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.support import Longfat
from tests.waiting import PATIENCE_SECONDS, ended, until, until_handling


@pytest.fixture
def long_study(study_folder: Path) -> Path:
    """The small study with runs of about a quarter of a second, for some seconds altogether."""
    file = study_folder / "study.toml"
    text = file.read_text()
    file.write_text(text.replace('"40 ms"', '"80 s"').replace('"80 ms"', '"90 s"'))
    return study_folder


@pytest.fixture(autouse=True)
def _terminal() -> Iterator[None]:
    """Restore SIGHUP's default for programs, even if the tests run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@contextmanager
def running(program: Path, folder: Path, *arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A process that has stored a run and has more to do."""
    process = subprocess.Popen([program, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:

        def has_stored() -> bool:
            assert process.poll() is None, "it ended before it could be stopped"
            return stored_runs(folder) > 0

        until(has_stored, "the first stored run")
        yield process
    finally:
        process.kill()
        process.communicate()


def stored_runs(folder: Path) -> int:
    file = folder / "longfat.db"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file, timeout=PATIENCE_SECONDS)) as database:
        try:
            count: int = database.execute("SELECT count(*) FROM runs").fetchone()[0]
        except sqlite3.OperationalError:  # not created yet
            return 0
    return count


@pytest.mark.parametrize(
    ("number", "exit_code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
    ids=["INT", "TERM", "HUP"],
)
def test_a_signal_flushes_and_prints_how_to_continue(
    program: Path,
    longfat: Longfat,
    long_study: Path,
    tmp_path: Path,
    number: signal.Signals,
    exit_code: int,
) -> None:
    arguments = ("study", "run", str(long_study), "--jobs", "1")
    with running(program, tmp_path, *arguments) as process:
        process.send_signal(number)
        _, talk = ended(process, "the stopped study")
        assert process.returncode == exit_code
    assert f"  longfat study run {long_study} --jobs 1\n" in talk
    assert "Traceback" not in talk
    kept = stored_runs(tmp_path)
    assert 0 < kept < 15

    status = json.loads(longfat("study", "status", long_study, "--json").stdout)
    assert (status["done"], status["running"]) == (kept, 0)
    again = json.loads(longfat("study", "run", long_study, "--json").stdout)
    assert (again["stored_before"], again["finished"]) == (kept, 15 - kept)


def test_the_command_to_go_on_names_a_store_that_only_the_environment_names(
    program: Path, long_study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "longfat.db"
    monkeypatch.setenv("LONGFAT_STORE", str(store))
    with running(program, tmp_path, "study", "run", long_study, "--jobs", "1") as process:
        process.send_signal(signal.SIGINT)
        _, talk = ended(process, "the stopped study")
    assert f"  longfat study run {long_study} --jobs 1 --store {store}\n" in talk


def test_a_killed_campaign_loses_nothing_that_was_stored(
    program: Path, longfat: Longfat, long_study: Path, tmp_path: Path
) -> None:
    with running(program, tmp_path, "study", "run", long_study, "--jobs", "1") as process:
        kept = stored_runs(tmp_path)
        process.kill()
        process.wait()
    again = json.loads(longfat("study", "run", long_study, "--json").stdout)
    assert again["stored_before"] >= kept > 0
    assert again["stored_before"] + again["finished"] == 15
    with closing(sqlite3.connect(tmp_path / "longfat.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_status_sees_a_campaign_that_is_running(
    program: Path, longfat: Longfat, long_study: Path, tmp_path: Path
) -> None:
    with running(program, tmp_path, "study", "run", long_study, "--jobs", "1"):
        status = json.loads(longfat("study", "status", long_study, "--json").stdout)
    assert status["running"] <= 1
    assert status["done"] >= 1
    assert status["done"] + status["running"] + status["missing"] == 15


def test_a_single_run_that_is_stopped_prints_nothing(program: Path, scenario_file: Path) -> None:
    scenario_file.write_text(scenario_file.read_text().replace("50 ms", "2000 s"))
    with subprocess.Popen(
        [program, "run", scenario_file, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        until_handling(process, signal.SIGTERM, "the run")
        process.send_signal(signal.SIGINT)
        data, talk = ended(process, "the stopped run")
    assert process.returncode == 130
    assert data == ""
    assert "Traceback" not in talk


def test_a_single_run_whose_terminal_is_closed_leaves_no_half_written_files(
    program: Path, scenario_file: Path, tmp_path: Path
) -> None:
    scenario_file.write_text(scenario_file.read_text().replace("50 ms", "2000 s"))
    outputs = ("--trace", tmp_path / "t", "--pcap", tmp_path / "p")
    watched: list[str | Path] = [program, "run", scenario_file, *outputs]
    with subprocess.Popen(watched, stderr=subprocess.PIPE) as process:
        until(lambda: list(tmp_path.glob(".p*")), "the first capture")
        process.send_signal(signal.SIGHUP)
        ended(process, "the run without a terminal")
    assert process.returncode == 129
    assert not (tmp_path / "t").exists()
    assert list(tmp_path.glob(".p*")) == []


def test_a_command_that_nohup_began_goes_on_without_its_terminal(
    program: Path, scenario_file: Path
) -> None:
    scenario_file.write_text(scenario_file.read_text().replace("50 ms", "200 s"))
    with subprocess.Popen(
        ["nohup", program, "run", scenario_file, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        until_handling(process, signal.SIGTERM, "the run")
        process.send_signal(signal.SIGHUP)
        data, _ = ended(process, "the run that goes on")
    assert process.returncode == 0
    assert json.loads(data)["work"]["events"] > 0

"""`longfat verify script`."""

import json
from pathlib import Path

import pytest

from tests.support import Longfat

SCRIPTS = sorted((Path(__file__).parents[2] / "examples" / "scripts").glob("*.script"))

GENTLE = """
class Gentle:
    def on_acknowledgment(self, window, progress):
        window.cwnd += progress.acknowledged

    def on_loss(self, window, flight):
        window.cwnd = window.ssthresh = {share} * flight

    def on_timeout(self, window, flight):
        window.cwnd = window.mss
"""

LOSS = """
tcp.flavor = {{ kind = "external", control = "{name}", recovery = "reno" }}
tcp.limited_transmit = false
0 ms write
0 ms > 0-9
100 ms < ack 0
100 ms < ack 0
100 ms < ack 0
100 ms > 0
100 ms ssthresh 7
"""


def test_the_scripts_of_the_rfcs_pass(longfat: Longfat) -> None:
    done = longfat("verify", "script", *map(str, SCRIPTS), "--json")
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)["scripts"]
    assert len(played) == len(SCRIPTS) >= 4
    assert all(each["failure"] is None and each["met"] >= 3 for each in played)


@pytest.mark.parametrize(("share", "failure"), [(0.7, ""), (0.5, "ssthresh is 5 segments, not 7")])
def test_a_control_of_ones_own_stands_a_script_or_not(
    share: float, failure: str, longfat: Longfat, tmp_path: Path
) -> None:
    name = f"gentle{share}"
    (tmp_path / "gentle.py").write_text(GENTLE.format(share=share))
    (tmp_path / "loss.script").write_text(LOSS.format(name=name))
    done = longfat("verify", "script", "loss.script", "--control", f"{name}=gentle.py")
    assert done.returncode == (3 if failure else 0), done.stderr
    assert failure in done.stdout
    assert ("> 0" in done.stdout) == bool(failure), "what happened is shown where it matters"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "x.script: no step; expected lines such as"),
        ("0 ms wait", 'x.script:1: "0 ms wait" is no step'),
        ("tcp.flavour = 'reno'\n0 ms write", "x.script:1: tcp.flavour: unknown key"),
        ("tcp.handshake = true\n0 ms write", "set tcp.handshake = false"),
        ("tcp.flavor = { kind = 'external', control = 'nobody' }\n0 ms write", "nobody"),
    ],
)
def test_a_script_that_is_not_sound_is_refused_with_its_line(
    text: str, words: str, longfat: Longfat, tmp_path: Path
) -> None:
    (tmp_path / "x.script").write_text(text)
    done = longfat("verify", "script", "x.script")
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_cannot_be_read_is_named(longfat: Longfat, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for name, reason in [("nowhere", "No such file"), ("binary", "no text in UTF-8")]:
        done = longfat("verify", "script", name)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr

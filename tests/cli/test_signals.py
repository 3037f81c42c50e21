"""Signals end the program, whatever it does."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.waiting import ended, until, until_handling

LOOPS = """
from pathlib import Path

class Loops:
    def on_acknowledgment(self, window, progress):
        Path("loops").touch()
        while True:
            pass
    def on_loss(self, window, flight):
        pass
    def on_timeout(self, window, flight):
        pass
"""


@pytest.mark.parametrize(
    ("signals", "code"),
    [([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)],
    ids=["SIGTERM", "Ctrl-C twice"],
)
def test_a_control_that_never_returns_does_not_keep_the_program(
    program: Path, scenario_file: Path, tmp_path: Path, signals: list[signal.Signals], code: int
) -> None:
    (tmp_path / "loop.py").write_text(LOOPS)
    flavor = 'tcp.flavor={ kind = "external", control = "c" }'
    words: list[str | Path] = [
        program,
        "run",
        scenario_file,
        "--control",
        "c=loop.py",
        "--set",
        flavor,
    ]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        until_handling(process, signal.SIGTERM, "the run")
        until((tmp_path / "loops").exists, "the control to loop")
        for number in signals:
            process.send_signal(number)
            time.sleep(0.05)  # a second signal before the first is handled would be one
        _, talk = ended(process, "the program with a control that loops")
    assert process.returncode == code
    assert "Traceback" not in talk


def test_ctrl_c_in_help_gives_130() -> None:
    """As during imports: nothing is at work that could clean up."""
    code = "import signal; from longfat.base.signals import interrupts_handled\n"
    code += "with interrupts_handled(): signal.raise_signal(signal.SIGINT)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (130, b"")


def test_ctrl_c_where_python_ignores_exceptions_still_ends_the_command() -> None:
    """Imports call back when a lock of a module is gone; an exception there is only printed."""
    code = """
import signal, sys, time
from longfat.base.signals import at_work, interrupts_handled

class Interrupted:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

with interrupts_handled(), at_work():
    try:
        Interrupted()
        time.sleep(60)
    except KeyboardInterrupt:
        print("cleaned up")
        sys.exit(130)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (process.returncode, process.stderr) == (130, b"")
    assert process.stdout == b"cleaned up\n"

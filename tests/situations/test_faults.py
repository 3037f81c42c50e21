"""Faults that are planted in copies of CUBIC and BBR are found, and the originals pass there."""

from pathlib import Path

import pytest

from longfat.studies.situations import find_situation
from tests.support import Longfat

CONTROLS = Path(__file__).parents[2] / "examples" / "controls"

CUBIC_REDUCES = """\
        self._reduce(window)
        window.cwnd = window.ssthresh
"""
ONLY_ABOVE_W_MAX = f"""\
        if window.cwnd < self.w_max * window.mss:
            return
{CUBIC_REDUCES}"""

FAULTS = {
    "CUBIC keeps its window at a loss": (
        "cubic", "small-buffer-losses", [("BETA = 0.7", "BETA = 1.0")],
    ),
    "CUBIC takes no notice of losses below its last maximum": (
        "cubic", "codel", [(CUBIC_REDUCES, ONLY_ABOVE_W_MAX)],
    ),
    "BBR never forgets its shortest round trip": (
        "bbr", "route-change", [("ROUND_TRIP_EXPIRES_S = 10.0", "ROUND_TRIP_EXPIRES_S = 1e9")],
    ),
    "BBR never drains what it has put into a queue": (
        "bbr", "marks", [('"drain": DRAIN_GAIN', '"drain": 1.0'), ("(1.25, 0.75,", "(1.25, 1,")],
    ),
}  # fmt: skip
"""A control, a situation that notices, and what is changed in the control, by the fault."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_where_the_original_passes(
    longfat: Longfat, tmp_path: Path, fault: str
) -> None:
    name, situation, changes = FAULTS[fault]
    text = (CONTROLS / f"{name}.py").read_text()
    (tmp_path / "good.py").write_text(text)
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "faulty.py").write_text(text)
    few = tmp_path / f"{situation}.toml"  # two replications: runs in Python are slow
    few.write_text(f"replications = 2\n{find_situation(situation).read_text()}")
    for control, exit_code in ("good", 0), ("faulty", 1):
        process = longfat(
            "test-controller", control, "--control", f"{control}={control}.py", "--situation", few
        )
        assert process.returncode == exit_code, process

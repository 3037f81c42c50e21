"""The example of the guide."""

from pathlib import Path

from tests.support import Longfat

LINE = Path(__file__).parents[2] / "examples" / "emulate" / "line.toml"


def test_the_example_of_the_guide_is_a_good_scenario(longfat: Longfat) -> None:
    checked = longfat("check", str(LINE))
    assert checked.returncode == 0, checked.stderr
    assert "bottleneck" in checked.stdout

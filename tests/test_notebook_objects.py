"""What notebooks work with: runs with traces, and studies."""

from pathlib import Path

import longfat
from longfat.scenario import OverrideValue


def test_a_traced_run_has_the_values_that_are_set_whatever_it_is_of(scenario_file: Path) -> None:
    overrides: dict[str, OverrideValue] = {"topology.sources": 3, "duration": "20 ms"}
    expected = longfat.load_scenario(scenario_file, overrides).run_id
    for source in (scenario_file, longfat.load_scenario(scenario_file)):
        assert longfat.traced(source, overrides).record["run_id"] == expected


def test_the_files_of_a_traced_run_go_when_it_does(scenario_file: Path) -> None:
    traced = longfat.traced(scenario_file)
    folder = traced.folder
    assert list(folder.glob("*.parquet"))
    del traced
    assert not folder.exists()

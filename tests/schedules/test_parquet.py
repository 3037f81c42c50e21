from pathlib import Path

import pytest

from longfat import load_scenario
from longfat.base.errors import BadInput
from longfat.schedules.measured import Measured
from longfat.schedules.options import PLAIN
from longfat.schedules.parquet import measured
from longfat.schedules.sample import Sample
from tests.schedules.specimens import parquet, printed


def path(columns: dict[str, list[object]]) -> Measured:
    return measured({"table": Sample("measured.parquet", parquet(columns))}, PLAIN)


def test_a_table_becomes_a_path_that_the_engine_takes(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "satellite": ["a", "b"],
        "loss": [0.0, 0.01],
        "time_s": [0.0, 15.04],
        "rate_bps": [50_000_000, 0],
    }
    file = tmp_path / "measured.parquet"
    file.write_bytes(parquet(columns))
    lines = printed("from-parquet", file)
    assert lines == ["time_s,rate_bps,loss", "0,50000000,0", "15.04,0,0.01"]
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'schema_version = 1\nduration = "1 s"\nframing = "packet"\nport.buffer = "20 packets"\n'
        'topology = { kind = "n-source", sources = 1, access = { delay = "1 ms" }, '
        'bottleneck = { delay = "1 ms" } }\n'
    )
    steps = "\n".join(lines)
    settings = load_scenario(scenario, {"path.kind": "schedule", "path.steps": steps}).settings
    assert "15.04,0,0.01" in settings["path"]["steps"]


def test_numbers_of_a_table_are_printed_so_that_they_read_back(tmp_path: Path) -> None:
    numbers = [0.1 + 0.2, 1e-7, 1 / 3, 59.999999999999]
    file = tmp_path / "measured.parquet"
    file.write_bytes(parquet({"time_s": [0.0, 1.0, 2.0, 3.0], "delay_s": list(numbers)}))
    lines = printed("from-parquet", file)[1:]
    assert [float(line.split(",")[1]) for line in lines] == numbers


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"time_s": [0.0]}, "expected the column time_s and any of rate_bps, .* found time_s"),
        ({"rate_bps": [1.0]}, "found rate_bps"),
        ({"time_s": ["0"], "loss": [0.5]}, "column time_s: expected integers or floats, found Str"),
        ({"time_s": [0.0, 1.0], "loss": [0.5, None]}, "column loss, row 2: .* found None"),
        ({"time_s": [0.0, float("inf")], "loss": [0.5, 0.5]}, "column time_s, row 2: .* found inf"),
        ({"time_s": [0.0], "loss": [2.0]}, "loss of 2 at 0 s; a path has loss from 0 to 1"),
    ],
)
def test_an_error_in_a_table_is_reported_with_its_place(
    columns: dict[str, list[object]], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        path(columns)

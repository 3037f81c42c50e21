from pathlib import Path

import polars
import pytest

from longfat import load_scenario
from longfat.base.errors import BadInput, LongfatError
from longfat.schedules.parquet import read_parquet
from tests.support import Longfat


def parquet(folder: Path, columns: dict[str, list[object]]) -> Path:
    file = folder / "measured.parquet"
    polars.DataFrame(columns).write_parquet(file)
    return file


def test_a_table_becomes_a_path_that_the_engine_takes(longfat: Longfat, tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "satellite": ["a", "b"],
        "loss": [0.0, 0.01],
        "time_s": [0.0, 15.04],
        "rate_bps": [50_000_000, 0],
    }
    printed = longfat("schedule", "from-parquet", parquet(tmp_path, columns)).stdout
    assert printed == "time_s,rate_bps,loss\n0.0,50000000,0.0\n15.04,0,0.01\n"
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'schema_version = 1\nduration = "1 s"\nframing = "packet"\nport.buffer = "20 packets"\n'
        'topology = { kind = "n-source", sources = 1, access = { delay = "1 ms" }, '
        'bottleneck = { delay = "1 ms" } }\n'
    )
    settings = load_scenario(scenario, {"path.kind": "schedule", "path.steps": printed}).settings
    assert "15.04,0,0.01" in settings["path"]["steps"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"time_s": [0.0]}, "expected the column time_s and any of rate_bps, .* found time_s"),
        ({"rate_bps": [1.0]}, "found rate_bps"),
        ({"time_s": ["0"], "loss": [0.5]}, "column time_s: expected integers or floats, found Str"),
        ({"time_s": [0.0, 1.0], "loss": [0.5, None]}, "column loss, row 2: .* found None"),
        ({"time_s": [0.0, float("inf")], "loss": [0.5, 0.5]}, "column time_s, row 2: .* found inf"),
    ],
)
def test_an_error_in_a_table_is_reported_with_its_place(
    tmp_path: Path, columns: dict[str, list[object]], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read_parquet(parquet(tmp_path, columns))


def test_what_is_no_parquet_is_one_message_and_exit_code_2(
    longfat: Longfat, tmp_path: Path
) -> None:
    file = tmp_path / "measured.csv"
    file.write_text("time_s,rate_bps\n0,1\n")
    with pytest.raises(LongfatError, match="no Parquet file that can be read"):
        read_parquet(file)
    process = longfat("schedule", "from-parquet", file)
    assert (process.returncode, process.stdout) == (2, "")

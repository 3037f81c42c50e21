"""Two measurements of a path in one schedule."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat import load_scenario
from longfat.base.errors import BadInput
from longfat.schedules.join import joined, read_steps, what_holds_on
from tests.cli.test_bad_input import refused
from tests.support import Longfat

RATES = "time_s,rate_bps\n0,10e6\n2,20e6\n6,5e6\n"
DELAYS = "time_s,delay_s,loss\n1,0.02,0\n2,0.03,0.01\n"


def test_a_step_of_either_is_a_step_of_both_and_the_others_hold() -> None:
    schedules = [read_steps(RATES, "rates.csv"), read_steps(DELAYS, "delays.csv")]
    assert joined(schedules).splitlines() == [
        "time_s,rate_bps,delay_s,loss",
        "0.0,10e6,0.02,0",
        "1.0,10e6,0.02,0",
        "2.0,20e6,0.03,0.01",
        "6.0,5e6,0.03,0.01",
    ]
    (note,) = what_holds_on(schedules)
    assert note == (
        "delays.csv: the last step, at 2 s, holds to the end; the longest schedule has steps until "
        "6 s"
    )


TIMES = st.lists(st.integers(0, 50), min_size=1, max_size=8, unique=True).map(sorted)


@given(TIMES, TIMES)
def test_at_every_time_each_column_is_that_of_its_own_schedule(
    of_rates: list[int], of_delays: list[int]
) -> None:
    texts = {
        "rate_bps": "".join(f"{time},{1000 + time}\n" for time in of_rates),
        "delay_s": "".join(f"{time},{0.001 * time}\n" for time in of_delays),
    }
    schedules = [read_steps(f"time_s,{name}\n{rows}", name) for name, rows in texts.items()]
    both = read_steps(joined(schedules), "both")
    for time in range(52):
        for schedule, column in zip(schedules, texts, strict=True):
            assert both.at(column, time) == schedule.at(column, time)
    assert sorted({*of_rates, *of_delays}) == list(both.times_s)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("time_s;rate_bps\n0;1\n", "x.csv:1: columns are separated by semicolons"),
        ("time_s,speed\n0,1\n", "x.csv:1: expected the column time_s and any of rate_bps"),
        ("rate_bps\n1\n", "x.csv:1: expected the column time_s"),
        ("", "x.csv:1: expected the column time_s"),
        ("time_s,loss\n", "x.csv: no rows below the header"),
        ("time_s,loss\n0,0\n1\n", "x.csv:3: expected 2 numbers for time_s,loss, found 1"),
        ("time_s,loss\n0,x\n", "x.csv:2: expected 2 numbers for time_s,loss, found 0,x"),
        ("time_s,loss\n1,0\n1,0\n", "x.csv:3: times must ascend, and 1 follows 1"),
    ],
)
def test_what_is_no_schedule_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(BadInput) as refusal:
        read_steps(text, "x.csv")
    assert str(refusal.value).startswith(told)


def test_of_very_many_wrong_lines_the_first_are_told() -> None:
    with pytest.raises(BadInput) as refusal:
        read_steps("time_s,loss\n" + "64 bytes from\n" * 600, "ping.log")
    assert len(refusal.value.problems) == 11


def test_joined_measurements_are_steps_of_a_path(
    longfat: Longfat, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "rates.csv").write_text(RATES)
    (tmp_path / "delays.csv").write_text(DELAYS)
    process = longfat("schedule", "join", "rates.csv", "delays.csv")
    assert process.returncode == 0
    assert "delays.csv: the last step" in process.stderr
    changed = {"framing": "packet", "port.buffer": "20 packets", "port.policy": "tail-drop"}
    steps = {"path.kind": "schedule", "path.steps": process.stdout}
    assert load_scenario(scenario_file, {**changed, **steps}).settings["path"]["kind"] == "schedule"


def test_a_column_of_both_is_refused(longfat: Longfat, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(RATES)
    (tmp_path / "b.csv").write_text(RATES)
    process = longfat("schedule", "join", "a.csv", "b.csv")
    refused(process, "a.csv and b.csv both have the column rate_bps")
    refused(longfat("schedule", "join", "a.csv"), "two schedules")

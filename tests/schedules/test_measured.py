"""Paths as they were measured: one direction, both, or one path for both; and several joined."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longfat.base.errors import BadInput, LongfatError
from longfat.schedules.measured import (
    QUANTITIES,
    Column,
    Measured,
    Way,
    difference,
    joined,
    path_columns,
    table_text,
)
from longfat.schedules.table import read_table
from longfat.schedules.written import lines_text, text_and_notes
from tests.schedules.specimens import EXAMPLES, printed, schedule

numbers = st.floats(0.001, 60).map(lambda number: round(number, 7))
shares = st.floats(0, 1).map(lambda number: round(number, 6))


def column(values: st.SearchStrategy[float], length: int) -> st.SearchStrategy[Column]:
    return st.lists(values, min_size=length, max_size=length).map(tuple)


@st.composite
def paths(draw: st.DrawFn) -> Measured:
    """A path with any of the quantities in any direction."""
    gaps = draw(st.lists(st.integers(1, 10**6), min_size=0, max_size=6))
    times = [0.0]
    for gap in gaps:
        times.append(round(times[-1] + gap / 1000, 6))

    def way() -> Way:
        kinds = {"rate_bps": st.integers(0, 10**10), "loss": shares}
        kinds |= {"delay_s": numbers, "jitter_s": numbers}
        return Way(
            **{name: draw(st.none() | column(values, len(times))) for name, values in kinds.items()}
        )

    return Measured(tuple(times), way(), way())


@given(paths())
def test_one_path_for_both_has_the_round_trip_and_the_losses_of_both(path: Measured) -> None:
    columns = path_columns(path)
    if path.up.delay_s and path.down.delay_s:
        for each, up, down in zip(
            columns["delay_s"], path.up.delay_s, path.down.delay_s, strict=True
        ):
            assert 2 * each == pytest.approx(up + down, abs=1e-6)
    if path.up.loss and path.down.loss:
        for each, up, down in zip(columns["loss"], path.up.loss, path.down.loss, strict=True):
            assert (1 - each) ** 2 == pytest.approx((1 - up) * (1 - down), abs=1e-5)


@given(paths())
def test_a_table_of_both_directions_reads_back(path: Measured) -> None:
    try:
        text, _ = text_and_notes(path, "both", "path")
    except LongfatError:
        return  # nothing was measured
    again = read_table(text, "path")
    assert text_and_notes(again, "both", "path")[0] == text
    assert joined([path, again]).up == joined([path]).up


def test_a_row_that_repeats_the_one_before_is_left_out() -> None:
    text = table_text((0.0, 0.5, 1.0, 2.0), {"rate_bps": (5, 5, 7, 5), "loss": (0.0,) * 4})
    assert text == "time_s,rate_bps,loss\n0,5,0\n1,7,0\n2,5,0"


def test_a_joined_path_has_the_times_of_all_and_keeps_values_between_them() -> None:
    delays = Measured((0.0, 2.0), Way(delay_s=(0.01, 0.02)), Way(delay_s=(0.03, 0.04)))
    rates = Measured((0.5, 1.0, 3.0), down=Way(rate_bps=(5, 6, 7)))
    path = joined([delays, rates])
    assert list(path.times_s) == [0, 0.5, 1, 2, 3]
    assert path.up == Way(delay_s=(0.01, 0.01, 0.01, 0.02, 0.02))
    assert path.down == Way(rate_bps=(5, 5, 6, 6, 7), delay_s=(0.03, 0.03, 0.03, 0.04, 0.04))


@pytest.mark.parametrize(
    ("up", "down", "said"),
    [
        (Way(delay_s=(0.03, 0.03)), Way(delay_s=(0.01, 0.05)), "30 ms up, 43.33 ms down"),
        (Way(jitter_s=(0.01,) * 2), Way(jitter_s=(0.02,) * 2), "10 ms of jitter up, 20 ms of jit"),
        (Way(rate_bps=(8, 8)), Way(rate_bps=(0, 8)), "8e-06 Mbit/s up, 6.667e-06 Mbit/s"),
        (Way(loss=(0, 0)), Way(loss=(0.2, 0)), "0.0% lost up, 3.3% lost down"),
    ],
)
def test_directions_that_differ_are_said_with_means_over_time(
    up: Way, down: Way, said: str
) -> None:
    # The first value counts for a second; the last of three, without an end, for the mean of two.
    path = Measured((0.0, 1.0, 4.0), Way(**stretched(up)), Way(**stretched(down)))
    remark = difference(path, "log")
    assert remark is not None
    assert f"the directions differ: {said}" in remark


def stretched(way: Way) -> dict[str, Column]:
    """The columns of a direction, of which the last value is there twice."""
    known = {name: getattr(way, name) for name in QUANTITIES if getattr(way, name) is not None}
    return {name: (*values, values[-1]) for name, values in known.items()}


def test_directions_that_are_alike_are_not_said() -> None:
    assert difference(Measured((0.0,), Way(delay_s=(0.02,)), Way(delay_s=(0.021,))), "log") is None
    assert difference(Measured((0.0,), Way(delay_s=(0.02,)), Way(rate_bps=(9,))), "log") is None


def test_lines_of_a_scenario_have_the_direction_of_data_first() -> None:
    both = Measured((0.0, 1.0), Way(delay_s=(0.03, 0.04)), Way(delay_s=(0.01, 0.02)))
    text = lines_text(both, None, "middle")
    down, up = tomllib.loads(text)["lines"]
    assert down == {
        "at": "middle",
        "path": {"kind": "schedule", "steps": "time_s,delay_s\n0,0.01\n1,0.02\n"},
    }
    assert (up["at"], up["path"]["steps"]) == ("middle back", "time_s,delay_s\n0,0.03\n1,0.04\n")
    turned = tomllib.loads(lines_text(both, "up", 'a "b"'))["lines"]
    assert [line["at"] for line in turned] == ['a "b"', 'a "b" back']
    assert turned[0]["path"] == up["path"]


def test_a_direction_alone_is_that_of_data() -> None:
    path = Measured((0.0,), up=Way(rate_bps=(5,)))
    (line,) = tomllib.loads(lines_text(path, None, "bottleneck"))["lines"]
    assert line["at"] == "bottleneck"
    with pytest.raises(LongfatError, match="--direction up or down says where data go"):
        lines_text(path, "both", "bottleneck")


def test_a_direction_that_was_not_measured_is_refused() -> None:
    path = Measured((0.0,), down=Way(rate_bps=(5,)))
    with pytest.raises(LongfatError, match=r"down\.json: nothing was measured up"):
        text_and_notes(path, "up", "down.json")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (Measured((0.0,), Way(delay_s=(61.0,))), "delay_s of 61 at 0 s; a path has delay_s from 0"),
        (Measured((0.0,), Way(rate_bps=(float("nan"),))), "rate_bps of nan"),
        (Measured((0.0, 0.0), Way(loss=(0, 1))), "times must ascend"),
        (Measured((9e6,), Way(loss=(0,))), "time_s of 9e"),
    ],
)
def test_values_that_no_path_may_have_are_refused(path: Measured, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        path.checked("log")


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, Path]:
    contents = {
        "delays": "time_s,delay_s,loss\n0,0.02,0\n10,0.03,0.01\n",
        "rates": "time_s,rate_bps\n0,50000000\n4,0\n5,40000000\n",
        "lossy": "time_s,rate_bps,loss\n0,9000000,0.5\n",
        "ways": "time_s,delay_up_s,delay_down_s\n0,0.03,0.01\n",
    }
    for name, text in contents.items():
        (tmp_path / f"{name}.csv").write_text(text)
    return {name: tmp_path / f"{name}.csv" for name in contents}


def test_delays_of_one_table_and_rates_of_another_are_one_path(tables: dict[str, Path]) -> None:
    lines = printed("join", tables["delays"], tables["rates"])
    assert lines == [
        "time_s,rate_bps,delay_s,loss",
        "0,50000000,0.02,0",
        "4,0,0.02,0",
        "5,40000000,0.02,0",
        "10,40000000,0.03,0.01",
    ]
    assert printed("join", tables["rates"], tables["delays"]) == lines, "order is for conflicts"


def test_of_a_column_that_several_tables_have_the_first_is_taken_and_that_is_said(
    tables: dict[str, Path],
) -> None:
    done = schedule("join", tables["delays"], tables["lossy"])
    assert done.stdout.splitlines()[1] == "0,9000000,0.02,0"
    assert done.stderr == f"loss is taken from {tables['delays']}, not from {tables['lossy']}\n"


def test_directions_survive_a_join(tables: dict[str, Path]) -> None:
    lines = printed("join", tables["ways"], tables["rates"], "--direction", "both")
    assert lines[:2] == ["time_s,rate_down_bps,delay_up_s,delay_down_s", "0,50000000,0.03,0.01"]
    assert printed("join", tables["ways"], tables["rates"], "--direction", "up") == [
        "time_s,delay_s", "0,0.03"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["rates"], "two schedules or more can be joined"),
        (["lossy", "rates"], "all of its columns are those of files before"),
        (["rates", EXAMPLES / "ping.log"], "looks like the output of ping, which"),
        (["rates", EXAMPLES / "README.md"], "expected the columns time_s and any of"),
    ],
)
def test_what_cannot_be_joined_is_refused(
    tables: dict[str, Path], names: list[str | Path], message: str
) -> None:
    files = [name if isinstance(name, Path) else tables[name] for name in names]
    done = schedule("join", *files)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_mistyped_verb_gets_the_nearest_one() -> None:
    done = schedule("from-pings", "x")
    assert done.exit_code == 2
    assert "did you mean 'from-ping'" in done.stderr

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from longfat import InvalidInput, load_scenario, run
from longfat.base.errors import Interrupted, LongfatError
from longfat.running.execution import Progress, Watch
from longfat.traces import load_traces
from tests.support import Longfat
from tests.traces.conftest import Watched


def _but_for_the_driver(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "work": {**record["work"], "driver": None, "handed_over": None}}


def by_flow(frame: pl.DataFrame, column: str) -> list[int]:
    found = frame.group_by("flow").agg(pl.col(column).sum()).sort("flow")
    return [int(value) for value in found[column]]


def counted(frame: pl.DataFrame, flows: int) -> list[int]:
    return [frame.filter(pl.col("flow") == flow).height for flow in range(1, flows + 1)]


def test_a_run_that_is_watched_is_the_same_run(watched: Watched) -> None:
    assert watched.exact.record == watched.record
    unwatched = run(watched.scenario)
    assert _but_for_the_driver(watched.record) == _but_for_the_driver(unwatched)
    assert watched.record["ports"][0]["packets_dropped"] > 10


def test_intervals_add_up_to_what_the_record_says(watched: Watched) -> None:
    flows, port = watched.record["flows"], watched.record["ports"][0]
    throughput, capacity = watched.exact.table("throughput"), watched.exact.table("capacity")
    assert by_flow(throughput, "bytes") == [flow["bytes_delivered"] for flow in flows]
    assert capacity["cells"].sum() == port["cells_out"]
    for frame in (throughput.filter(pl.col("flow") == 1), capacity):
        assert frame["interval_ps"].sum() == watched.exact.settings["duration_ps"]
        ends = (frame["time_ps"] + frame["interval_ps"]).to_list()
        assert frame["time_ps"].to_list() == [0, *ends[:-1]]


def test_what_a_flow_does_not_deliver_has_no_row_and_is_read_as_nothing(watched: Watched) -> None:
    written = pl.read_parquet(watched.exact.folder / "throughput.parquet")
    assert int(str(written["bytes"].min())) > 0
    read = watched.exact.table("throughput").drop("time_s")
    duration, interval = (
        watched.exact.settings["duration_ps"],
        watched.exact.description["interval_ps"],
    )
    assert read.height == 3 * -(-duration // interval) > written.height
    assert read.filter(pl.col("bytes") > 0).equals(written)


def test_events_are_those_that_the_record_counts(watched: Watched) -> None:
    flows = watched.record["flows"]
    segments = watched.exact.table("segments")
    again = segments.filter(pl.col("is_again"))
    assert counted(segments, 3) == [flow["segments_sent"] for flow in flows]
    assert counted(again, 3) == [flow["segments_retransmitted"] for flow in flows]
    timeouts = watched.exact.table("timeouts")
    assert counted(timeouts, 3) == [flow["timeouts"] for flow in flows]
    acknowledgments = watched.exact.table("acknowledgments")
    before = pl.col("next").shift(1, fill_value=0).over("flow")
    same = acknowledgments.filter(pl.col("next") == before)
    assert counted(same, 3) == [flow["duplicate_acknowledgments"] for flow in flows]
    drops = watched.exact.table("drops")
    assert drops.height == watched.record["ports"][0]["packets_dropped"]
    assert set(drops["reason"]) <= {"overflow", "refused"}


def test_an_exact_queue_has_the_mean_and_the_maximum_of_the_record(watched: Watched) -> None:
    port = watched.record["ports"][0]
    queue = watched.exact.table("queue").sort("time_ps", maintain_order=True)
    end = watched.exact.settings["duration_ps"]
    lasting = queue["time_ps"].shift(-1, fill_value=end) - queue["time_ps"]
    # The cell that is sent when a slot ends has still counted towards the record's maximum.
    assert queue["cells"].max() == port["max_queue_cells"] - 1
    mean = (queue["cells"] * lasting).sum() / end
    assert mean == pytest.approx(port["mean_queue_cells"], rel=1e-9)


def test_queues_of_flows_add_up_to_the_queue(watched: Watched) -> None:
    total = staircase(watched.exact.table("queue"), "cells")
    parts = [
        staircase(watched.exact.table("queue-by-flow").filter(pl.col("flow") == flow), "cells")
        for flow in (1, 2, 3)
    ]
    joined = total.rename({"cells": "total"})
    for number, part in enumerate(parts):
        joined = joined.join_asof(part.rename({"cells": f"part{number}"}), on="time_ps")
    sums = joined.select(pl.sum_horizontal("part0", "part1", "part2")).to_series()
    assert sums.to_list() == joined["total"].to_list()


def staircase(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """The last value at each time."""
    return frame.group_by("time_ps", maintain_order=True).last().select("time_ps", column)


@pytest.mark.parametrize("name", ["cwnd", "ssthresh", "flight", "queue"])
def test_a_decimated_trace_is_never_further_from_the_exact_one_than_it_says(
    name: str, watched: Watched, tmp_path: Path
) -> None:
    run(watched.scenario, watch=Watch(traces=tmp_path / "coarse", names=[name], error=0.05))
    coarse = load_traces(tmp_path / "coarse")
    (said,) = coarse.description["traces"]
    (exactly,) = [one for one in watched.exact.description["traces"] if one["name"] == name]
    assert said["changes"] == exactly["changes"] >= said["rows"] - 3
    assert name == "ssthresh" or said["rows"] < exactly["rows"] / 2
    column = said["columns"][-1]["name"]
    flows = [1] if name == "queue" else [1, 2, 3]
    for flow in flows:
        pick = pl.lit(value=True) if name == "queue" else pl.col("flow") == flow
        fine = staircase(watched.exact.table(name).filter(pick), column)
        rough = staircase(coarse.table(name).filter(pick), column)
        both = fine.join_asof(rough.rename({column: "rough"}), on="time_ps")
        finite = both.filter(pl.col(column).cast(float).is_finite())
        errors = (finite[column] - finite["rough"]).cast(float).abs()
        assert errors.max() is not None
        assert float(str(errors.max())) <= said["largest_error"]


def test_round_trips_are_no_shorter_than_the_path(watched: Watched) -> None:
    rtt = watched.exact.table("rtt")
    assert rtt.height > 10
    assert float(str(rtt["rtt_s"].min())) > 6e-3
    assert float(str(watched.exact.table("rto")["rto_s"].min())) >= 0.05


def test_the_same_run_leaves_the_same_bytes(watched: Watched, tmp_path: Path) -> None:
    run(watched.scenario, watch=Watch(traces=tmp_path / "again", error=0.0))
    files = sorted(path.name for path in (tmp_path / "again").iterdir())
    assert files == sorted(path.name for path in watched.exact.folder.iterdir())
    for name in files:
        assert (tmp_path / "again" / name).read_bytes() == (
            watched.exact.folder / name
        ).read_bytes(), name


def test_every_column_is_described(watched: Watched) -> None:
    for trace in watched.exact.description["traces"]:
        described = [column["name"] for column in trace["columns"]]
        assert [*described, "time_s"] == watched.exact.table(trace["name"]).columns


def test_traces_of_an_earlier_run_are_replaced(watched: Watched, tmp_path: Path) -> None:
    run(watched.scenario, watch=Watch(traces=tmp_path / "t"))
    run(watched.scenario, watch=Watch(traces=tmp_path / "t", names=["cwnd"]))
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == [
        "cwnd.parquet",
        "traces.json",
    ]


def test_a_folder_with_other_files_is_left_alone(watched: Watched, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("all I have")
    with pytest.raises(InvalidInput, match="holds files that are no traces"):
        run(watched.scenario, watch=Watch(traces=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_run_that_is_stopped_leaves_no_file(watched: Watched, tmp_path: Path) -> None:
    def stop(_progress: Progress) -> None:
        raise Interrupted(2)

    scenario = load_scenario(watched.scenario, {"duration": "1000 s"})
    (tmp_path / "mine").mkdir()
    for folder in ("new", "mine"):
        watch = Watch(traces=tmp_path / folder, pcap=tmp_path / "a.pcapng")
        with pytest.raises(Interrupted):
            run(scenario, watch=watch, show=stop)
    assert not (tmp_path / "new").exists()
    assert not list((tmp_path / "mine").iterdir())
    assert not (tmp_path / "a.pcapng").exists()


def test_folders_without_traces_say_how_to_get_them(watched: Watched, tmp_path: Path) -> None:
    with pytest.raises(LongfatError, match="longfat run SCENARIO --trace"):
        load_traces(tmp_path)
    run(watched.scenario, watch=Watch(traces=tmp_path / "t", names=["cwnd"]))
    with pytest.raises(LongfatError, match="--trace-what cwnd,queue"):
        load_traces(tmp_path / "t").table("queue")
    (tmp_path / "t" / "cwnd.parquet").write_bytes(b"PAR1")
    with pytest.raises(LongfatError, match="cwnd.parquet: no Parquet file that can be read"):
        load_traces(tmp_path / "t").table("cwnd")
    described = tmp_path / "t" / "traces.json"
    whole = json.loads(described.read_text())
    others: list[Any] = [
        [],
        {**whole, "traces": [{}]},
        {**whole, "traces": 1},
        {**whole, "run": {}},
        {**whole, "run": {"scenario": {"duration_ps": 1}}},
    ]
    for wrong in others:
        described.write_text(json.dumps(wrong))
        with pytest.raises(LongfatError, match="traces.json: does not describe traces"):
            load_traces(tmp_path / "t")


def test_a_file_in_place_of_another_one_is_named(watched: Watched, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    shutil.copytree(watched.exact.folder, folder)
    shutil.copy(folder / "queue.parquet", folder / "cwnd.parquet")
    with pytest.raises(LongfatError) as error:
        load_traces(folder).table("cwnd")
    assert str(error.value).startswith(f"{folder}/cwnd.parquet: not the trace 'cwnd'")
    assert "and no flow, cwnd_bytes;" in str(error.value)


def test_the_command_line_writes_the_traces_asked_for(
    longfat: Longfat, watched: Watched, tmp_path: Path
) -> None:
    process = longfat(
        "run", watched.scenario, "--trace", "t", "--trace-what", "queue, capacity",
        "--trace-interval", "50ms", "--json",
    )  # fmt: skip
    assert process.returncode == 0
    assert json.loads(process.stdout) == {**watched.record, "remarks": []}
    assert load_traces(tmp_path / "t").names == ["queue", "capacity"]
    assert load_traces(tmp_path / "t").table("capacity").height == 12
    assert "longfat plot queue t" in process.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--trace", "t", "--trace-what", "cwmd"],
            'no trace is called "cwmd"; did you mean "cwnd"',
        ),
        (["--trace-what", "cwnd"], "--trace-what goes with --trace DIR"),
        (["--trace-interval", "1 s"], "--trace-interval goes with --trace DIR"),
        (["--trace", "t", "--trace-interval", "fast"], "expected a length of time with its unit"),
        (["--trace", "t", "--trace-interval", "-1 s"], 'found "-1 s"'),
        (["--trace", "t", "--trace-interval", "0 s"], "must be 1 us at least"),
        (["--trace", "t", "--trace-interval", "999 ns"], "must be 1 us at least"),
        (["--trace", "t", "--trace-error", "2"], "2.0 is not in the range 0<=x<=1"),
        (["--trace", "lossy/t"], "lossy/t: not a directory"),
        (["--pcap", "nowhere/a.pcapng"], "nowhere/a.pcapng: no such file or directory"),
        (
            ["--pcap", "a.pcapng", "--set", "tcp.mss=65500 B", "--set", "port.buffer=9000 cells"],
            "segments of 65500 bytes do not fit the IP packets of a capture; at most 65455 B",
        ),
    ],
)
def test_what_cannot_be_traced_is_one_message(
    longfat: Longfat, watched: Watched, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "lossy").write_text("a file")
    process = longfat("run", watched.scenario, *arguments)
    assert (process.returncode, process.stdout) == (2, "")
    assert message in process.stderr.replace("\n", " ")
    assert "Traceback" not in process.stderr


def test_traces_are_listed(longfat: Longfat) -> None:
    process = longfat("run", "--trace-list")
    assert process.returncode == 0
    for name in ("cwnd", "queue-by-flow", "selective-acknowledgments"):
        assert name in process.stdout

import re
import warnings
from dataclasses import fields
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.plots import PLOTS, draw, find
from longfat.plots.capacity import names_of
from longfat.plots.options import PLAIN, Options
from longfat.plots.palette import DARK, OLIVE, flow_look, level_colors
from longfat.running.execution import Watch
from longfat.scenarios.resolved import buffer_of
from longfat.scenarios.scenario import OverrideValue
from longfat.traces import Traces, load_traces
from tests.plots.test_vega_lite import check
from tests.traces.conftest import LOSSY

OF_TRACES = [
    name
    for name in PLOTS
    if find(name).SOURCE == "traces" and name not in {"completion-time", "delay"}
]


@pytest.mark.parametrize("name", OF_TRACES)
@pytest.mark.parametrize("suffix", [".svg", ".html", ".csv"])
def test_a_plot_of_traces_is_written_the_same_each_time(
    name: str, suffix: str, traced: Traces, tmp_path: Path
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    draw(name, [traced]).save(first)
    draw(name, [traced]).save(second)
    assert first.read_text().replace("first", "second") == second.read_text()


@pytest.mark.parametrize("name", OF_TRACES)
def test_every_axis_has_a_unit_and_the_caption_says_how_many_runs(
    name: str, traced: Traces
) -> None:
    drawn = draw(name, [traced])
    painting = drawn.matplotlib()
    for axes in painting.axes:
        assert re.search(r" in \w+|Mbit/s", axes.get_ylabel()), axes.get_ylabel()
    assert re.search(r" in (s|Mbit/s)$", painting.axes[-1].get_xlabel())
    assert "n = 1 run" in drawn.caption


def test_windows_are_those_of_the_trace(traced: Traces) -> None:
    rows = find("cwnd").collect([traced], PLAIN)
    drawn = [row["value"] * 1000 for row in rows if row["series"] == "cwnd"]
    assert drawn == pytest.approx(traced.table("cwnd")["cwnd_bytes"].to_list())
    drops = [row for row in rows if row["series"] == "drop"]
    assert len(drops) == traced.record["ports"][0]["packets_dropped"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lossy.toml").write_text(LOSSY)
    return tmp_path


def watched(folder: Path, overrides: dict[str, OverrideValue]) -> Traces:
    run(load_scenario(folder / "lossy.toml", overrides), watch=Watch(traces=folder / "t"))
    return load_traces(folder / "t")


def test_each_service_class_has_a_queue_of_its_own_and_the_colour_of_its_capacity(
    folder: Path,
) -> None:
    with (folder / "lossy.toml").open("a") as scenario:
        scenario.write('[[background]]\nkind = "vbr-on-off"\non = "10 ms"\noff = "10 ms"\n')
    with_vbr = watched(folder, {"port.scheduler": "strict-priority"})
    queues = draw("queue", [with_vbr]).picture
    labels = [panel.y.label for (panel,) in queues.panels if panel]
    assert labels == ["UBR queue in cells", "VBR queue in cells"]
    colors = [mark.color for mark in queues.marks() if mark.kind == "steps"]
    assert colors == [mark.color for mark in draw("capacity", [with_vbr]).picture.marks()]
    assert len(draw("three-panel", [with_vbr]).picture.panels) == 4


def test_the_capacity_of_packets_that_travel_whole_is_what_their_bits_take(folder: Path) -> None:
    packets: dict[str, OverrideValue] = {
        "framing": "packet",
        "port.buffer": "30 packets",
        "port.policy": "tail-drop",
    }
    whole = watched(folder, packets)
    megabits = int(whole.table("capacity")["bits"].sum()) / 1e6
    port = whole.record["ports"][0]
    assert megabits / whole.seconds == pytest.approx(155.52 * port["utilization"], rel=1e-3)
    rows = find("capacity").collect([whole], PLAIN)
    mean = sum(row["value"] for row in rows) / len(rows)
    assert mean == pytest.approx(megabits / whole.seconds, rel=0.02)


def test_capacity_of_a_folder_that_counts_no_bits_says_how_to_have_them(folder: Path) -> None:
    earlier = watched(folder, {})
    file = earlier.folder / "capacity.parquet"
    earlier.table("capacity").drop("bits", "time_s").write_parquet(file)
    with pytest.raises(LongfatError, match=r"(?s)capacity\.parquet: .* no bits .*longfat run"):
        draw("capacity", [earlier])


def test_the_bound_of_windows_is_a_share_of_what_the_path_holds(folder: Path) -> None:
    few = watched(folder, {"tcp.receiver_window": "60 MB"})
    (cwnd,) = (each for each in few.description["traces"] if each["name"] == "cwnd")
    held = 155.52e6 / 8 * 6e-3 + 300 * 53
    assert cwnd["largest_error"] == pytest.approx(0.005 * held, rel=1e-6)


@pytest.mark.parametrize(
    ("size", "capacity"),
    [(1000, 1000.0), ("225 packets", 225.0), ("100000 B", None), ("unlimited", None)],
)
def test_the_size_of_a_buffer_is_drawn_where_the_queue_is_counted_in_it(
    size: object, capacity: float | None
) -> None:
    assert buffer_of({"buffer_cells": size}) == capacity


def test_throughputs_add_up_to_what_is_delivered(traced: Traces) -> None:
    rows = find("throughput").collect([traced], PLAIN)
    bins = len({row["time_s"] for row in rows})
    assert bins <= 200
    rates = [row["value"] for row in rows if row["series"] == "all"]
    megabits = sum(rates) * traced.seconds / bins
    delivered = sum(flow["bytes_delivered"] for flow in traced.record["flows"])
    assert megabits == pytest.approx(delivered * 8 / 1e6, rel=1e-6)


def test_a_time_sequence_graph_begins_before_the_first_retransmission(traced: Traces) -> None:
    rows = find("time-sequence").collect([traced], Options(flow=2))
    again = [row["time_s"] for row in rows if row["series"] == "again"]
    segments = traced.table("segments")
    ours = segments.filter((segments["flow"] == 2) & segments["is_again"])
    assert again[0] == ours["time_s"][0]
    assert min(row["time_s"] for row in rows) < again[0]
    whole = find("time-sequence").collect([traced], Options(flow=2, start_s=0.0, end_s=10.0))
    sent = [row for row in whole if row["series"] in {"segment", "again"}]
    assert len(sent) == traced.record["flows"][1]["segments_sent"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(flow=4), "--flow 4: the run has flows 1 to 3"),
        (Options(start_s=50.0, end_s=60.0), "there is nothing from 50 s to 60 s: the run has"),
        (Options(start_s=0.2, end_s=0.1), "there is nothing from 0.2 s to 0.1 s"),
        (Options(start_s=float("nan")), "there is nothing from nan s"),
    ],
)
def test_what_a_run_does_not_have_is_said(traced: Traces, options: Options, message: str) -> None:
    with pytest.raises(LongfatError, match=message):
        find("time-sequence").collect([traced], options)


def test_a_plot_of_one_run_refuses_two(traced: Traces) -> None:
    with pytest.raises(LongfatError, match="cwnd shows one run; 2 folders are given"):
        find("cwnd").collect([traced, traced], PLAIN)


def test_runs_are_named_after_the_settings_that_differ(traced: Traces) -> None:
    settings = dict(traced.settings) | {"port": {**traced.settings["port"], "buffer_cells": 7}}
    other = Traces(traced.folder, {"run": {"scenario": settings}})
    assert names_of([traced, other]) == ["buffer cells 300", "buffer cells 7"]
    assert names_of([traced]) == [""]
    queues = [
        Traces(
            Path(kind), {"run": {"scenario": {**traced.settings, "port": {"queue": parameters}}}}
        )
        for kind, parameters in {
            "a": {"kind": "codel", "target_ps": 5},
            "b": {"kind": "tail-drop"},
            "c": {"kind": "codel", "target_ps": 9},
        }.items()
    ]
    assert names_of(queues[:2]) == ["queue codel", "queue tail-drop"]
    assert names_of(queues) == ["a", "b", "c"]
    assert names_of(queues[::2]) == ["target ps 5", "target ps 9"]
    groups = [{"count": 1, "flavor": {"kind": "cubic", "recovery": {"kind": "sack-rfc6675"}}}] * 2
    grouped = Traces(Path("grouped"), {"run": {"scenario": {**traced.settings, "groups": groups}}})
    assert names_of([traced, grouped]) == [traced.folder.name, "grouped"]


MIXED = """
[[connections]]
flavor = "reno"

[[connections]]
count = 2
"""


def test_flows_of_several_flavors_are_named_with_them_and_the_caption_counts_them(
    folder: Path,
) -> None:
    with (folder / "lossy.toml").open("a") as scenario:
        scenario.write(MIXED)
    mixed = watched(folder, {})
    for name in ("cwnd", "throughput"):
        drawn = draw(name, [mixed])
        labels = [mark.label for mark in drawn.picture.marks()]
        assert labels[:3] == ["flow 1 (reno)", "flow 2 (sack)", "flow 3 (sack)"]
        assert "n = 1 run: 3 sources, 1 reno, 2 sack, epd, seed 1" in drawn.caption
    panel = draw("time-sequence", [mixed], Options(flow=2)).picture.panels[0][0]
    assert panel is not None
    assert panel.title == "flow 2 (sack)"


def test_the_caption_names_the_queue_discipline_where_there_is_one(folder: Path) -> None:
    managed = watched(
        folder,
        {"framing": "packet", "port.policy": "tail-drop", "port.buffer": "30 packets",
         "port.queue": "codel"},
    )  # fmt: skip
    assert ", sack, codel, seed 1" in draw("queue", [managed]).caption


def test_the_caption_of_several_runs_says_what_all_of_them_have_in_common(folder: Path) -> None:
    runs = []
    for policy in ("epd", "selective-drop"):
        traces = folder / policy
        scenario = load_scenario(folder / "lossy.toml", {"port.policy": policy})
        run(scenario, watch=Watch(traces=traces))
        runs.append(load_traces(traces))
    caption = draw("capacity", runs).caption
    assert caption == "n = 1 run a panel; 3 sources, sack, seed 1, replication 0"


ROOT = Path(__file__).parents[2]
PARKING_LOT = ROOT / "examples" / "scenarios" / "parking-lot.toml"


def test_no_fair_share_is_drawn_where_not_all_flows_cross_the_bottleneck(
    folder: Path, traced: Traces
) -> None:
    run(load_scenario(PARKING_LOT, {"duration": "1 s"}), watch=Watch(traces=folder / "t"))
    for traces, names in ((load_traces(folder / "t"), []), (traced, ["fair share of the path"])):
        panel = draw("cwnd", [traces]).picture.panels[0][0]
        assert panel is not None
        assert [guide.label for guide in panel.guides if guide.label != "receiver window"] == names


def test_no_fair_share_is_drawn_of_a_path_that_changes(folder: Path) -> None:
    low = ROOT / "studies" / "leo" / "scenario.toml"
    run(load_scenario(low, {"duration": "2 s"}), watch=Watch(traces=folder / "t"))
    panel = draw("cwnd", [load_traces(folder / "t")]).picture.panels[0][0]
    assert panel is not None
    assert {guide.label for guide in panel.guides} <= {"receiver window"}


def test_the_most_that_flows_can_get_is_drawn_as_the_path_changes(folder: Path) -> None:
    low = ROOT / "studies" / "leo" / "scenario.toml"
    path = {"kind": "schedule", "steps": "time_s,rate_bps\n0,20e6\n1,0\n1.5,10e6"}
    changes: dict[str, OverrideValue] = {"duration": "2 s", "path": path}
    run(load_scenario(low, changes), watch=Watch(traces=folder / "t"))
    traces = load_traces(folder / "t")
    told = traces.table("path")
    assert told.select("time_s", "rate_bps", "loss").rows() == [
        (0.0, 20_000_000, 0.0),
        (1.0, 0, 0.0),
        (1.5, 10_000_000, 0.0),
    ]
    panel = draw("throughput", [traces]).picture.panels[0][0]
    assert panel is not None
    (most,) = [mark for mark in panel.marks if mark.label == "the most for all"]
    assert most.x == [0.0, 1.0, 1.5, 2.0]
    of_line = traces.record["metrics"]["max_goodput_bps"] / ((20e6 + 0.5 * 10e6) / 2)
    assert most.y == pytest.approx([20 * of_line, 0.0, 10 * of_line, 10 * of_line])
    assert not panel.guides, "no mean beside it"


def test_the_path_of_a_run_is_traced_where_it_does_not_change(traced: Traces) -> None:
    (row,) = traced.table("path").rows(named=True)
    link = traced.settings["topology"]["bottleneck"]
    assert (row["time_ps"], row["rate_bps"], row["delay_ps"]) == (
        *(0, link["rate_bps"], link["delay_ps"]),
    )


def test_drops_and_timeouts_have_colours_of_their_own_on_bright_and_dark_screens(
    folder: Path,
) -> None:
    crowded = watched(folder, {"topology.sources": 15})
    rugs = {mark.label.split()[0]: mark.color
            for mark in draw("cwnd", [crowded]).picture.marks() if mark.kind == "rug"}  # fmt: skip
    assert rugs.keys() == {"drops", "timeouts"}
    for screen in ({}, DARK):
        flows = {screen.get(flow_look(flow).color, flow_look(flow).color) for flow in range(1, 16)}
        shown = [screen.get(color, color) for color in rugs.values()]
        assert len(flows.union(shown)) == len(flows) + 2


def test_a_run_in_which_nothing_arrives_has_sensible_axes_and_panels_that_say_so(
    folder: Path,
) -> None:
    short = watched(folder, {"duration": "1 ms"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        painting = draw("time-sequence", [short]).matplotlib()
    assert list(painting.axes[0].get_xlim()) == pytest.approx([-0.00004, 0.001])
    drawn = draw("three-panel", [short])
    notes = ["nothing delivered", "no round trip measured", "nothing queued"]
    assert [panel.note for (panel,) in drawn.picture.panels if panel] == notes
    words = [text.get_text() for axes in drawn.matplotlib().axes for text in axes.texts]
    assert set(notes) <= set(words)
    check(drawn)


def test_a_page_loads_nothing_and_runs_no_script(traced: Traces, tmp_path: Path) -> None:
    draw("queue", [traced], command="do <this>").save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    assert "default-src 'none'" in page
    assert "do &lt;this&gt;" in page
    assert "<script" not in page
    loaded = re.findall(r'(?:src|href)="([^"#][^"]*)"', page)
    assert all(target.startswith("data:") for target in loaded)


def test_a_store_in_place_of_traces_is_refused_with_the_command_that_writes_traces(
    tmp_path: Path,
) -> None:
    (tmp_path / "longfat.db").touch()
    with pytest.raises(LongfatError, match=r"longfat run --from .*longfat\.db RUN --trace traces"):
        load_traces(tmp_path / "longfat.db")
    with pytest.raises(LongfatError, match=r"longfat run SCENARIO --trace .*missing"):
        load_traces(tmp_path / "missing")


@pytest.mark.parametrize("name", OF_TRACES)
def test_a_part_of_a_run_is_all_that_is_drawn(name: str, traced: Traces) -> None:
    start, end = 0.3 * traced.seconds, 0.6 * traced.seconds
    drawn = draw(name, [traced], Options(start_s=start, end_s=end))
    assert all(start <= row["time_s"] <= end for row in drawn.rows)
    panel = drawn.picture.panels[0][0]
    assert panel is not None
    if panel.x.label == "time in s":
        assert (panel.x.low or 0) >= start
        assert (panel.x.high or 0) <= end


def test_a_value_that_holds_when_a_part_begins_and_ends_is_drawn_there(traced: Traces) -> None:
    start, end = 0.3 * traced.seconds, 0.6 * traced.seconds
    rows = find("cwnd").collect([traced], Options(flow=2, start_s=start, end_s=end))
    windows = [row for row in rows if row["series"] == "cwnd"]
    trace = traced.table("cwnd").filter(traced.table("cwnd")["flow"] == 2)
    for row, moment in ((windows[0], start), (windows[-1], end)):
        held = trace.filter(trace["time_s"] <= moment)["cwnd_bytes"][-1]
        assert (row["time_s"], row["value"] * 1000) == (moment, pytest.approx(held))


def test_the_windows_of_one_flow_come_with_its_threshold_and_what_is_under_way(
    traced: Traces,
) -> None:
    rows = find("cwnd").collect([traced], Options(flow=2))
    assert {row["flow"] for row in rows} == {2}
    assert {"cwnd", "ssthresh", "flight"} <= {row["series"] for row in rows}


def test_an_option_that_a_plot_does_not_have_is_refused(traced: Traces) -> None:
    with pytest.raises(LongfatError, match="queue has no --rows, --flow; it has --from, --to"):
        draw("queue", [traced], Options(rows="policy", flow=2))
    assert all(set(find(name).OPTIONS) <= {field.name for field in fields(PLAIN)} for name in PLOTS)


def test_who_asks_for_one_end_of_a_time_sequence_sees_as_much_from_there(traced: Traces) -> None:
    def extent(options: Options) -> tuple[float, float]:
        times = [row["time_s"] for row in find("time-sequence").collect([traced], options)]
        return min(times), max(times)

    first, last = extent(Options(flow=2))
    length = 1.1 * (last - first)
    start = 0.6 * traced.seconds
    begun = extent(Options(flow=2, start_s=start))
    assert start <= begun[0] < begun[1] <= start + length
    end = 0.05 * traced.seconds
    ended = extent(Options(flow=2, end_s=end))
    assert max(0.0, end - length) <= ended[0] < ended[1] <= end


@pytest.mark.parametrize(
    ("name", "units"),
    [
        ("three-panel", {"throughput": "Mbit/s", "rtt": "ms", "ubr": "cells", "drop": None}),
        ("cwnd", {"cwnd": "kB", "drop": None}),
        ("queue", {"ubr": "cells"}),
        ("capacity", {"ubr": "Mbit/s"}),
        ("time-sequence", {"segment": "B", "window": "B"}),
    ],
)
def test_every_number_that_is_drawn_has_its_unit_beside_it(
    name: str, units: dict[str, str | None], traced: Traces
) -> None:
    rows = find(name).collect([traced], PLAIN)
    told = {row["series"]: row["unit"] for row in rows}
    assert {series: told[series] for series in units} == units


def test_a_level_guide_is_named_in_the_legend_and_not_over_the_data(traced: Traces) -> None:
    painted = draw("throughput", [traced]).matplotlib()
    (axes,) = painted.axes
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_texts()[-1].get_text() == "the most for all"
    assert not axes.texts


def test_flows_too_many_to_be_named_have_one_line_in_the_legend(folder: Path) -> None:
    crowd = watched(folder, {"topology.sources": 30})
    for name in ("cwnd", "throughput"):
        labels = [mark.label for mark in draw(name, [crowd]).picture.marks() if mark.label]
        assert labels[0] == "30 flows, 7 colours"
        assert sum(label.startswith("30 flows") for label in labels) == 1


def test_retransmissions_are_drawn_above_what_surrounds_them(traced: Traces) -> None:
    labels = [mark.label for mark in draw("time-sequence", [traced]).picture.marks() if mark.label]
    order = ["end of window", "acknowledged", "segment", "SACK block", "retransmission"]
    assert labels == [label for label in order if label in labels]
    assert labels[-1] == "retransmission"


def test_lines_are_seen_on_white_paper() -> None:
    for color in {*level_colors([f"level {number}" for number in range(6)]).values(), OLIVE}:
        assert _contrast_with_white(color) >= 2


def _contrast_with_white(color: str) -> float:
    """As WCAG 2.2 defines it."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 1.05 / (
        sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
        + 0.05
    )

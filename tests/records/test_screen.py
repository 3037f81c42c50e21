"""The record of a run on one screen."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longfat import load_scenario, run
from longfat.records.record import Record
from longfat.records.screen import COLUMNS, LINES, MOST_FLOWS, screen_tables, summary
from longfat.report.table import table_text
from longfat.scenarios.scenario import OverrideValue

ROOT = Path(__file__).parents[2]

SHIPPED = sorted([*ROOT.glob("examples/**/*.toml"), *ROOT.glob("studies/*/*.toml")])
"""Files of which some are scenarios."""

USERS: dict[str, Any] = {
    "schema_version": 1,
    "duration": "4 s",
    "framing": "packet",
    "topology": {
        "kind": "n-source",
        "sources": 40,
        "access": {"rate": "100 Mbit/s", "delay": "5 ms"},
        "bottleneck": {"rate": "20 Mbit/s", "delay": "50 ms"},
    },
    "port": {"buffer": "150 packets", "queue": "fq-codel"},
    "proxies": {"kind": "split-tcp", "buffer": "1 MB"},
    "tcp": {"preset": "linux-6.12"},
    "connections": [
        {"count": 20, "traffic": "infinite"},
        {"count": 8, "flavor": "bbr3", "traffic": {"kind": "finite", "size": "50 kB"}},
    ],
    "traffic": {
        "kind": "flows",
        "interval": "1 s",
        "size": {"kind": "fixed", "size": "20 kB"},
        "classes": ["50 kB"],
    },
}
"""Forty users behind proxies: downloads, files and pages."""

NARROW_WAY_BACK: dict[str, Any] = {
    "schema_version": 1,
    "duration": "5 s",
    "framing": "packet",
    "connections": [{"from": "server", "to": "client", "count": 2, "route_back": ["c", "a"]}],
    "topology": {
        "kind": "graph",
        "hosts": ["server", "client"],
        "switches": ["a", "b", "c"],
        "links": [
            {"from": "server", "to": "a", "rate": "20 Mbit/s", "delay": "10 ms"},
            {"from": "a", "to": "b", "rate": "20 Mbit/s", "delay": "10 ms", "managed": "there"},
            {"from": "b", "to": "client", "rate": "1 Gbit/s", "delay": "1 ms"},
            {"from": "client", "to": "c", "rate": "1 Gbit/s", "delay": "1 ms"},
            {"from": "c", "to": "a", "rate": "100 kbit/s", "delay": "10 ms", "managed": "there"},
        ],
    },
    "port": {"buffer": "50 packets", "queue": "ack-filter"},
    "tcp": {"preset": "linux-6.12"},
}

Rows = list[dict[str, str]]


def record_of(source: Mapping[str, Any], **changes: OverrideValue) -> Record:
    return run(load_scenario(source, {key.replace("__", "."): changes[key] for key in changes}))


def screen(record: Record) -> dict[str | None, Rows]:
    """The rows of each table by its title, each by its columns."""
    return {
        title: [dict(zip(header, row, strict=True)) for row in rows]
        for header, rows, title, _ in screen_tables(record)
    }


def metrics(record: Record) -> dict[str, str]:
    return {row["metric"]: row["value"] for row in screen(record)["metrics"]}


def lines_of(record: Record) -> int:
    """The lines that a terminal of `COLUMNS` columns shows of a run."""
    said = summary(record).splitlines()
    lines = sum(-(-len(line) // COLUMNS) for line in said)
    for header, rows, *_ in screen_tables(record):
        text = table_text(header, rows, None, COLUMNS, styled=False, close=True)
        assert text is not None, header
        lines += len(text.splitlines())
    return lines


def scenarios() -> list[Path]:
    """Those that are simulated, without programs from outside."""
    texts = {file: file.read_text() for file in SHIPPED}
    return [
        file
        for file, text in texts.items()
        if "\n[topology]\n" in text and 'stack = "outside"' not in text
    ]


@pytest.mark.parametrize(
    "file", scenarios(), ids=lambda file: "-".join(file.relative_to(ROOT).parts[1:])
)
def test_every_scenario_that_comes_along_fits_one_screen(file: Path) -> None:
    record = run(load_scenario(file, {"duration": "2 s", "measure.from": "0 s"}))
    assert lines_of(record) <= LINES


@given(
    groups=st.lists(
        st.tuples(
            st.integers(1, 12),
            st.sampled_from(["cubic", "bbr3", "reno", "hybla"]),
            st.sampled_from(
                [
                    "infinite",
                    {"kind": "finite", "size": "20 kB"},
                    USERS["traffic"],
                ]
            ),
        ),
        max_size=7,
    ),
    others=st.integers(1, 12),
)
@settings(max_examples=25)
def test_a_run_fits_one_screen_however_many_connections_of_whatever_kinds_it_has(
    groups: list[tuple[int, str, Any]], others: int
) -> None:
    entries = [
        {"count": count, "flavor": flavor, "traffic": traffic} for count, flavor, traffic in groups
    ]
    sources = sum(count for count, _, _ in groups) + others
    topology = USERS["topology"] | {"sources": sources}
    scenario = USERS | {"connections": entries, "topology": topology, "duration": "300 ms"}
    assert lines_of(record_of(scenario)) <= LINES


def test_up_to_ten_flows_have_a_row_each_and_more_are_told_by_quantiles() -> None:
    plain = {name: USERS[name] for name in USERS if name not in ("connections", "proxies")}
    plain |= {"traffic": "infinite"}
    few = record_of(plain, topology__sources=MOST_FLOWS)
    assert [row["flow"] for row in screen(few)["flows"]] == [flow["name"] for flow in few["flows"]]
    many = record_of(plain, topology__sources=MOST_FLOWS + 1)
    goodputs = sorted(flow["goodput_bps"] for flow in many["flows"])
    row = screen(many)["flows"][0]
    told = [float(row[name].replace(",", "")) for name in ("min", "median", "p95", "max")]
    assert told == [round(goodputs[place]) for place in (0, 5, 10, 10)]
    assert (row["flows"], row["count"]) == ("all", "11")


def test_groups_are_those_that_the_scenario_declares_with_what_tells_them_apart() -> None:
    rows = screen(record_of(USERS))["flows"]
    assert [row["flows"] for row in rows if row["of each"] == "goodput bps"] == [
        "flows 1-20, cubic, infinite",
        "flows 21-28, bbr3, finite",
        "flows 29-40, cubic, flows",
    ]


def test_many_declared_groups_are_joined_by_their_control_and_traffic() -> None:
    entries = [{"flavor": ("cubic", "reno")[place % 2]} for place in range(12)]
    scenario = USERS | {"connections": entries, "traffic": "infinite"}
    rows = screen(record_of(scenario, topology__sources=12))["flows"]
    assert list(dict.fromkeys((row["flows"], row["count"]) for row in rows)) == [
        ("cubic", "6"),
        ("reno", "6"),
    ]


def test_hosts_tell_groups_of_a_graph_apart() -> None:
    ways = [
        {"from": "server", "to": "client", "count": 6},
        {"from": "client", "to": "server", "count": 6},
    ]
    links = NARROW_WAY_BACK["topology"]["links"][:3]
    topology = NARROW_WAY_BACK["topology"] | {"links": links, "switches": ["a", "b"]}
    rows = screen(record_of(NARROW_WAY_BACK | {"connections": ways, "topology": topology}))
    assert {row["flows"] for row in rows["flows"]} == {
        "flows 1-6, server to client",
        "flows 7-12, client to server",
    }


def test_files_flows_and_pages_come_first_with_their_times() -> None:
    record = record_of(USERS)
    header, *_ = next(iter(screen_tables(record)))
    assert header[0] == "completions"
    told = {row["completions"]: row for row in screen(record)["completions"]}
    assert set(told) == {"flow", "file"}, "a class that has all flows says nothing else"
    files = record["flows"][20:28]
    times = sorted(flow["finished_s"] - flow["started_s"] for flow in files if flow["finished_s"])
    assert len(times) > 2
    assert (told["file"]["asked"], told["file"]["delivered"]) == ("8", str(len(times)))
    assert float(told["file"]["time max s"]) == pytest.approx(times[-1], rel=1e-3)


def test_classes_of_flows_are_told_beside_all_of_them() -> None:
    sizes = {"kind": "bounded-pareto", "shape": 1.1, "smallest": "5 kB", "largest": "90 kB"}
    traffic = USERS["traffic"] | {"size": sizes, "classes": ["10 kB"]}
    record = record_of(USERS | {"traffic": traffic, "connections": []})
    assert [row["completions"] for row in screen(record)["completions"]] == [
        "flow up to 10 kB",
        "flow above 10 kB",
        "flow",
    ]


def test_fairness_of_mixed_traffic_stands_beside_the_max_min_one() -> None:
    record = record_of(USERS)
    names = list(metrics(record))
    assert names.index("fairness") == names.index("max_min_fairness") + 1
    assert "max_min_fairness goes by their shares" in summary(record)
    alike = record_of(USERS | {"connections": [], "traffic": "infinite"})
    assert "max_min_fairness" not in metrics(alike)
    assert "fairness" in metrics(alike)


def test_a_single_connection_is_not_compared_with_itself() -> None:
    alone = record_of(USERS | {"connections": []}, topology__sources=1)
    assert "fairness" not in metrics(alone)


@pytest.mark.parametrize("queue", ["ack-filter", "tail-drop"])
def test_superseded_acknowledgments_are_counted_apart_from_losses(queue: str) -> None:
    record = record_of(NARROW_WAY_BACK, port__queue=queue)
    told, lost = metrics(record), record["metrics"]["cell_loss_ratio"]
    dropped, arrived = (
        sum(port[name] for port in record["ports"]) for name in ("cells_dropped", "cells_in")
    )
    assert lost == pytest.approx(dropped / arrived)
    if queue == "tail-drop":
        assert float(told["packet_loss_ratio"]) == pytest.approx(lost, rel=1e-3)
        assert "acknowledgments_superseded" not in told
        return
    count = int(told["acknowledgments_superseded"].replace(",", ""))
    assert lost > 0.1
    assert float(told["packet_loss_ratio"]) == pytest.approx((dropped - count) / arrived, abs=1e-4)
    assert "superseded on purpose" in summary(record)
    columns = ("packets dropped", "superseded")
    ports = screen(record)["ports"]
    counts = [sum(int(port[name].replace(",", "")) for port in ports) for name in columns]
    assert counts == [dropped - count, count]


def test_nothing_counts_cells_where_packets_travel_whole() -> None:
    tables = screen_tables(record_of(USERS))
    words = [word for header, rows, title, _ in tables for word in (title, *header, *rows[0])]
    assert not [word for word in words if "cell" in str(word)]


def test_a_ledger_that_is_cut_short_has_all_of_the_time() -> None:
    record = record_of(USERS)
    rows = screen(record)["where the capacity went"]
    assert rows[-1]["capacity went to"].endswith(" others")
    assert sum(float(row["ms"].replace(",", "")) for row in rows) == pytest.approx(4000, abs=0.01)


@pytest.mark.parametrize("named", [[], ["c to a"], ["a to b", "c to a"]])
def test_each_line_that_measure_names_has_its_ledger_and_none_has_two(named: list[str]) -> None:
    tables = screen(record_of(NARROW_WAY_BACK, measure__ledgers=named))
    titles = [title for title in tables if title and title.startswith("where the capacity")]
    others = ["where the capacity of c to a went"] if "c to a" in named else []
    assert titles == ["where the capacity went", *others]


def test_ports_that_do_not_fit_are_told_together() -> None:
    lot = load_scenario(ROOT / "examples" / "scenarios" / "parking-lot.toml", {"duration": "2 s"})
    record = run(lot)
    rows = screen(record)["ports"]
    assert rows[0]["port"] == "middle"
    assert rows[-1]["port"] == f"{len(record['ports']) - len(rows) + 1} others"
    dropped = sum(int(row["packets dropped"].replace(",", "")) for row in rows)
    assert dropped == sum(port["cells_dropped"] for port in record["ports"])


def _with_datagrams(probes: int) -> Record:
    scenario = load_scenario(
        USERS
        | {
            "duration": "2 s",
            "proxies": "none",
            "connections": [
                {"count": 40 - probes - 1, "traffic": {"kind": "finite", "size": "20 kB"}},
                {"count": probes, "traffic": {"kind": "probe", "interval": "50 ms"}},
                {"traffic": {"kind": "constant-rate", "rate": "1 Mbit/s"}},
            ],
            "topology": USERS["topology"],
        }
    )
    return run(scenario)


def test_flows_over_udp_have_delays_and_losses_in_the_place_of_windows() -> None:
    record = _with_datagrams(3)
    few = Record({**record, "flows": record["flows"][-6:]})
    tables = {title: (header, rows) for header, rows, title, _ in screen_tables(few)}
    header, rows = tables["datagrams"]
    assert [row[0] for row in rows] == ["flow 37", "flow 38", "flow 39", "flow 40"]
    assert {"sent", "lost", "p99", "jitter s", "mean round trip s"} <= {*header}
    assert rows[-1][-1] == "-", "a constant rate is not answered"
    assert len(tables["flows"][1]) == 2


def test_many_flows_over_udp_are_a_group_with_delays() -> None:
    record = _with_datagrams(20)
    (rows,) = (rows for _, rows, title, _ in screen_tables(record) if title == "flows")
    assert {row[2] for row in rows if "probe" in row[0]} >= {"p99 delay s", "mean delay s"}

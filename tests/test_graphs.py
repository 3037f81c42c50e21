"""Networks that are written out, from a file to tables and pictures."""

import json
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.traces import load_traces
from tests.support import Longfat

PARKING_LOT = Path(__file__).parents[1] / "examples" / "scenarios" / "parking-lot.toml"
PORTS = ["a to b", "b to a", "middle", "middle back", "c to d", "d to c"]


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """The parking lot, for a second, with a queue discipline at one of its ports."""
    text = PARKING_LOT.read_text().replace('"30 s"', '"1 s"')
    other = 'ports = [{ at = "c to d", queue = "codel" }, '
    (tmp_path / "parking-lot.toml").write_text(text.replace("ports = [", other))
    return tmp_path / "parking-lot.toml"


def test_each_managed_port_is_in_the_record_by_the_name_of_its_line(short: Path) -> None:
    record = run(short)
    ports = {port["name"]: port for port in record["ports"]}
    assert list(ports) == PORTS
    assert all(port["utilization"] > 0 for port in ports.values())
    assert [name for name, port in ports.items() if "queue" in port] == ["c to d"]
    assert len(record["flows"]) == 6
    assert record["work"]["driver"] == "events"


def test_ports_that_differ_in_what_they_have_are_printed_side_by_side(
    longfat: Longfat, short: Path
) -> None:
    process = longfat("run", short, "--flows")
    assert process.returncode == 0, process.stderr
    for word in (*PORTS, "flow 6", "where the capacity went"):
        assert word in process.stdout


def test_half_a_round_trip_of_the_narrowest_line_is_half_of_what_it_carries() -> None:
    """84 ms at 10 Mbit/s: 1 + 10 + 20 + 10 + 1 ms there, and the same back."""
    ports = {
        port["at"]: port["buffer_cells"] for port in load_scenario(PARKING_LOT).settings["ports"]
    }
    packets = 0.042 * 10e6 / (8 * (1448 + 52))
    assert (packets, ports["middle"]) == (35, "35 packets")


def test_traces_name_the_port_and_plots_show_the_bottlenecks(
    longfat: Longfat, short: Path, tmp_path: Path
) -> None:
    assert longfat("run", short, "--trace", "traces").returncode == 0
    traces = load_traces(tmp_path / "traces")
    assert traces.bottleneck["name"] == "middle"
    assert set(traces.table("queue")["port"]) == set(PORTS)
    drops = traces.table("drops")
    assert drops.height == sum(port["packets_dropped"] for port in traces.record["ports"])
    at_middle = traces.table_of_bottleneck("drops").height
    assert at_middle == traces.record["ports"][PORTS.index("middle")]["packets_dropped"] > 0
    for kind in ("three-panel", "queue", "cwnd", "capacity", "time-sequence"):
        process = longfat("plot", kind, "traces", "-o", f"{kind}.csv")
        assert process.returncode == 0, process.stderr


def test_mistakes_have_a_place_and_what_would_be_right(longfat: Longfat, short: Path) -> None:
    short.write_text(short.read_text().replace('to = "exit" },      ', 'to = "exti" },      ', 1))
    process = longfat("check", short)
    assert process.returncode == 2
    assert process.stderr.splitlines()[0].endswith(
        'connections[0].to: unknown node "exti"; known: "a", "b", "c", "d", "exit", "first", '
        '"second", "third"; did you mean "exit"?'
    )


def test_a_study_may_vary_all_ports_at_once_or_a_link() -> None:
    changed = load_scenario(
        PARKING_LOT, {"port.buffer": "20 packets", "topology.links[1].rate": "8 Mbit/s"}
    )
    assert changed.settings["port"]["buffer_cells"] == "20 packets"
    assert changed.settings["topology"]["links"][1]["rate_bps"] == 8_000_000
    assert [port["at"] for port in changed.settings["ports"]] == ["middle"]
    assert json.loads(changed.resolved) == load_scenario(changed.settings).settings

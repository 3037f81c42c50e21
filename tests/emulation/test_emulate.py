"""Programs over the network of a scenario. Rates are low, and nothing here depends on lateness."""

import json
import shlex
import socket
from pathlib import Path

import pytest

from longfat.records.record import Record
from tests.emulation.conftest import Line, Program, run
from tests.support import Longfat

pytestmark = pytest.mark.usefixtures("namespaces")

SCENARIO = "SCENARIO"
"""In options, the scenario of the test."""

ECHO = """
import socket
server = socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True)
connection, _ = server.accept()
size = 0
while data := connection.recv(1 << 16):
    size += len(data)
connection.sendall(str(size).encode())
"""

SEND = """
import os, socket, sys
size = int(sys.argv[1])
family = socket.AF_INET6 if sys.argv[2] == "6" else socket.AF_INET
address = socket.getaddrinfo("server", 7000, family, socket.SOCK_STREAM)[0][4]
connection = socket.socket(family)
connection.connect(address)
connection.sendall(bytes(size))
connection.shutdown(socket.SHUT_WR)
assert connection.recv(100) == str(size).encode()
"""

NUMBERS = """
import socket, time
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.setsockopt(socket.IPPROTO_IP, 13, 1)  # IP_RECVTOS
receiver.bind(("", 7001))
receiver.settimeout(0.8)
found = []
while True:
    try:
        data, ancillary, _, _ = receiver.recvmsg(2000, 100)
    except TimeoutError:
        if found:
            break
        continue
    found.append((int(data.split()[0]), ancillary[0][2][0] & 3))
open(FILE, "w").write(repr(found))
time.sleep(60)
"""

SPEAK = """
import os, socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, TOS)
for number in range(COUNT):
    sender.sendto(str(number).encode().ljust(SIZE), (os.environ["LONGFAT_SERVER"], 7001))
    time.sleep(PAUSE)
time.sleep(1.5)
"""


def numbers(
    scenario: Path,
    python: Program,
    tmp_path: Path,
    *,
    tos: int = 0,
    count: int = 20,
    size: int = 100,
    pause: float = 0.01,
) -> tuple[list[tuple[int, int]], Record]:
    """Send numbered datagrams; return those that arrived with their ECN fields, and the record."""
    said = SPEAK.replace("TOS)", f"{tos})").replace("COUNT", str(count))
    said = said.replace("SIZE", str(size)).replace("PAUSE", str(pause))
    result = tmp_path / "numbers"
    server = shlex.join(python("numbers", NUMBERS.replace("FILE", repr(str(result)))))
    record = run(scenario, python("speak", said), server=server)
    return eval(result.read_text()), record


@pytest.mark.parametrize("version", ["4", "6"])
def test_a_file_arrives_whole_and_its_connection_is_followed(
    line: Line, python: Program, version: str
) -> None:
    size = 200_000
    command = [*python("send", SEND), str(size), version]
    record = run(line(), command, server=shlex.join(python("echo", ECHO)))
    account = record["emulation"]
    assert account["ended_by"] == "command"
    assert account["hosts"][0]["exit_code"] == 0
    (connection,) = account["tcp"]
    sent, received = connection["there"]["sent"], connection["there"]["received"]
    assert (received["bytes"], sent["bytes_acknowledged"]) == (size, size)
    assert received["finished_s"] is not None
    assert received["progress"][-1][1] == size
    assert sent["min_round_trip_s"] > 0.040
    assert record["flows"][0]["bytes_delivered"] == size
    assert record["flows"][0]["timeouts"] is None, "no header tells"
    # 2 Mbit/s carry at most so much.
    assert 0.3e6 < received["goodput_bps"] < 2e6
    assert sum(cause["ps"] for cause in record["ledger"]) == pytest.approx(
        1e12 * account["seconds"], rel=1e-6
    )


def test_what_the_scenario_loses_is_lost_and_nothing_else(
    line: Line, python: Program, tmp_path: Path
) -> None:
    scenario = line('port.buffer = "50 packets"\nloss = { kind = "list", drops = [3, 7] }')
    found, record = numbers(scenario, python, tmp_path)
    assert [number for number, _ in found] == [n for n in range(20) if n not in (2, 6)]
    assert record["metrics"]["packets_lost"] == 2


def test_marks_of_a_queue_reach_programs_that_ask_for_them(
    line: Line, python: Program, tmp_path: Path
) -> None:
    queue = '{ kind = "codel", ecn = true }'
    scenario = line(f'port = {{ buffer = "500 packets", queue = {queue} }}')
    found, record = numbers(scenario, python, tmp_path, tos=2, count=300, size=1400, pause=0.004)
    marked = sum(field == 3 for _, field in found)
    assert marked > 0
    assert {field for _, field in found} == {2, 3}
    _, server = record["emulation"]["hosts"]
    assert server["packets_marked"] == marked == record["ports"][0]["queue"]["packets_marked"]
    not_capable, _ = numbers(scenario, python, tmp_path, tos=0)
    assert {field for _, field in not_capable} == {0}


def test_programs_reach_each_other_and_nothing_else(
    line: Line, python: Program, tmp_path: Path
) -> None:
    result = tmp_path / "reached"
    program = f"""
import os, socket
found = {{}}
for name in ("client", "server", "source-1", "destination-1", "localhost"):
    found[name] = socket.getaddrinfo(name, 1, socket.AF_INET)[0][4][0]
for address in ("192.0.2.1", "8.8.8.8"):
    try:
        socket.create_connection((address, 53), timeout=1)
    except OSError as error:
        found[address] = error.errno
found["peer"] = os.environ["LONGFAT_PEER"]
found["interfaces"] = sorted(name for _, name in socket.if_nameindex())
open({str(result)!r}, "w").write(repr(found))
"""
    run(line(), python("look", program))
    found = eval(result.read_text())
    assert found["client"] == found["source-1"] == "10.0.0.1"
    assert found["server"] == found["destination-1"] == found["peer"] == "10.0.0.2"
    assert found["localhost"] == "127.0.0.1"
    assert found["192.0.2.1"] == found["8.8.8.8"] == 101, "no route (ENETUNREACH)"
    assert found["interfaces"] == ["lo", "longfat"]
    assert "longfat" not in [name for _, name in socket.if_nameindex()], "left behind"


def test_a_download_has_its_client_at_the_receiving_end(line: Line) -> None:
    record = run(line(), ["true"], download=True)
    sender, receiver = record["emulation"]["hosts"]
    assert (sender["names"][0], receiver["names"][0]) == ("server", "client")


def test_simulated_connections_run_beside_programs(line: Line, python: Program) -> None:
    groups = 'connections = [{ stack = "outside" }]\ntcp.preset = "linux-6.12"'
    scenario = line(f'port.buffer = "30 packets"\n{groups}', sources=2)
    command = [*python("send", SEND), "400000", "4"]
    record = run(scenario, command, server=shlex.join(python("echo", ECHO)))
    programs, simulated = record["flows"]
    assert programs["bytes_delivered"] == 400_000
    assert simulated["bytes_delivered"] > 100_000
    assert simulated["timeouts"] is not None


GRAPH = """
schema_version = 1
duration = "20 s"
framing = "packet"
port.buffer = "50 packets"
stack = "outside"
connections = [{ from = "a", to = "c" }, { from = "b", to = "c" }]
[topology]
kind = "graph"
hosts = ["a", "b", "c"]
switches = ["r", "s"]
links = [
    { from = "a", to = "r", rate = "10 Mbit/s", delay = "1 ms" },
    { from = "b", to = "r", rate = "10 Mbit/s", delay = "5 ms" },
    { from = "r", to = "s", rate = "2 Mbit/s", delay = "10 ms", managed = "there" },
    { from = "s", to = "c", rate = "10 Mbit/s", delay = "1 ms" },
]
"""


def test_a_host_of_a_graph_talks_with_several(tmp_path: Path, python: Program) -> None:
    scenario, result = tmp_path / "graph.toml", tmp_path / "heard"
    scenario.write_text(GRAPH)
    heard = f"""
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 7002))
found = [server.recvfrom(100) for _ in range(2)]
open({str(result)!r}, "w").write(repr(sorted((data, place[0]) for data, place in found)))
"""
    say = """
import socket, sys, time
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(sys.argv[1].encode(), ("c", 7002))
time.sleep(1)
"""
    command = python("say", say)
    record = run(
        scenario,
        [*command, "from a"],
        server=shlex.join(python("heard", heard)),
        others={"b": shlex.join([*command, "from b"])},
    )
    assert eval(result.read_text()) == [(b"from a", "10.0.0.1"), (b"from b", "10.0.0.3")]
    assert len(record["emulation"]["hosts"]) == 3


def test_a_run_ends_with_the_scenario_if_its_command_does_not(line: Line) -> None:
    record = run(line(), ["sleep", "60"], overrides={"duration": "0.5 s"})
    assert record["emulation"]["ended_by"] == "duration"
    assert record["emulation"]["seconds"] == pytest.approx(0.5)


def test_the_command_decides_the_exit_code_and_strict_the_lateness(
    longfat: Longfat, line: Line, python: Program
) -> None:
    quiet = ["emulate", str(line()), "--priority", "none"]
    assert longfat(*quiet, "--", "true").returncode == 0
    failed = longfat(*quiet, "--", "sh", "-c", "exit 7")
    assert failed.returncode == 1
    assert "the command ended with exit code 7" in failed.stderr
    missing = longfat(*quiet, "--", "no-such-program")
    assert missing.returncode == 1
    assert "no-such-program: No such file or directory" in missing.stderr
    server = ["--server", shlex.join(python("echo", ECHO))]
    client = [*python("send", SEND), "5000", "4"]
    late = longfat(*quiet, "--strict", "--late", "1 ns", *server, "--", *client)
    assert late.returncode == 3
    assert "--strict: more than 1 of 100 packets was later than the bound" in late.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--host", "nobody=true"], "--host nobody: no host of a program has this name"),
        (["--host", "server"], "'server': expected NAME=COMMAND"),
        (["--host", "server=true", "--server", "true"], "this host has a command already"),
        (["--priority", "100"], "'100': expected a number from 1 to 99, or none"),
        (["--spin", "1 s"], "'1 s': at most 10 ms"),
        (["--late", "soon"], "soon"),
        (["--core", "9999"], "--core 9999: not one of this process's cores"),
        (["--trace-what", "queues"], "--trace-what goes with --trace DIR"),
        (["--trace-what", ",", "--trace", "traces"], "no trace is named"),
        (["--pcap", SCENARIO], "this is the scenario; choose another file"),
        (["--record", SCENARIO], "this is the scenario; choose another file"),
        (["--record", "no-folder/record.json"], "there is no folder"),
        (["--set", "topology.sources=0"], "topology.sources"),
        (["--set", "stack={ kind = 'outside', mtu = '100 B' }"], "from 1280 B"),
    ],
)
def test_bad_options_are_told_in_one_message(
    longfat: Longfat, line: Line, options: list[str], words: str
) -> None:
    scenario = line()
    before = scenario.read_bytes()
    given = [str(scenario) if option == SCENARIO else option for option in options]
    ended = longfat("emulate", str(scenario), *given, "--", "true")
    assert ended.returncode == 2
    assert words in ended.stderr
    assert scenario.read_bytes() == before
    assert "Traceback" not in ended.stderr


def test_programs_take_the_place_of_a_group_with_settings_of_tcp(
    longfat: Longfat, line: Line
) -> None:
    scenario = line(
        'port.buffer = "9 packets"\nconnections = [{ flavor = "cubic", ecn = "classic" }]'
    )
    ended = longfat("emulate", str(scenario), "--priority", "none", "--", "true")
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize(
    "port",
    [
        '{ buffer = "50 packets" }',
        '{ buffer = "60 kB", queue = "tail-drop" }',
        '{ buffer = "unlimited" }',
    ],
)
def test_the_state_is_shown_meanwhile(longfat: Longfat, line: Line, port: str) -> None:
    scenario = line(f"port = {port}")
    ended = longfat("emulate", str(scenario), "--live", "--priority", "none", "--", "sleep", "1")
    assert ended.returncode == 0, ended.stderr
    assert "received 0 | 0 Mbit/s  queue 0" in ended.stderr


def test_a_scenario_with_programs_is_not_simulated(longfat: Longfat, line: Line) -> None:
    ended = longfat("run", str(line('port.buffer = "9 packets"\nstack = "outside"')))
    assert ended.returncode == 2
    assert "longfat emulate runs them" in ended.stderr


def test_files_of_a_run_are_written(
    longfat: Longfat, line: Line, python: Program, tmp_path: Path
) -> None:
    files = {name: tmp_path / name for name in ("record.json", "packets.pcapng", "traces")}
    ended = longfat(
        "emulate", str(line()), "--record", str(files["record.json"]),
        "--pcap", str(files["packets.pcapng"]), "--trace", str(files["traces"]),
        "--server", shlex.join(python("echo", ECHO)),
        "--", *python("send", SEND), "50000", "4",
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    record = json.loads(files["record.json"].read_text())
    assert record["emulation"]["tcp"][0]["there"]["received"]["bytes"] == 50_000
    assert files["packets.pcapng"].read_bytes()[:4] == b"\n\r\r\n"
    assert {path.name for path in files["traces"].iterdir()} >= {"queue.parquet", "drops.parquet"}

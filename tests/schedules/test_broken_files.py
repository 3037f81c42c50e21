"""A file that an importer cannot take gets one line, exit code 2, and nothing on stdout."""

import gzip
import json
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from longfat.schedules import IMPORTERS
from tests.conftest import SCENARIO
from tests.schedules.specimens import SPECIMENS, TEXTS, parquet, schedule, specimen

DEEP = b'{"a":' * 100_000

OTHERS = {
    "empty": b"",
    "blank lines": b"\n \n\r\n",
    "a byte order mark": b"\xef\xbb\xbf",
    "noise": bytes(range(256)) * 8,
    "zeros": bytes(4096),
    "words": b"it rained all day\nand the line was slow\n",
    "a web page": b"<!DOCTYPE html><html><body>404</body></html>\n",
    "an empty object": b"{}",
    "a list": b"[1, 2, 3]",
    "half an object": b'{"intervals": [{"sum": ',
    "deep JSON": DEEP,
    "a capture": b"\xd4\xc3\xb2\xa1\x02\0\x04\0" + bytes(40),
    "a pcapng": b"\x0a\x0d\x0d\x0a" + bytes(40),
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(40),
    "xz": b"\xfd7zXZ\0" + bytes(40),
    "a spreadsheet": b"PK\x03\x04" + bytes(40),
    "a database": b"SQLite format 3\0" + bytes(40),
    "a scenario": SCENARIO.encode(),
    "a schedule": b"time_s,rate_bps\n0,1000000\n",
    "semicolons": b"time;rtt\n1;2\n3;4\n",
    "other columns": b"a,b\n1,2\n3,4\n",
    "half a gzip file": gzip.compress(b"64 bytes" * 1000)[:-20],
    "a gzip file of nothing": gzip.compress(b""),
    "noise after gzip's mark": b"\x1f\x8bnonsense",
    "text of iperf3": b"[  5]   0.00-1.00   sec  1.12 GBytes  9.62 Gbits/sec\n- - - - - - - -\n",
    "a traceroute": b"traceroute to 192.0.2.1, 30 hops max\n 1  gateway (192.0.2.2)  0.4 ms\n",
}

ALIKE = {("lens", "irtt"), ("mahimahi", "leoreplayer")}
"""Files of one importer that another reads as well."""


def refused(folder: Path, name: str, files: list[bytes]) -> str:
    """The line with which an importer refuses these files."""
    paths = []
    for number, content in enumerate(files):
        path = folder / f"given-{number}"
        path.write_bytes(content)
        paths.append(path)
    before = set(folder.iterdir())
    done = schedule(f"from-{name}", *paths)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr[:2000]
    assert "given-" in lines[0]
    assert len(lines[0]) < 600
    assert "Error" not in lines[0]
    assert set(folder.iterdir()) == before
    return lines[0]


def replaced(name: str, position: int, content: bytes) -> list[bytes]:
    """An importer's own files, one of them with other content."""
    files = [specimen(file) for file in SPECIMENS[name]]
    files[position] = content
    return files


POSITIONS = [(name, at) for name, files in SPECIMENS.items() for at in range(len(files))]


def test_every_importer_has_a_specimen() -> None:
    assert SPECIMENS.keys() == IMPORTERS.keys()


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize(("name", "at"), POSITIONS)
def test_files_of_no_importer_are_refused(tmp_path: Path, name: str, at: int, other: str) -> None:
    refused(tmp_path, name, replaced(name, at, OTHERS[other]))


@pytest.mark.parametrize(
    ("name", "at", "other"),
    [
        (name, at, other)
        for name, at in POSITIONS
        for other in SPECIMENS
        if other != name and (other, name) not in ALIKE
    ],
)
def test_a_file_of_another_importer_is_refused_with_the_name_of_its_verb(
    tmp_path: Path, name: str, at: int, other: str
) -> None:
    line = refused(tmp_path, name, replaced(name, at, specimen(SPECIMENS[other][-1])))
    assert f"`longfat schedule from-{other}` reads" in line


def json_with(name: str, change: Callable[[dict[str, object]], object]) -> bytes:
    """An example in JSON with a change."""
    content = specimen(name)
    document = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    change(document)
    return json.dumps(document).encode()


def put(*path: object) -> Callable[[object], object]:
    """A change that sets the last of `path` at the place that the others lead to."""
    *way, last, value = path

    def change(document: object) -> None:
        for key in way:
            document = document[key]  # type: ignore[index]
        document[last] = value  # type: ignore[index]

    return change


def edited(name: str, pattern: str, replacement: str, count: int = 1) -> bytes:
    """An example in text with a change, which must change something."""
    text = specimen(name).decode()
    changed = re.sub(pattern, replacement, text, count=count, flags=re.MULTILINE)
    assert changed != text
    return changed.encode()


NAN, INFINITY = math.nan, math.inf
ORBIT = SPECIMENS["orbit"][0]
TRIP = ("round_trips", 3)
SUM = ("intervals", 3, "sum")
DOWN = ("results", "TCP download")

OWN = {
    "ping": {
        "one answer": b"64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=35 ms\n",
        "no answers": edited("ping.log", r" time=", " in ", 0),
        "round trips of days": edited("ping.log", r"time=\S+ ms", "time=99999999 ms", 0),
        "no time between": edited("ping.log", r"^\[\d+\.\d+\] (.*icmp_seq=)\d+", r"\g<1>7", 0),
        "billions sent": edited("ping.log", "100 packets", "999999999 packets"),
        "round trips of nothing": edited("ping.log", r"time=\S+ ms", "time=0 ms", 0),
    },
    "irtt": {
        "no trips": json_with("irtt.json", put("round_trips", [])),
        "trips that are none": json_with("irtt.json", put("round_trips", 3)),
        "a number for a trip": json_with("irtt.json", put(*TRIP, 7)),
        "NaN": json_with("irtt.json", put(*TRIP, "delay", "rtt", NAN)),
        "infinity": json_with("irtt.json", put(*TRIP, "delay", "send", INFINITY)),
        "a huge number": json_with("irtt.json", put(*TRIP, "delay", "rtt", 10**400)),
        "a negative one": json_with("irtt.json", put(*TRIP, "delay", "rtt", -5)),
        "a word": json_with("irtt.json", put(*TRIP, "delay", "rtt", "soon")),
        "a century": json_with("irtt.json", put(*TRIP, "delay", "rtt", 10**19)),
        "no times": json_with("irtt.json", put(*TRIP, "timestamps", {})),
        "no delay": json_with("irtt.json", put(*TRIP, "delay", {})),
        "lost, perhaps": json_with("irtt.json", put(*TRIP, "lost", "perhaps")),
        "half of it": specimen("irtt.json")[:-2000],
    },
    "iperf3": {
        "no intervals": json_with("iperf3-down.json", put("intervals", [])),
        "no sum": json_with("iperf3-down.json", put("intervals", 3, {})),
        "NaN": json_with("iperf3-down.json", put(*SUM, "bits_per_second", NAN)),
        "negative": json_with("iperf3-down.json", put(*SUM, "bits_per_second", -1)),
        "huge": json_with("iperf3-down.json", put(*SUM, "bits_per_second", 1e30)),
        "huger": json_with("iperf3-down.json", put(*SUM, "bits_per_second", 10**400)),
        "backwards": json_with("iperf3-down.json", put(*SUM, "start", 0.1)),
        "an end before": json_with("iperf3-down.json", put(*SUM, "end", 0.1)),
        "an end in years": json_with("iperf3-down.json", put(*SUM, "end", 1e12)),
        "true": json_with("iperf3-down.json", put(*SUM, "bits_per_second", True)),
        "an error": b'{"start": {"test_start": {}}, "intervals": [], "error": "refused"}',
        "half of it": specimen("iperf3-down.json")[:-2000],
        "a stream cut off": b'{"event":"start","data":{"test_start":{}}}\n{"event":"interval","d',
    },
    "nuttcp": {
        "no lines": edited("nuttcp-down.txt", "Mbps", "Mb", 0),
        "huge": edited("nuttcp-down.txt", r"= +\d+\.\d+ Mbps", "= 999999999999.0 Mbps"),
        "intervals of nothing": edited("nuttcp-down.txt", r" 0\.50 sec", " 0.00 sec", 0),
        "a header only": b"time,throughput_mbps\n",
        "one row": b"time,throughput_mbps\n2026-01-20T10:00:00,1\n",
        "NaN": b"time,throughput_mbps\n2026-01-20T10:00:00,nan\n2026-01-20T10:00:01,1\n",
        "no time": b"time,throughput_mbps\nnoon,1\nevening,1\n",
        "negative": b"time,throughput_mbps\n2026-01-20T10:00:00,-1\n2026-01-20T10:00:01,1\n",
        "backwards": b"time,throughput_mbps\n2026-01-20T10:00:01,1\n2026-01-20T10:00:00,1\n",
        "times of a buffer": b"time,throughput_mbps\n"
        + b"".join(b"2026-01-20T10:00:%02d.%06d,1\n" % (n // 40, n % 40) for n in range(120)),
        "a row too short": b"time,throughput_mbps\n2026-01-20T10:00:00\n",
    },
    "flent": {
        "no times": json_with("tcp.flent.gz", put("x_values", None)),
        "a series too short": json_with("tcp.flent.gz", put(*DOWN, [1.0])),
        "a series of words": json_with("tcp.flent.gz", put(*DOWN, ["fast"] * 75)),
        "NaN": json_with("tcp.flent.gz", put(*DOWN, 20, NAN)),
        "negative": json_with("tcp.flent.gz", put(*DOWN, 20, -1.0)),
        "huge": json_with("tcp.flent.gz", put(*DOWN, 20, 1e20)),
        "times backwards": json_with("tcp.flent.gz", put("x_values", 20, 1.0)),
        "a time that is none": json_with("tcp.flent.gz", put("x_values", 20, "noon")),
        "no series": json_with("tcp.flent.gz", put("results", {})),
        "a ping of NaN": json_with(
            "tcp.flent.gz", put("raw_values", "Ping (ms) ICMP", 3, "val", NAN)
        ),
        "half of it": gzip.compress(gzip.decompress(specimen("tcp.flent.gz"))[:-200]),
        "half a file": specimen("tcp.flent.gz")[:1000],
    },
    "mahimahi": {
        "backwards": edited("lte.down", r"^1450$", "3"),
        "a fraction": edited("lte.down", r"^1450$", "1450.5"),
        "negative": edited("lte.down", r"^1450$", "-1450"),
        "a word": edited("lte.down", r"^1450$", "soon"),
        "NaN": edited("lte.down", r"^1450$", "nan"),
        "other digits": edited("lte.down", r"^1450$", "٩٠٠"),
        "huge": edited("lte.down", r"^1500$", "9" * 30),
        "no time": b"0\n0\n",
        "centuries": b"1\n999999999999\n",
    },
    "lens": {
        "a header only": b"timestamp,rtt,uplink,downlink\n",
        "one row": b"timestamp,rtt\n1768903200.5,30.5\n",
        "NaN": edited("lens-irtt.csv", r"^(\d+),[^,]+", r"\1,nan"),
        "infinity": edited("lens-irtt.csv", r"^(\d+),[^,]+", r"\1,inf"),
        "huge": edited("lens-irtt.csv", r"^(\d+),[^,]+", r"\1,1e300"),
        "a row too short": edited("lens-irtt.csv", r",[^,]+$", ""),
        "a word": edited("lens-irtt.csv", r"^(\d+),[^,]+", r"\1,slow"),
        "all lost": b"timestamp,rtt,uplink,downlink\n" + b"1705744800616897349,0,0,-1\n" * 5,
        "all at once": b"timestamp,rtt\n" + b"1768903200.5,30.5\n" * 5,
        "an answer in centuries": b"timestamp,rtt\n1,1\n2,1\n3,1\n1e14,1\n",
        "an answer in years": b"timestamp,rtt\n1,1\n1.001,1\n1.002,1\n1e9,1\n",
    },
    "leoreplayer": {
        "backwards": edited("leoreplayer-bw.txt", r"^500$", "3"),
        "a word": edited("leoreplayer-bw.txt", r"^500$", "soon"),
    },
    "hypatia": {
        "backwards": edited("networkx_rtt_12_to_17.txt", r"^2100000000,", "100,"),
        "negative": edited("networkx_rtt_12_to_17.txt", r"^(2100000000),", r"\1,-"),
        "NaN": edited("networkx_rtt_12_to_17.txt", r"^(2100000000),.*", r"\1,nan"),
        "a word": edited("networkx_rtt_12_to_17.txt", r"^(2100000000),.*", r"\1,far"),
        "huge": edited("networkx_rtt_12_to_17.txt", r"^(2100000000),.*", r"\1,1e200"),
        "three columns": edited("networkx_rtt_12_to_17.txt", r"^(2100000000),", r"\1,1,"),
        "never a path": edited("networkx_rtt_12_to_17.txt", r",.*", ",0.0000000000", 0),
        "two pairs": edited("pingmesh.csv", "^12,17,3,", "12,18,3,"),
        "perhaps": edited("pingmesh.csv", "YES$", "MAYBE", 0),
        "one that is cut off": edited("pingmesh.csv", "(?s),17,59.*", ",17"),
        "all lost": edited("pingmesh.csv", "YES$", "LOST", 0),
    },
    "parquet": {
        "half of it": specimen("path.parquet")[:-40],
        "a mark only": b"PAR1",
        "no time": parquet({"rate_bps": [1.0]}),
        "no column": parquet({"time_s": [0.0]}),
        "words": parquet({"time_s": ["0"], "loss": [0.5]}),
        "nothing known": parquet({"time_s": [0.0, 1.0], "loss": [0.5, None]}),
        "infinity": parquet({"time_s": [0.0, INFINITY], "loss": [0.5, 0.5]}),
        "NaN": parquet({"time_s": [0.0, 1.0], "loss": [0.5, NAN]}),
        "negative": parquet({"time_s": [0.0, 1.0], "loss": [0.5, -0.5]}),
        "a loss above 1": parquet({"time_s": [0.0, 1.0], "loss": [0.5, 2.0]}),
        "backwards": parquet({"time_s": [1.0, 0.0], "loss": [0.5, 0.5]}),
        "no rows": parquet({"time_s": [], "loss": []}),
        "a delay of minutes": parquet({"time_s": [0.0], "delay_s": [100.0]}),
    },
    "orbit": {
        "half of it": specimen(ORBIT)[:-200],
        "no satellites": edited(ORBIT, "1584/72/17", "0/1/0"),
        "a billion satellites": edited(ORBIT, "1584/72/17", "1000000000/1/0"),
        "more places than are computed": edited(ORBIT, "1584/72/17", "100000/100/0").replace(
            b'"10 min"', b'"100 h"'
        ),
        "an inclination of NaN": edited(ORBIT, "53: ", "nan: "),
        "satellites below the ground": edited(ORBIT, "altitude_km = 550", "altitude_km = -1"),
        "satellites of infinity": edited(ORBIT, "altitude_km = 550", "altitude_km = inf"),
        "a latitude beyond the pole": edited(ORBIT, r"47\.61", "91"),
        "a latitude of NaN": edited(ORBIT, r"47\.61", "nan"),
        "a mask beyond the zenith": edited(ORBIT, "^step", "mask_deg = 90.5\nstep"),
        "a mask that hides all": edited(ORBIT, "^step", "mask_deg = 90\nstep"),
        "a day that is none": edited(ORBIT, "2026-11-27", "2026-02-30"),
        "a year far away": edited(ORBIT, "2026-11-27", "9999-11-27"),
        "a million hours": edited(ORBIT, '"10 min"', '"1000000 h"'),
        "no time": edited(ORBIT, '"10 min"', '"0 s"'),
        "two of a name": edited(ORBIT, '"gateway"', '"terminal"'),
        "a rule that is none": edited(ORBIT, '"drawn"', '"best"'),
        "a word too many": edited(ORBIT, "^step", "stop = 1\nstep"),
        "elements from elsewhere": edited(
            ORBIT, "kind = (?s:.*?)550", 'kind = "tle"\nfile = "/etc/passwd"'
        ),
        "elements that are absent": edited(
            ORBIT, "kind = (?s:.*?)550", 'kind = "tle"\nfile = "given-none"'
        ),
        "elements without neighbors": edited(
            ORBIT, "kind = (?s:.*?)550", 'kind = "tle"\nfile = "given-none"'
        ).replace(b"step =", b'links = "isl"\nstep ='),
    },
}


@pytest.mark.parametrize(
    ("name", "damage"), [(name, damage) for name, own in OWN.items() for damage in own]
)
def test_a_file_of_the_right_kind_with_a_mistake_is_refused(
    tmp_path: Path, name: str, damage: str
) -> None:
    refused(tmp_path, name, replaced(name, 0, OWN[name][damage]))


@pytest.mark.parametrize("delay", ["0", "-3", "nan", "1e9", "soon", "70000"])
def test_a_delay_of_leoreplayer_with_a_mistake_is_refused(tmp_path: Path, delay: str) -> None:
    delays = edited("leoreplayer-delay.txt", r"^\d+$", delay)
    refused(tmp_path, "leoreplayer", replaced("leoreplayer", 1, delays))


@pytest.mark.parametrize("name", SPECIMENS)
def test_twenty_broken_files_and_more_are_tried_of_each_importer(name: str) -> None:
    assert len(OTHERS) + len(OWN[name]) > 20


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\r\n", "\n").replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
        lambda text: f"\n{text}\n\n".encode(),
        lambda text: text.rstrip().encode(),
    ],
    ids=["CRLF", "byte order mark", "UTF-16", "gzip", "blank lines", "no last newline"],
)
def test_how_a_text_is_written_changes_nothing(
    tmp_path: Path, name: str, change: Callable[[str], bytes]
) -> None:
    verb = next(
        f"from-{kind}"
        for kind, word in {
            "ping": "ping-windows.txt ping.log",
            "lens": "lens-irtt.csv lens-ping.csv",
            "nuttcp": "nuttcp-down.txt",
            "mahimahi": "lte.down",
            "hypatia": "networkx_rtt_12_to_17.txt pingmesh.csv",
        }.items()
        if name in word.split()
    )
    (tmp_path / "plain").write_bytes(specimen(name))
    (tmp_path / "other").write_bytes(change(specimen(name).decode()))
    plain, other = (schedule(verb, tmp_path / file) for file in ("plain", "other"))
    assert plain.exit_code == other.exit_code == 0, other.output
    assert other.stdout == plain.stdout

"""Results of irtt, in its JSON and in the CSV of LENS."""

import gzip
import json
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import BadInput
from longfat.schedules import lens
from longfat.schedules.irtt import measured
from longfat.schedules.measured import Measured, Way
from longfat.schedules.options import PLAIN
from longfat.schedules.sample import Sample, unpacked
from tests.schedules.specimens import EXAMPLES, printed, sample, schedule


def trip(number: int, rtt_ms: float | None, lost: object, **ways_ms: float) -> dict[str, object]:
    """A round trip as irtt writes it, 20 ms after the one before."""
    delays = {} if rtt_ms is None else {"rtt": round(rtt_ms * 1e6)}
    delays |= {name: round(delay_ms * 1e6) for name, delay_ms in ways_ms.items()}
    return {
        "seqno": number,
        "lost": lost,
        "timestamps": {"client": {"send": {"monotonic": 5_000_000 + number * 20_000_000}}},
        "delay": delays,
    }


def path(*trips: dict[str, object]) -> Measured:
    return measured({"file": sample(json.dumps({"round_trips": trips}))}, PLAIN)


@pytest.mark.parametrize("pack", [lambda text: text, gzip.compress])
def test_round_trips_are_read_compressed_or_not(pack: object) -> None:
    trips = [trip(0, 40, lost=False), trip(1, None, lost="true"), trip(2, 44, lost="false")]
    content = json.dumps({"round_trips": trips}).encode()
    assert callable(pack)
    found = measured({"file": Sample("irtt", unpacked(pack(content), "irtt"))}, PLAIN)
    way = Way(delay_s=(0.021,), loss=(round(1 - (2 / 3) ** 0.5, 6),))
    assert (found.up, found.down) == (way, way)


def test_a_direction_has_its_own_delay_and_losses() -> None:
    lost = [trip(n, None, "true_down") for n in range(0, 20, 2)]
    answered = [trip(n, 120, "false", send=72, receive=48) for n in range(1, 20, 2)]
    found = path(*lost, *answered)
    assert found.up == Way(delay_s=(0.072,), loss=(0,))
    assert found.down == Way(delay_s=(0.048,), loss=(0.5,))


def test_the_clock_is_the_wall_where_nothing_else_was_asked_for() -> None:
    trips = [trip(0, 40, lost=False), trip(1, 40, lost=False)]
    for number, found in enumerate(trips):
        found["timestamps"] = {"client": {"send": {"wall": (1700 + number) * 10**9}}}
    assert path(*trips).down.delay_s == (0.02, 0.02)


def test_the_example_of_lens_with_clocks_that_differ_has_halves_of_round_trips() -> None:
    """LENS, README, "IRTT Example": five round trips, with clocks 10.48 s apart."""
    trips = [
        (17_291_970, 10_488_213_200, -10_470_921_269),
        (16_870_863, 10_487_722_034, -10_470_851_192),
        (16_064_572, 10_486_437_967, -10_470_373_417),
        (16_259_053, 10_487_235_754, -10_470_976_733),
        (16_597_560, 10_486_830_087, -10_470_232_546),
    ]
    rows = [trip(50 * n, None, "false") for n in range(5)]
    for row, (rtt, send, receive) in zip(rows, trips, strict=True):
        row["delay"] = {"receive": receive, "rtt": rtt, "send": send}
    found = path(*rows)
    assert found.up.delay_s == found.down.delay_s
    assert found.up.delay_s is not None
    assert found.up.delay_s[0] == pytest.approx(0.017291970 / 2, abs=1e-7)
    assert "10.5 s apart" in found.notes[0]


def test_the_example_of_the_manual_lost_one_of_three_packets_up() -> None:
    """irtt-client(1), stats: 33.3 % lost upstream, none downstream; median delays in ns."""
    found = path(
        trip(0, None, "true_up"),
        trip(1, 0.134460, "false", send=0.089283, receive=0.045177),
        trip(2, 0.099455, "false", send=0.054187, receive=0.045268),
    )
    assert found.up == Way(delay_s=(7.17e-05,), loss=(0.333333,))
    assert found.down == Way(delay_s=(4.52e-05,), loss=(0,))


LENS_IRTT = """\
timestamp,rtt,uplink,downlink
1705744800616897349,0,0,-1
1705744800626565141,120.126123,72.439368,47.68675
1705744800636737402,109.976237,62.295097,47.681199
1705744800646307744,100.411714,52.731855,47.679937
1705744800656691526,90.032887,42.357473,47.67541
1705744800666731717,0,0,-1
1705744800676416449,0,0,-1
1705744800686681812,97.297734,49.362602,47.935125
1705744800696496401,87.506136,39.592273,47.913945
"""
"""LENS, README, "IRTT CSV Example"."""


@pytest.mark.parametrize("reader", [measured, lens.measured])
def test_the_csv_of_lens_has_a_steady_way_down_that_loses_a_third(reader: object) -> None:
    assert callable(reader)
    found: Measured = reader({"file": sample(LENS_IRTT)}, PLAIN)
    assert found.up == Way(delay_s=(0.0510472,), loss=(0,))
    assert found.down == Way(delay_s=(0.047684,), loss=(round(1 / 3, 6),))


def test_losses_of_lens_without_a_way_count_for_both() -> None:
    text = LENS_IRTT.replace(",0,0,-1", ",-1,0,0")
    found = lens.measured({"file": sample(text)}, PLAIN)
    assert found.up.loss == found.down.loss == (round(1 - (2 / 3) ** 0.5, 6),)


def test_answers_of_lens_that_are_far_apart_have_lost_ones_between_them() -> None:
    """LENS, README, "Ping CSV Example": answers that came in clumps, every 16 ms or so."""
    text = (
        "timestamp,rtt\n1705744800.533641,91.8\n1705744800.55492,96.5\n1705744800.602846,111.0\n"
        "1705744800.61361,106.0\n1705744800.613665,88.3\n1705744800.677437,106.0\n"
    )
    probes, spacing_s = lens.read_ping(sample(text))
    assert spacing_s == pytest.approx(0.0178, abs=1e-4)
    assert [probe.round_trip_s is None for probe in probes] == [
        False, False, True, False, False, False, True, True, False
    ]  # fmt: skip


def test_directions_that_differ_are_said_with_their_figures() -> None:
    done = schedule("from-irtt", EXAMPLES / "irtt.json")
    assert "the directions differ: 28.36 ms and 2.5% lost up, 20.95 ms and 7.6% lost" in done.stderr
    down = printed("from-irtt", EXAMPLES / "irtt.json", "--direction", "down")
    both = printed("from-irtt", EXAMPLES / "irtt.json", "--direction", "both")
    assert down[0] == "time_s,delay_s,loss"
    assert both[0] == "time_s,delay_up_s,delay_down_s,loss_up,loss_down"
    assert [line.split(",")[1] for line in down[1:]] == [line.split(",")[2] for line in both[1:]]


def test_lines_of_a_scenario_have_each_direction_as_it_was_measured(tmp_path: Path) -> None:
    answered = [trip(n, 120, "false", send=72, receive=48) for n in range(100)]
    (tmp_path / "irtt.json").write_text(json.dumps({"round_trips": answered}))
    base = (
        'schema_version = 1\nduration = "1 s"\nframing = "packet"\nport.buffer = "20 packets"\n'
        'traffic = { kind = "finite", size = "1 kB" }\ntopology = { kind = "n-source", '
        'sources = 1, access = { delay = "1 ms" }, bottleneck = { delay = "60 ms" } }\n'
    )
    finished = {}
    for direction in ("down", "up"):
        words = ("from-irtt", tmp_path / "irtt.json", "--lines", "--direction", direction)
        lines = "\n".join(printed(*words))
        (tmp_path / "scenario.toml").write_text(base + lines)
        settings = load_scenario(tmp_path / "scenario.toml").settings
        assert [line["at"] for line in settings["lines"]] == ["bottleneck", "bottleneck back"]
        finished[direction] = run(load_scenario(tmp_path / "scenario.toml"))["flows"][0]
    # The second segment leaves when the first one is acknowledged: after a round trip of 120 ms and
    # four times the access lines', which is the same both ways. Then it goes the way of data.
    arrived = [flow["finished_s"] for flow in finished.values()]
    assert arrived[0] == pytest.approx(0.124 + 0.048 + 0.002, abs=1e-3)
    assert arrived[1] - arrived[0] == pytest.approx(0.072 - 0.048, abs=1e-9)


def test_both_forms_of_one_measurement_make_the_same_path() -> None:
    files = [("from-irtt", "irtt.json"), ("from-irtt", "lens-irtt.csv")]
    files.append(("from-lens", "lens-irtt.csv"))
    tables = [printed(verb, EXAMPLES / file, "--direction", "both") for verb, file in files]
    assert tables[1] == tables[2]
    numbers = [
        [float(cell) for row in table[1:] for cell in row.split(",")] for table in tables[:2]
    ]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"round_trips":' + b"[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_is_too_deep_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        measured({"file": Sample("irtt", content)}, PLAIN)


def test_a_file_that_unpacks_to_too_much_is_refused() -> None:
    with pytest.raises(BadInput, match="unpacks to more than 256 MiB"):
        unpacked(gzip.compress(bytes(2**28 + 1), 1), "irtt.json.gz")

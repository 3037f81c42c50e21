"""Files of LeoReplayer and Hypatia."""

import pytest

from longfat.base.errors import BadInput
from longfat.schedules import hypatia, leoreplayer
from longfat.schedules.measured import Measured, Way
from longfat.schedules.options import Options
from tests.schedules.specimens import EXAMPLES, printed, sample


def replayed(rates: str, delays: str, window_ms: int) -> Measured:
    files = {"rates": sample(rates), "delays": sample(delays)}
    return leoreplayer.measured(files, Options(window_ms=window_ms))


def test_a_line_of_delays_counts_for_ten_milliseconds() -> None:
    """LeoCC, traces/README.md: line 1 is the one-way delay of 0 to 10 ms, three lines 36 Mbit/s."""
    rates = "".join(f"{time}\n" * 3 for time in range(1, 21))
    found = replayed(rates, "24\n18\n", 10)
    assert list(found.times_s) == [0, 0.01]
    assert found.up == Way(delay_s=(0.024, 0.018))
    assert found.down == Way(rate_bps=(36_000_000, 36_000_000), delay_s=(0.024, 0.018))


def test_a_window_has_the_mean_rate_and_the_median_delay() -> None:
    """LeoCC, example/Cubic: delays begin with 12, 12, 12, 16, 14 ms."""
    rates = "".join(f"{time}\n" for time in range(1, 101))
    found = replayed(rates, "12\n12\n12\n16\n14\n9\n9\n9\n9\n9\n", 50)
    assert found.down == Way(rate_bps=(12_000_000, 12_000_000), delay_s=(0.012, 0.009))


def test_files_of_different_lengths_are_one_path() -> None:
    rates = "".join(f"{time}\n" for time in range(1, 31))
    found = replayed(rates, "20\n30\n40\n50\n", 10)
    assert list(found.times_s) == [0, 0.01, 0.02, 0.03]
    assert found.down.delay_s == (0.02, 0.03, 0.04, 0.05)


def orbits(text: str, **options: float) -> Measured:
    return hypatia.measured({"file": sample(text)}, Options(**options))  # type: ignore[arg-type]


KUIPER = """\
17800000000,28968719.3531558178
17900000000,28966485.7584654316
18000000000,25346492.5036325082
18100000000,25345063.9331905507
"""
"""Hypatia, satgenpy, kuiper_630/networkx_rtt_1173_to_1241.txt: another satellite after 18 s."""


def test_another_satellite_of_kuiper_is_another_delay() -> None:
    found = orbits(KUIPER)
    assert list(found.times_s) == [0, 0.1, 0.2, 0.3]
    assert found.up == found.down
    assert found.up.delay_s == (0.0144844, 0.0144832, 0.0126732, 0.0126725)
    assert found.up.loss == (0, 0, 0, 0)


def test_a_path_of_starlink_is_read_in_steps_of_a_second() -> None:
    """Hypatia, starlink_550, 1584 to 1660 with a failure: 20.6 ms, then 22.4 ms from 10 s on."""
    text = "9000000000,20634659.6659193560\n10000000000,22368367.3807732053\n"
    assert orbits(text).up.delay_s == (0.0103173, 0.0111842)
    assert orbits(text, elsewhere_ms=10).up.delay_s == (0.0053173, 0.0061842)


def test_without_a_path_everything_is_lost_and_the_delay_stays() -> None:
    """Hypatia, print_routes_and_rtt.py: the round trip is 0 while there is no path."""
    text = "0,0.0\n100000000,40000000.0\n200000000,0.0\n300000000,50000000.0\n"
    way = Way(delay_s=(0.02, 0.02, 0.02, 0.025), loss=(1, 0, 1, 0))
    assert orbits(text).up == orbits(text).down == way


def test_requests_of_hypatia_have_directions() -> None:
    """basic-sim, pingmesh.csv: from, to, number, times, delays there and back, round trip."""
    rows = [
        f"3,7,{n},{n}00000000,{n}30000000,{n}50000000,30000000,20000000,50000000,YES"
        for n in range(1, 5)
    ]
    rows.append("3,7,5,500000000,-1,-1,-1,-1,-1,LOST")
    found = orbits("\n".join(rows))
    loss = (round(1 - 0.8**0.5, 6),)
    assert found.up == Way(delay_s=(0.03,), loss=loss)
    assert found.down == Way(delay_s=(0.02,), loss=loss)


def test_requests_of_several_pairs_are_refused_with_the_way_out() -> None:
    row = "{},7,1,100,130,150,30,20,50,YES"
    with pytest.raises(BadInput, match="2 pairs of nodes; take the lines of one, as grep '.3,7,'"):
        orbits("\n".join([row.format(3), row.format(4)]))


def test_the_examples_are_read() -> None:
    files = [EXAMPLES / f"leoreplayer-{name}.txt" for name in ("bw", "delay")]
    assert len(printed("from-leoreplayer", *files)) == 9
    assert "2.5,0.0146774,1" in printed("from-hypatia", EXAMPLES / "networkx_rtt_12_to_17.txt")
    assert len(printed("from-hypatia", EXAMPLES / "pingmesh.csv", "--window-ms", "2000")) == 4

"""`longfat carrier`: a carrier's ladder of codes."""

import itertools
import json

import pytest

from longfat.cli.carrier import CODES, ladder
from tests.support import Longfat


def test_the_ladder_of_dvb_s2_has_the_rates_of_the_standard(longfat: Longfat) -> None:
    # 36 MHz with a roll-off of 0.2 are 30 million symbols a second; 32APSK 4/5 has 3.951571 bits.
    done = json.loads(longfat("carrier", "36 MHz", "--clear-sky", "15 dB", "--json").stdout)
    assert done["symbol_rate_hz"] == 30e6
    first, *_, last = done["codes"]
    assert first == {
        "code": "32APSK 4/5",
        "esn0_db": 13.64,
        "bits_per_symbol": 3.951571,
        "rate_bps": 118_547_130,
        "stands_db": 0.36,
    }
    assert (last["code"], last["rate_bps"], last["stands_db"]) == ("QPSK 1/4", 14_707_290, 16.35)


@pytest.mark.parametrize("codes", CODES)
def test_each_code_of_the_ladder_carries_less_and_stands_more(codes: str) -> None:
    rungs = ladder(1e6, codes, 25.0, 0.5)
    for faster, slower in itertools.pairwise(rungs):
        assert faster.rate_bps > slower.rate_bps
        assert faster.stands_db < slower.stands_db
    assert rungs[-1].code == "QPSK 1/4"


def test_dvb_s2x_leaves_smaller_steps() -> None:
    older, newer = (ladder(30e6, codes, 20.0, 0.0) for codes in ("dvb-s2", "dvb-s2x"))
    assert newer[0].code == "256APSK 3/4"
    assert newer[0].rate_bps > older[0].rate_bps
    assert len(newer) > 1.5 * len(older)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["36"], "a frequency with its unit (Hz, kHz, MHz, GHz)"),
        (["36 Mbit/s"], "a frequency with its unit"),
        (["0 MHz"], "more than nothing"),
        (["36 MHz", "--roll-off", "1.5"], "1.5 is not in the range 0<=x<=1"),
        (["36 MHz", "--clear-sky", "14"], "a number of decibels with its unit (dB)"),
        (["36 MHz", "--clear-sky", "1 dB", "--margin", "4 dB"], "no code stands even a clear sky"),
        (["36 MHz", "--codes", "dvb-s3"], "'dvb-s3' is not one of 'dvb-s2', 'dvb-s2x'"),
        ([], "Missing argument 'BANDWIDTH'"),
    ],
)
def test_what_is_no_carrier_is_refused(longfat: Longfat, arguments: list[str], words: str) -> None:
    done = longfat("carrier", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in " ".join(done.stderr.split())

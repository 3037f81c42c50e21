"""Two-line element sets: SGP4's published results, and files with mistakes."""

import re
from pathlib import Path

import numpy as np
import pytest

from longfat.base.errors import LongfatError
from longfat.orbits.shells import Constellation, constellation
from tests.orbits.descriptions import LONDON, PARIS, description, path_between

VANGUARD = """\
1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753
2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667
"""
STATION = """\
ISS (ZARYA)
1 25544U 98067A   19343.69339541  .00001764  00000-0  38792-4 0  9991
2 25544  51.6439 211.2001 0007417  17.6667  85.6398 15.50103472202482
"""


def of_file(folder: Path, text: str, epoch: str = "2000-06-27T18:50:19Z") -> Constellation:
    (folder / "sets.tle").write_text(text)
    shells = "kind = 'tle', file = 'sets.tle'"
    return constellation(description(LONDON, PARIS, folder=folder, shells=shells, epoch=epoch))


@pytest.mark.parametrize(
    ("minutes", "expected_km"),
    [
        (0, (7022.46529266, -1400.08296755, 0.03995155)),
        (360, (-7154.03120202, -3783.17682504, -3536.19412294)),
        (1440, (-938.55923943, -6268.18748831, -4294.02924751)),
        (2160, (190.19796988, 7746.96653614, 5110.00675412)),
    ],
)
def test_places_are_those_that_vallado_published(
    tmp_path: Path, minutes: int, expected_km: tuple[float, ...]
) -> None:
    """AIAA 2006-6753, verification of satellite 00005, minutes after the epoch of its elements."""
    times_s = np.array([0.733568 + 60 * minutes])
    # The day in an element set has eight decimals: 2000, 179.78495062 is 18:50:19.733568.
    (place,) = of_file(tmp_path, VANGUARD).positions(times_s)[:, 0]
    assert place == pytest.approx(expected_km, abs=1e-4)


def test_names_are_those_of_the_file_or_the_catalog(tmp_path: Path) -> None:
    satellites = of_file(tmp_path, "\r\n" + STATION.replace("ISS", "0 ISS") + VANGUARD + "\n")
    assert satellites.names == ["ISS (ZARYA)", "00005"]


def test_old_element_sets_are_told(tmp_path: Path) -> None:
    told = of_file(tmp_path, STATION, epoch="2026-11-27T12:00:00Z").shells[0].notes
    (note,) = told
    assert "sets.tle: element sets are up to 2,545 days from the epoch; SGP4 errs by" in note
    assert of_file(tmp_path, STATION, epoch="2019-12-20T12:00:00Z").shells[0].notes == ()


FIRST, SECOND = VANGUARD.splitlines()

MISTAKES = {
    "": r"sets.tle: no element sets; expected pairs of lines",
    "it rained\nall day\n": r"sets.tle:2: expected line 1 of an element set, found all day",
    f"{FIRST}\n": r"sets.tle:1: line 2 of this element set is missing",
    f"{SECOND}\n{FIRST}\n": r"sets.tle:1: expected line 1 of an element set, found 2 00005",
    f"{FIRST}\n{FIRST}\n": r"sets.tle:2: line 2 is not in the columns of an element set",
    f"{FIRST[:-1]}9\n{SECOND}\n": r"sets.tle:1: line 1 ends with the checksum 9, but .* give 3",
    f"{FIRST}\n{SECOND.replace('34.2682', '34.2683')}\n": r"sets.tle:2: line 2 ends with the",
    f"{FIRST}\n{SECOND[:-1]}\n": r"sets.tle:2: line 2 of an element set has 69 columns, found 68",
    f"{FIRST}\n{SECOND.replace('34.2682', '34.26e2')}\n": r"tle:2: line 2 is not in the columns",
    f"{FIRST}\n{SECOND.replace('00005', '00006').replace('413667', '413668')}\n": (
        r"sets.tle:2: line 2 is of satellite 00006, line 1 before it of 00005"
    ),
    f"{FIRST.replace('28098-4', 'nan   4')}\n{SECOND}\n": r"tle:1: line 1 is not in the columns",
    f"{FIRST.replace('58002B', '5800ß2')}\n{SECOND}\n": r"tle:1: line 1 is not in the columns",
    f"{FIRST}\n{SECOND.replace('10.82419157', ' 0.00000000').replace('413667', '413669')}\n": (
        r"sets.tle:1: elements of no orbit that SGP4 can compute \(error 2\)"
    ),
    f"{VANGUARD}VANGUARD 2\n": r"sets.tle:3: no element set follows the name VANGUARD 2",
    "\x00\x01\n\x02\n": r"sets.tle:2: expected line 1 of an element set, found \\x02",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(LongfatError) as refused:
        of_file(tmp_path, text)
    message = str(refused.value)
    assert re.search(MISTAKES[text], message), message
    assert "\n" not in message


def test_a_file_that_is_absent_is_told(tmp_path: Path) -> None:
    shells = "kind = 'tle', file = 'none.tle'"
    with pytest.raises(LongfatError, match=r"none.tle: no such file"):
        constellation(description(LONDON, PARIS, folder=tmp_path, shells=shells))


def test_a_satellite_that_has_come_down_is_not_seen(tmp_path: Path) -> None:
    """With the drag of this one, SGP4 gives an error some weeks after its elements."""
    falling = STATION.replace("38792-4 0  9991", "38792-1 0  9998")
    stations = [f"name = '{name}', latitude_deg = 0, longitude_deg = 0" for name in "ab"]
    (tmp_path / "sets.tle").write_text(falling)
    given = description(
        *stations,
        folder=tmp_path,
        shells="kind = 'tle', file = 'sets.tle'",
        epoch="2020-06-01T00:00:00Z",
        more="mask_deg = 0\nduration = '3 h'\nstep = '10 s'",
    )
    assert np.isnan(path_between(given).delay_s).all()

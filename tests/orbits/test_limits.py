"""More than is computed is refused at once, with what would be less."""

import pytest

from longfat.base.errors import BadInput
from longfat.orbits.paths import orbits_of
from tests.orbits.descriptions import LONDON, PARIS, STARLINK, description

MANY = "kind = 'walker', walker = '53: 100000/100/0', altitude_km = 550"


@pytest.mark.parametrize(
    ("more", "shells", "stations", "message"),
    [
        ("duration = '200 min'", MANY, 2, r"100,000 satellites at 12,000 steps; at most"),
        ("duration = '1 h'", MANY, 50, r"100,000 satellites at 3,600 steps, seen by 50 stations"),
        (
            "duration = '240 h'",
            STARLINK,
            30,
            r"435 paths with 864,000 steps; at most 20,000,000 rows",
        ),
    ],
)
def test_more_than_is_computed_is_refused(
    more: str, shells: str, stations: int, message: str
) -> None:
    named = [LONDON.replace("London", f"London {number}") for number in range(stations)]
    given = description(*named, more=more, shells=shells)
    pairs = [(one, other) for other in range(stations) for one in range(other)]
    with pytest.raises(BadInput, match=message):
        orbits_of(given, pairs)


def test_more_sightings_than_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longfat.orbits.sightings._MOST_SIGHTINGS", 100)
    with pytest.raises(BadInput, match=r"more than 100 sightings .*: raise the step, or the mask"):
        orbits_of(description(LONDON, PARIS), [(0, 1)])

"""Plot of a path over satellites: its rows and its panels."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import longfat
from longfat.base.errors import LongfatError
from longfat.cli.program import main
from longfat.orbits.paths import Orbits, orbits_of
from longfat.plots import draw
from longfat.plots.options import Options
from tests.conftest import SCENARIO
from tests.orbits.descriptions import LONDON, NEW_YORK, PARIS, description, text_of

FIJI = "name = 'Fiji', latitude_deg = -18.14, longitude_deg = 178.44"
SAMOA = "name = 'Samoa', latitude_deg = -13.83, longitude_deg = -171.77"


def orbits(*stations: str, more: str = "duration = '60 s'") -> Orbits:
    return orbits_of(description(*stations, more=more), [(0, 1)])


def test_delays_are_those_of_the_path() -> None:
    given = orbits(LONDON, PARIS)
    rows = [row for row in draw("orbit", given).rows if row["series"] == "delay"]
    assert [row["time_s"] for row in rows] == list(range(60))
    assert [row["value"] for row in rows] == pytest.approx(given.paths[0].delay_s * 1000)


def test_satellites_are_on_the_map_while_a_route_leads_over_them() -> None:
    given = orbits(LONDON, PARIS)
    rows = draw("orbit", given).rows
    tracks = [row for row in rows if row["series"] == "satellite"]
    assert [row["time_s"] for row in tracks] == list(range(60))
    names = [given.satellites.names[route[0]] for _, route in given.paths[0].routes]
    assert list(dict.fromkeys(row["name"] for row in tracks)) == names
    # Seen at 25 degrees, a satellite 550 km up is at most 9 degrees of the globe away.
    assert all(abs(row["latitude_deg"] - 50.0) < 11 for row in tracks)


def test_the_first_route_goes_from_station_to_station() -> None:
    more = "duration = '30 s'\nlinks = 'isl'\nhandover = { rule = 'shortest' }"
    given = orbits(LONDON, NEW_YORK, more=more)
    figure = draw("orbit", given)
    route = [row for row in figure.rows if row["series"] == "route"]
    assert len(route) == len(given.paths[0].routes[0][1]) > 2
    line = figure.picture.panels[1][0].marks[0]  # type: ignore[union-attr]
    assert (line.x[0], line.x[-1]) == pytest.approx((-0.1276, -74.0060))
    assert len(line.x) == len(route) + 2


def test_a_path_across_the_date_line_is_in_one_piece() -> None:
    given = orbits(FIJI, SAMOA, more="duration = '60 s'\nmask_deg = 10")
    placed = [row for row in draw("orbit", given).rows if row["longitude_deg"] is not None]
    longitudes = [row["longitude_deg"] for row in placed]
    assert max(longitudes) - min(longitudes) < 60
    assert 188.23 in np.round(longitudes, 2)


def test_the_caption_says_what_is_drawn() -> None:
    caption = draw("orbit", orbits(LONDON, PARIS)).caption
    assert caption.startswith("London to Paris; 1,584 satellites; ")


def test_it_has_no_options() -> None:
    with pytest.raises(LongfatError, match=r"orbit has no --flow"):
        draw("orbit", orbits(LONDON, PARIS), Options(flow=1))


@pytest.mark.parametrize("form", ["svg", "pdf", "png", "html", "csv"])
def test_the_command_writes_every_format(tmp_path: Path, form: str) -> None:
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, PARIS, more="duration = '20 s'"))
    output = tmp_path / f"orbit.{form}"
    words = ["plot", "orbit", str(tmp_path / "orbit.toml"), "-o", str(output)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert output.stat().st_size > 500


def test_a_notebook_draws_a_file(tmp_path: Path) -> None:
    (tmp_path / "orbit.toml").write_text(text_of(LONDON, PARIS, more="duration = '20 s'"))
    assert len(longfat.plot("orbit", tmp_path / "orbit.toml").rows) > 40
    with pytest.raises(LongfatError, match=r"orbit shows a description of orbits, .* not list"):
        longfat.plot("orbit", [])


@pytest.mark.parametrize("text", [SCENARIO, "it rained all day\n"])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.toml").write_text(text)
    words = ["plot", "orbit", str(tmp_path / "other.toml"), "-o", str(tmp_path / "x.svg")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "other.toml" in done.stderr
    assert "orbit" in done.stderr

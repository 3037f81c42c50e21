"""Pictures for dark screens have the shapes of the others and other colours."""

import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from longfat.base.errors import LongfatError
from longfat.plots import draw
from longfat.plots.dark import darken
from longfat.plots.palette import BLACK, DARK, DARK_PAPER, INK, PAPER
from longfat.traces import Traces
from tests.support import Longfat

COLOR = re.compile(r"#[0-9a-f]{6}")
LOOKS = re.compile(r' style="[^"]*"|\bm[0-9a-f]{10}\b')
"""Colours, line widths and the like, and names of markers, which depend on them."""

LIGHT = {color.lower(): other.lower() for color, other in DARK.items()} | {PAPER: DARK_PAPER}


@pytest.mark.parametrize("kind", ["three-panel", "time-sequence", "cwnd", "queue"])
def test_only_colours_are_others(traced: Traces, kind: str) -> None:
    light = draw(kind, [traced])
    before, after = light.svg(), light.dark().svg()
    assert LOOKS.sub("", before) == LOOKS.sub("", after)
    expected = {LIGHT.get(color, color) for color in (*COLOR.findall(before), BLACK)}
    assert set(COLOR.findall(after)) == expected
    assert light.svg() == before


@pytest.mark.parametrize("kind", ["variation", "main-effects", "residuals"])
def test_paper_is_dark(analysis: object, kind: str) -> None:
    painted: Any = draw(kind, analysis).dark().matplotlib()
    assert {to_hex(each.get_facecolor()) for each in (painted, *painted.axes)} == {DARK_PAPER}


def test_what_surrounds_letters_is_as_the_paper_and_opacity_remains() -> None:
    painted = Figure()
    text: Any = painted.text(0.5, 0.5, "a", path_effects=[withStroke(foreground=PAPER)])
    axes: Any = painted.subplots()
    points = axes.scatter([1, 2], [1, 2], c=[(0, 0, 0, 0.5), (0, 0, 0, 0.25)])
    (area,) = axes.fill(range(3), range(3), color=INK, alpha=0.5)
    darken(painted)
    (effect,) = text.get_path_effects()
    assert effect._gc["foreground"] == DARK_PAPER  # noqa: SLF001
    assert points.get_facecolor().tolist() == [[1, 1, 1, 0.5], [1, 1, 1, 0.25]]
    assert (to_hex(area.get_facecolor()), area.get_facecolor()[3]) == (DARK[INK], 0.5)


def test_a_page_and_data_are_not_for_dark_screens_only(traced: Traces, tmp_path: Path) -> None:
    for name in ("a.html", "a.csv"):
        with pytest.raises(LongfatError, match=r"one of \.svg, \.pdf, \.png, \.webp"):
            draw("cwnd", [traced]).dark().save(tmp_path / name)


def test_one_command_draws_both(longfat: Longfat, scenario_file: Path, tmp_path: Path) -> None:
    assert longfat("run", scenario_file, "--trace", "t").returncode == 0
    process = longfat("plot", "cwnd", "t", "-o", "a.png", "--dark", "a-dark.webp")
    assert process.returncode == 0, process.stderr
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    written = (tmp_path / "a-dark.webp").read_bytes()
    assert (written[:4], written[8:12]) == (b"RIFF", b"WEBP")
    refused = longfat("plot", "cwnd", "t", "--dark", "a.html")
    assert refused.returncode == 2
    assert "a.html: the suffix must be one of .svg, .pdf, .png, .webp" in refused.stderr
    assert "Traceback" not in refused.stderr

"""The first page: parts of the README, and its scenario, which is run for the picture."""

import io
import re
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from string import Template

import matplotlib as mpl

import longfat
from longfat.plots.palette import DARK, INK

PLOT = "three-panel"
WIDTH = 100
"""Width of what is printed, in letters."""

_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")


def page(readme: str) -> tuple[str, dict[str, bytes]]:
    """Return the page as Markdown, and its pictures by name."""
    scenario = _block(_section(readme, "A simulation"), "toml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lan.toml").write_text(scenario, encoding="utf-8")
        run = "longfat run lan.toml --trace traces"
        printed = _printed(run, folder)
        figure = longfat.plot(PLOT, folder / "traces")
        pictures = {
            "first-light.svg": _drawn(figure, INK, {}),
            "first-dark.svg": _drawn(figure, DARK[INK], DARK),
        }
    text = Template((files(__package__) / "first.md").read_text(encoding="utf-8"))
    return text.substitute(
        lead=readme.partition("\n")[2].partition("**New here?**")[0].strip(),
        install=_fenced(_block(_page_on_installing(), "")),
        scenario=_fenced(scenario, "toml"),
        run=run,
        plot=f"longfat plot {PLOT} traces -o run.png",
        printed=printed.partition("\n\nflow ")[0].rstrip(),
        told=figure.sentence,
        alt=figure.summary,
        table=_table(readme, "| you want to |"),
    ), pictures


def _page_on_installing() -> str:
    return (Path(__file__).parents[2] / "docs/guide/installing.md").read_text(encoding="utf-8")


def _section(text: str, title: str) -> str:
    return text.split(f"\n## {title}\n", 1)[1].partition("\n## ")[0]


def _block(text: str, language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found
    return found[1]


def _fenced(text: str, language: str = "text") -> str:
    return f"```{language}\n{text}```"


def _table(text: str, head: str) -> str:
    return text[text.index(head) :].partition("\n\n")[0]


def _printed(command: str, folder: Path) -> str:
    program = Path(sys.executable).with_name("longfat")
    words = [str(program), *command.split()[1:]]
    done = subprocess.run(
        words, cwd=folder, env={"COLUMNS": str(WIDTH)}, capture_output=True, text=True, check=True
    )
    return done.stdout


def _drawn(figure: longfat.Figure, ink: str, replaced: dict[str, str]) -> bytes:
    """Return a figure as SVG without a background, in the colours of a theme."""
    style = dict.fromkeys(_INKED, ink) | {"axes.facecolor": "none", "figure.facecolor": "none"}
    with mpl.rc_context(style):  # type: ignore[arg-type]
        drawn = io.BytesIO()
        figure.matplotlib().savefig(drawn, format="svg", metadata={"Date": None})
    text = drawn.getvalue().decode()
    for color, other in replaced.items():
        text = re.sub(re.escape(color), other, text, flags=re.IGNORECASE)
    return text.encode()

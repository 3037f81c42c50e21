"""The gallery: every plot and every page, at the widths of a screen and a phone, light and dark.

    .venv/bin/python -m tools.gallery STORE [NAME...]

The runs that are missing in STORE are made first: some minutes. Pictures are written to
docs/gallery as WebP, and docs/gallery.md shows them. With names, only these pictures are taken.
"""

import html
import io
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page
from tests.browser import PATIENCE_MS, chromium
from tests.web.serving import served

import longfat
from longfat import plots
from longfat.plots.figure import Figure
from longfat.running.execution import Watch
from longfat.vendor import script

ROOT = Path(__file__).parents[1]
FOLDER, PAGE = ROOT / "docs" / "gallery", ROOT / "docs" / "gallery.md"
SCREEN, PHONE = (1400, 900), (390, 844)
SIZES = {"screen": SCREEN, "phone": PHONE}
SCHEMES = ("light", "dark")
QUALITY = 50
MOST_PIXELS = 1400
"""Largest height of a picture: a long page is cut off."""
LIBRARIES = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")

GEO, LEO, UBR = "examples/geo-service", "leo", "ubr-plus"
BUFFERS = "buffer-sizing"
STUDIES: Mapping[str, Sequence[str]] = {
    GEO: (),
    LEO: ("--quick",),
    UBR: ("--table", "2,3"),
    BUFFERS: ("--quick",),
}
"""Studies that are drawn, with the part of which runs are needed."""

WAN = "examples/traces/wan.toml"
RUNS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "wan": (WAN, {}),
    "many": (WAN, {"topology.sources": "15"}),
    "two": (
        "benchmarks/scenarios/packets-5.toml",
        {
            "topology.sources": "2",
            "topology.bottleneck.rate": "20 Mbit/s",
            "port.buffer": "100 packets",
            "connections": '[{ flavor = "reno" }, { flavor = "cubic" }]',
            "duration": "60 s",
        },
    ),
    "pages": ("examples/geo-service/scenario.toml", {}),
    "call": ("examples/scenarios/call-beside-bulk.toml", {"port.queue": "fq-codel"}),
    "served": (
        "studies/guaranteed-rate/scenario.toml",
        {"tcp.flavor": "sack", "duration": "3 s", "port.scheduler.guaranteed_rate": "0.1"},
    ),
}
"""Runs that are drawn: a scenario, with settings."""

OF_RUNS = {
    "cwnd": "wan",
    "queue": "wan",
    "throughput": "many",
    "three-panel": "wan",
    "time-sequence": "wan",
    "capacity": "served",
    "phase-plane": "two",
    "completion-time": "pages",
    "delay": "call",
}
OF_STUDIES = {
    "efficiency-fairness": (UBR, "2,3"),
    "reference": (UBR, "2,3"),
    "buffer-efficiency": (BUFFERS, ""),
    "responses": (GEO, ""),
    "throughput-delay": (GEO, ""),
    "ledger": (GEO, ""),
}
OF_ANALYSES = {
    "main-effects": (GEO, "efficiency"),
    "interactions": (GEO, "efficiency"),
    "variation": (GEO, "efficiency"),
    "residuals": (GEO, "efficiency"),
}
OF_ORBITS = {"orbit": "examples/leo-orbit/orbit.toml"}

FIGURE_PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 0; color: #222; background: #fff; }}
main {{ padding: 1rem; }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #181818; }} }}
p {{ margin: .5rem 0 0; }} code {{ overflow-wrap: anywhere; font-size: 13px; }}
</style><main><div id="drawing"></div><p>{caption}</p><p><code>{command}</code></p></main></html>"""


@dataclass(frozen=True)
class Shown:
    """A picture of the gallery: its name, what it shows, and the command that gives it."""

    name: str
    said: str
    command: str


@dataclass
class Gallery:
    """Takes the pictures that are wanted, all without any `names`, and keeps a list of them."""

    browser: Browser
    names: Sequence[str]
    shown: list[Shown] = field(default_factory=list)

    @contextmanager
    def taken(self, shown: Shown, part: str = "") -> Iterator[list[Page]]:
        """Yield a page for each size and scheme; takes its pictures at the end, or a part's."""
        self.shown.append(shown)
        wanted = not self.names or shown.name in self.names
        variants = [(size, scheme) for size in SIZES for scheme in SCHEMES] if wanted else []
        pages = []
        for size, scheme in variants:
            width, height = SIZES[size]
            context = self.browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            context.set_default_timeout(PATIENCE_MS)
            pages.append(context.new_page())
        yield pages
        for page, (size, scheme) in zip(pages, variants, strict=True):
            page.wait_for_timeout(400)
            whole = page.locator(part).screenshot() if part else page.screenshot(full_page=True)
            self._write(whole, f"{shown.name}-{size}-{scheme}")
            page.context.close()

    def _write(self, picture: bytes, name: str) -> None:
        path = FOLDER / f"{name}.webp"
        opened = Image.open(io.BytesIO(picture))
        kept = opened.crop((0, 0, opened.width, min(opened.height, MOST_PIXELS)))
        kept.save(path, quality=QUALITY, method=6)
        print(path)


def main() -> None:
    """Make the runs, take the pictures and write the page."""
    store, names = Path(sys.argv[1]).resolve(), sys.argv[2:]
    FOLDER.mkdir(exist_ok=True)
    for study, part in STUDIES.items():
        _longfat("study", "run", study, *part, "--store", str(store))
    with chromium() as browser:
        gallery = Gallery(browser, names)
        take_figures(gallery, store)
        figures = list(gallery.shown)
        take_pages(gallery, store)
    PAGE.write_text(written(figures, gallery.shown[len(figures) :]))


def take_figures(gallery: Gallery, store: Path) -> None:
    """Take the pictures of all plots, as a page shows them."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in plots.PLOTS:
            shown = Shown(kind, plots.find(kind).SUMMARY, command_of(kind))
            with gallery.taken(shown, "main") as pages:
                figure = drawn(kind, store, Path(folder)) if pages else None
                for page in pages:
                    assert figure is not None
                    show(page, figure, shown.command)


def command_of(kind: str) -> str:
    """Return the command that draws a plot."""
    draw = f"longfat plot {kind}"
    output = f"-o {kind}.svg"
    if kind in OF_RUNS:
        return f"{draw} {OF_RUNS[kind]} {output}"
    if kind in OF_STUDIES:
        study, tables = OF_STUDIES[kind]
        return f"{draw} {study} {f'--table {tables} ' if tables else ''}{output}"
    if kind in OF_ORBITS:
        return f"{draw} {OF_ORBITS[kind]} {output}"
    study, response = OF_ANALYSES[kind]
    return f"longfat analyze {study} --response {response} --json | {draw} - {output}"


def drawn(kind: str, store: Path, folder: Path) -> Figure:
    """Return the figure of a plot; traces are written to a folder, once for all plots."""
    if kind in OF_RUNS:
        traces = folder / OF_RUNS[kind]
        if not traces.exists():
            file, settings = RUNS[OF_RUNS[kind]]
            scenario = longfat.load_scenario(ROOT / file, settings)
            longfat.run(scenario, watch=Watch(traces=traces))
        return longfat.plot(kind, traces)
    if kind in OF_STUDIES:
        study, tables = OF_STUDIES[kind]
        return longfat.study(_named(study), tables=tables or (), store=store).plot(kind)
    if kind in OF_ORBITS:
        return longfat.plot(kind, ROOT / OF_ORBITS[kind])
    study, response = OF_ANALYSES[kind]
    return longfat.study(_named(study), store=store).analyze(response).plot(kind)


def show(page: Page, figure: Figure, command: str) -> None:
    """Draw a figure on an empty page, with the script of reports and of the view."""
    page.set_content(FIGURE_PAGE.format(
        caption=html.escape(figure.sentence), command=html.escape(command)
    ))  # fmt: skip
    for library in LIBRARIES:
        page.add_script_tag(content=script(library))
    page.add_script_tag(content=files("longfat.plots").joinpath("figure.js").read_text())
    specification = json.dumps(figure.vega_lite())
    page.evaluate(
        f"longfatFigure.draw(document.querySelector('#drawing'), {specification}).then(() => null)"
    )


def take_pages(gallery: Gallery, store: Path) -> None:
    """Take the pictures of the pages: those of the view, a report and a plot's own page."""
    with tempfile.TemporaryDirectory() as name:
        # Commands stand on the pages as they are given: without paths of this machine.
        folder = Path(name)
        (folder / "longfat.db").symlink_to(store)
        (folder / "examples").symlink_to(ROOT / "examples")
        report = ("report", GEO, "-o", "report.html")
        plot = ("plot", "throughput-delay", GEO, "-o", "plot.html")
        for command in (report, plot):
            _longfat(*command, folder=folder)
        for own, said, command, file, part in (
            ("report", "a report of a study", report, "report.html", ""),
            (
                "report-results",
                "tables and figures of a report",
                report,
                "report.html",
                "#comparison",
            ),
            ("plot-page", "a plot as a page of its own", plot, "plot.html", ""),
        ):
            with gallery.taken(Shown(own, said, f"longfat {' '.join(command)}"), part) as pages:
                for page in pages:
                    page.goto((folder / file).as_uri())
                    page.wait_for_selector("svg")
                    # It would stand in the middle of a long picture.
                    page.evaluate(
                        "document.querySelector('nav')?.style.setProperty('position', 'static')"
                    )
    program = Path(sys.executable).with_name("longfat")
    study = ("--study", ROOT / GEO)
    with served(program, store.parent, store.name, *study) as server:
        for name, said, address, selector in (
            ("view", "all studies", "/", ".studies .progress"),
            ("view-study", "what a study has shown", "/study/geo-service", ".heat td.cell"),
            ("view-play", "the playground", f"/play?{urlencode(PLAYED)}", "html[data-drawn]"),
        ):
            shown = Shown(name, said, f"longfat view --study {GEO}")
            with gallery.taken(shown) as pages:
                for page in pages:
                    page.goto(server.address)
                    page.wait_for_selector(".studies .progress")
                    page.goto(f"{server.origin}{address}")
                    page.wait_for_selector(selector)


PLAYED = {
    "duration": "10 s",
    "topology.kind": "n-source",
    "topology.sources": "15",
    "topology.access.delay": "5 ms",
    "topology.bottleneck.delay": "5 ms",
    "port.buffer": "12000 cells",
    "tcp.flavor.kind": "sack",
    "tcp.receiver_window": "600000 B",
}
"""Settings of the playground."""


def written(figures: Sequence[Shown], pages: Sequence[Shown]) -> str:
    """Return the page of the gallery as Markdown."""
    head = (
        "# Gallery\n\n"
        "Every plot and every page, on a screen of 1400 pixels and a phone of 390, light and dark. "
        "`longfat plot --list` names\nthe plots; `make gallery` takes these pictures.\n"
    )
    runs = "\n".join(f"- `{name}`: `{_run_command(name, *run)}`" for name, run in RUNS.items())
    return (
        f"{head}\n## Plots\n\n"
        "Plots of runs are of these folders of traces:\n\n"
        f"{runs}\n\n{_entries(figures)}\n## Pages\n\n{_entries(pages)}"
    )


def _run_command(name: str, scenario: str, settings: Mapping[str, str]) -> str:
    words = [f"{path}={value}" for path, value in settings.items()]
    options = "".join(f" --set {shlex.quote(word)}" for word in words)
    return f"longfat run {scenario}{options} --trace {name}"


def _entries(shown: Sequence[Shown]) -> str:
    return "".join(
        f"### {each.name}\n\n{each.said[0].upper()}{each.said[1:]}: `{each.command}`\n\n"
        f"![{each.said}](gallery/{each.name}-screen-light.webp)\n\n"
        f"[dark](gallery/{each.name}-screen-dark.webp) · "
        f"[on a phone](gallery/{each.name}-phone-light.webp) · "
        f"[on a phone, dark](gallery/{each.name}-phone-dark.webp)\n\n"
        for each in shown
    )


def _named(study: str) -> str:
    return str(ROOT / study) if "/" in study else study


def _longfat(*words: str, folder: Path = ROOT) -> None:
    program = Path(sys.executable).with_name("longfat")
    subprocess.run([program, *words], cwd=folder, check=True)


if __name__ == "__main__":
    main()

"""The tasks of somebody who is new, in the browser: each step as the page of first answers says it.

What it calls by name (in italics) is found on the pages by that name, in that order.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import new_page
from tests.test_first_answers import hops_of, is_quick, pasted, steps, tasks, words
from tests.web.serving import Served, served

INSTEAD = re.compile(
    r"<pre>.*?</pre>|<!-- BEGIN.*?<!-- END: .*? -->|^\$ longfat plot .*?$|^!\[.*?\)$",
    re.DOTALL | re.M,
)
"""Outputs of commands and pictures, which the browser shows itself."""

OFFICE, FIGURE, EXERCISE = tasks()


@dataclass
class Walk:
    """Pages as a newcomer uses them: named by the steps, acts, words read, hops simulated."""

    page: Page
    named: list[str] = field(default_factory=list)
    acts: int = 1
    """Commands and choices; the first is to open the address."""
    read: int = 0
    simulated: float = 0

    def choose(self, role: str, name: str) -> None:
        """Click a link, a button or a summary."""
        self.named.append(name)
        self.acts += 1
        if role == "summary":
            self.page.locator("summary").filter(has_text=re.compile(rf"^{name}")).click()
        else:
            self.page.locator("main, nav").get_by_role(role, name=name, exact=True).click()  # type: ignore[arg-type]

    def select(self, label: str, option: str) -> None:
        """Choose an option of a list."""
        self.named += [label, option]
        self.acts += 1
        self.page.get_by_label(label, exact=True).select_option(option)

    def look(self, *parts: Locator) -> str:
        """Read parts of the page, all that is visible there; returns their text."""
        texts = [part.inner_text() for part in parts]
        self.read += sum(map(words, texts))
        return "\n".join(texts)

    def card(self, heading: str) -> Locator:
        """The part of the page with a heading."""
        found = self.page.locator("section.card")
        return found.filter(has=self.page.get_by_role("heading", name=heading, exact=True))

    def mean_queue(self) -> float:
        """Read the mean queue of the run that is shown; its events count as hops."""
        shown = self.page.locator("p[data-run]").inner_text()
        self.simulated += int(re.sub(r".*\(([\d,]+) events.*", r"\1", shown).replace(",", ""))
        row = self.page.get_by_role("row", name=re.compile("^mean queue packets"))
        return float(self.look(row).rpartition("\t")[2])


def queue_for_an_office(walk: Walk) -> None:
    walk.choose("link", "office")
    walk.named.append("Answer in words")
    answer = walk.card("Answer in words")
    expect(answer).to_be_visible()
    said = walk.look(answer)
    best = re.search(
        r"Best \(lowest\) flow up to 100 kB p95: ([\d.]+) s .* with queue ([\w-]+)", said
    )
    assert best is not None
    (printed,) = re.findall(rf"{re.escape(best[0])}\.", tasks()[OFFICE])
    assert "fq-codel" in printed
    assert "cannot be told from it at 90 % confidence: that with queue cake" in said
    walk.choose("summary", "Table line")
    line = answer.locator("details[open]").last
    assert "tail-drop instead of cake raises efficiency" in walk.look(line)


def figure_of_a_paper(walk: Walk) -> None:
    walk.choose("link", "ubr-plus")
    walk.select("figure", "efficiency-fairness")
    figure = walk.card("Figures")
    expect(figure.get_by_text("Efficiency against fairness")).to_be_visible()
    expect(figure.locator(".figure svg")).to_be_visible()
    walk.look(figure.locator("p"))
    walk.select("figure", "reference")
    walk.select("table", "2")
    expect(figure.get_by_text("48 values")).to_be_visible()
    said = walk.look(figure.locator("p"))
    ours = re.search(r"mean absolute difference .*: efficiency ([\d.]+)\.", said)
    assert ours is not None
    (printed,) = re.findall(r"^\| all \| ([\d.]+) ", tasks()[FIGURE], re.MULTILINE)
    assert f"{float(ours[1]):.3f}" == printed


def exercise_of_a_course(walk: Walk) -> None:
    walk.choose("link", "Playground")
    walk.choose("summary", "exercises")
    walk.choose("link", "1. A queue that theory knows")
    walk.look(walk.page.locator(".exercise"))
    walk.page.wait_for_selector("html[data-drawn]")
    walk.named.append("More metrics")
    found = {"0.8": walk.mean_queue()}
    load = walk.page.get_by_label("load", exact=True)
    walk.named.append("load")
    for text in ("0.5", "0.9"):
        before = walk.page.locator("html").get_attribute("data-drawn")
        load.fill(text)
        load.press("Enter")
        walk.acts += 1
        walk.page.wait_for_function(
            "before => document.documentElement.dataset.drawn !== before", arg=before
        )
        found[text] = walk.mean_queue()
    printed = re.findall(r"load ([\d.]+)  mean_queue_packets +([\d.]+)", tasks()[EXERCISE])
    assert {load: float(mean) for load, mean in printed} == pytest.approx(found, rel=1e-3)
    walk.choose("button", "Show the answer")
    expect(walk.page.get_by_text("Khinchine")).to_be_visible()
    assert "0.25, 1.6 and 4.05" in walk.look(walk.page.locator(".exercise [role=status]"))


WALKS: dict[str, tuple[Callable[[Walk], None], tuple[str, ...]]] = {
    OFFICE: (queue_for_an_office, ("--study", "office")),
    FIGURE: (figure_of_a_paper, ()),
    EXERCISE: (exercise_of_a_course, ()),
}
"""How each task goes, and what `longfat view` is given for it."""


@pytest.mark.parametrize("name", WALKS)
def test_a_first_task_takes_less_than_five_minutes_in_the_browser(
    browser: Browser, program: Path, tmp_path: Path, name: str
) -> None:
    go, arguments = WALKS[name]
    of_page = INSTEAD.sub("", tasks()[name]) if name != EXERCISE else ""
    assert f"`longfat {' '.join(('view', *arguments))}`" in steps(name)
    hops = hops_of(of_page, tmp_path) if of_page else 0
    with served(program, tmp_path, *arguments) as server:
        walk = started(browser, server)
        go(walk)
        walk.page.close()
    assert walk.named == re.findall(r"\*(.+?)\*", steps(name))
    acts = walk.acts + len(pasted(of_page)) + 1
    is_quick(name, "browser", acts, walk.read + words(of_page + steps(name)), hops + walk.simulated)


def started(browser: Browser, server: Served) -> Walk:
    """A newcomer who has opened the address."""
    page = new_page(browser, viewport={"width": 1280, "height": 900})
    page.goto(server.address)
    page.wait_for_selector(".studies .progress")
    return Walk(page)

"""The report in a real browser: no errors, no network, readable on small and dark screens."""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect

from tests.browser import LOOKS, new_page, violations

DRAWN = "html[data-drawn=all]"


@contextmanager
def opened(browser: Browser, file: Path, **settings: Any) -> Iterator[tuple[Page, list[str]]]:
    """The page in a browser without a network, and what went wrong or out in it."""
    page = new_page(browser, offline=True, **settings)
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda request: None if request.url == file.as_uri() else wrong.append(request.url),
    )
    page.goto(file.as_uri())
    yield page, wrong
    page.close()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_figures_are_drawn_without_errors_and_without_a_network(
    browser: Browser, page: Path, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    with opened(browser, page, viewport=size, color_scheme=scheme) as (shown, wrong):
        shown.wait_for_selector(DRAWN)
        unfolded = shown.locator(".drawing:visible")
        assert unfolded.count() > 5
        assert shown.locator(".drawing:visible svg").count() == unfolded.count()
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        widest = shown.evaluate(
            "Math.max(...[...document.querySelectorAll('.drawing svg')]"
            ".map((each) => each.getBoundingClientRect().right))"
        )
        assert widest <= width
        assert violations(shown) == []
        assert wrong == []


def test_what_is_folded_away_is_reached_by_keyboard_and_then_drawn(
    browser: Browser, page: Path
) -> None:
    with opened(browser, page) as (shown, wrong):
        shown.wait_for_selector(DRAWN)
        summary = shown.locator("#variation > details:not([open]) > summary").first
        summary.focus()
        shown.keyboard.press("Enter")
        shown.wait_for_selector("#variation > details:nth-of-type(2)[open] svg")
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement !== document.body")
        assert wrong == []


def test_the_first_key_leads_past_the_navigation(browser: Browser, page: Path) -> None:
    with opened(browser, page) as (shown, _):
        shown.keyboard.press("Tab")
        assert shown.evaluate("document.activeElement.textContent") == "To the text"
        shown.keyboard.press("Enter")
        shown.wait_for_url("**#text")


def test_a_page_that_changes_its_width_is_drawn_again(browser: Browser, page: Path) -> None:
    with opened(browser, page, viewport={"width": 1280, "height": 800}) as (shown, wrong):
        shown.wait_for_selector(DRAWN)
        first = shown.locator("#figure-1 svg")
        before = first.get_attribute("viewBox")
        shown.set_viewport_size({"width": 500, "height": 800})
        shown.wait_for_selector(f"#figure-1 svg:not([viewBox='{before}'])")
        assert wrong == []


def test_a_report_prints(browser: Browser, page: Path, tmp_path: Path) -> None:
    with opened(browser, page, color_scheme="dark") as (shown, wrong):
        shown.wait_for_selector(DRAWN)
        shown.pdf(path=tmp_path / "report.pdf", format="A4")
        assert (tmp_path / "report.pdf").stat().st_size > 50_000
        shown.emulate_media(media="print")
        assert shown.locator("nav").is_hidden()
        assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        assert wrong == []


def test_a_report_that_is_printed_as_soon_as_it_is_open_is_complete(
    browser: Browser, page: Path
) -> None:
    with opened(browser, page) as (shown, _):
        undrawn = shown.locator(".drawing:visible:not(:has(svg))").count()
        early = shown.pdf(format="A4")
    with opened(browser, page) as (shown, _):
        shown.wait_for_selector(DRAWN)
        late = shown.pdf(format="A4")
    assert undrawn > 0, "everything was drawn before anything could be printed"
    assert contents(early) == contents(late)


def contents(pdf: bytes) -> list[bytes]:
    """The deflated streams of a PDF: what is painted, and the fonts."""
    streams = re.findall(rb"/FlateDecode.*?stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    assert len(streams) > 10
    return [zlib.decompress(stream) for stream in streams]


def test_the_data_of_every_figure_are_a_table(browser: Browser, page: Path) -> None:
    with opened(browser, page) as (shown, _):
        shown.wait_for_selector(DRAWN)
        figures = shown.locator("figure:visible")
        for number in range(figures.count()):
            figure = figures.nth(number)
            figure.locator("summary").click()
            expect(figure.get_by_role("region", name="Data of figure")).to_be_visible()
            assert figure.locator("tbody tr").count() > 0
            assert figure.get_by_role("img").count() == 1
            assert figure.locator(".drawing").get_attribute("aria-label")

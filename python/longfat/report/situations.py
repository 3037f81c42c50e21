"""Verdicts on a controller in situations: as rows, as JSON and as one page of HTML."""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from longfat import _engine
from longfat.analysis.claims import Judgement, Verdict
from longfat.analysis.situations import Tried
from longfat.base.html import Html, element, table
from longfat.base.numbers import counted, percentage
from longfat.report.claims import claim_document, claim_table, measured_number, undecided
from longfat.scenarios.scenario import override_text
from longfat.studies.situations import Controller

COLUMNS = ("situation", "expectation", "measured", "expected", "verdict", "source")

_IN_WORDS: Mapping[Verdict, str] = {
    "holds": "hold", "fails": "fail", "undecided": "undecided", "no data": "without data",
}  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """Picture (PNG) of a run in a situation, and the name of the file with its qlog."""

    picture: bytes
    qlog: str


def situation_rows(tried: Sequence[Tried]) -> list[list[str]]:
    """Return a row for each expectation; the name of a situation is in its first row only."""
    return [
        [
            each.situation.name if place == 0 else "",
            judgement.claim.id,
            measured_number(judgement),
            judgement.claim.bound.text,
            judgement.verdict,
            judgement.claim.section,
        ]
        for each in tried
        for place, judgement in enumerate(each.judgements)
    ]


def summary(tried: Sequence[Tried], confidence: float) -> str:
    """Return a sentence with the count of each verdict on situations."""
    counts = Counter(each.verdict for each in tried)
    told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in _IN_WORDS.items()
                     if counts[verdict])  # fmt: skip
    return (
        f"{counted(len(tried), 'situation')}: {told}. "
        f"Verdicts of {percentage(confidence)}% confidence."
    )


def what_fails(tried: Sequence[Tried]) -> list[str]:
    """Return, for each situation that fails, what was expected and what a failure means."""
    return [line for each in tried if each.fails for line in _what_fails(each)]


def _what_fails(tried: Tried) -> list[str]:
    name = tried.situation.name
    return [
        f"{name}: {tried.situation.failure}",
        *(
            f"  {judgement.claim.id}: {judgement.claim.statement}."
            for judgement in tried.judgements
            if judgement.verdict in ("fails", "no data")
        ),
        *(f"  a run failed: {failure}" for failure in tried.failures),
    ]


def situations_document(
    controller: Controller, tried: Sequence[Tried], confidence: float
) -> dict[str, Any]:
    """Return the document of ``longfat test-controller --json``."""
    return {
        "controller": controller.name,
        "settings": dict(controller.settings),
        "engine": _engine.ENGINE_VERSION,
        "confidence": confidence,
        "verdicts": dict(Counter(each.verdict for each in tried)),
        "situations": [
            {
                "situation": each.situation.name,
                "title": each.situation.study.title,
                "category": each.situation.category,
                "verdict": each.verdict,
                "failure": each.situation.failure,
                "failed_runs": list(each.failures),
                "expectations": [_expectation(judgement) for judgement in each.judgements],
            }
            for each in tried
        ],
    }


def _expectation(judgement: Judgement) -> dict[str, Any]:
    document = claim_document(judgement)
    document["source"] = document.pop("section")
    return {key: value for key, value in document.items() if key not in _OF_PAPERS}


_OF_PAPERS = ("holds_in_paper", "paper", "missing_runs")
"""Of claims on a paper's tables only."""


def situations_page(
    controller: Controller,
    tried: Sequence[Tried],
    confidence: float,
    drawn: Mapping[str, Drawn],
) -> str:
    """Return a page with a table of all verdicts and a section for each situation.

    `drawn` has the pictures by the name of the situation. The page makes no requests and has no
    scripts.
    """
    title = f"{controller.name} in {counted(len(tried), 'situation')}"
    style = files("longfat.report.study_report").joinpath("report.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Html(f"{style}img {{ max-width: 100%; height: auto; }}\n")),
    )
    body = element(
        "body",
        element("header", element("h1", title), element("p", _settings(controller))),
        element(
            "main",
            element("p", summary(tried, confidence)),
            table(COLUMNS, map(_linked, situation_rows(tried)), "All expectations"),
            *(_section(each, drawn.get(each.situation.name)) for each in tried),
        ),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


def _settings(controller: Controller) -> str:
    settings = controller.settings.items()
    said = ", ".join(f"{path} = {override_text(value, path)}" for path, value in settings)
    return f"Engine {_engine.ENGINE_VERSION}; {said}."


def _linked(row: list[str]) -> list[str]:
    """Return a row whose situation leads to its section."""
    name, *others = row
    return [element("a", name, href=f"#{name}") if name else "", *others]


def _section(tried: Tried, drawn: Drawn | None) -> Html:
    situation = tried.situation
    columns, rows = claim_table(tried.judgements)
    more = [
        f"{judgement.claim.id}: {judgement.claim.section}. {judgement.claim.note}".strip()
        for judgement in tried.judgements
    ]
    return element(
        "section",
        element("h2", f"{situation.name}: {situation.study.title}"),
        element("p", element("span", tried.verdict, class_=f"verdict {tried.verdict}"),
                f", in the category {situation.category}. If it fails: {situation.failure}"),
        table(columns, rows, f"Expectations of {situation.name}"),
        element("ul", *(element("li", text) for text in
                        [*more, *undecided(tried.judgements), *tried.failures])),
        *([] if drawn is None else [_figure(situation.name, drawn)]),
        id=situation.name,
    )  # fmt: skip


def _figure(name: str, drawn: Drawn) -> Html:
    data = base64.b64encode(drawn.picture).decode()
    words = f"A run in {name}: throughput, round trips and queue. Its qlog is "
    return element(
        "figure",
        Html(f'<img alt="{words}beside this page" src="data:image/png;base64,{data}">'),
        element("figcaption", words, element("a", drawn.qlog, href=drawn.qlog), "."),
    )

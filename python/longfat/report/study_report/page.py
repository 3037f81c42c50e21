"""Page of a report in one HTML file, which makes no requests and runs its own scripts only."""

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from longfat.base.html import Html, element
from longfat.report.study_report.contents import Contents
from longfat.report.study_report.figures import Figures
from longfat.report.study_report.sections import Section, sections
from longfat.vendor import script

_LIBRARIES = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")


def page(contents: Contents) -> str:
    """Return the HTML of a report. The output is deterministic."""
    figures = Figures()
    found = sections(contents, figures)
    style = Html(_own("longfat.plots", "figure.css") + _own(__package__, "report.css"))
    scripts = [Html(_harmless(script(name))) for name in _LIBRARIES]
    scripts += [Html(_own("longfat.plots", "figure.js")), Html(_own(__package__, "report.js"))]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style, scripts)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", contents.study.title),
        element("style", style),
    )
    data = [
        _data("documents", contents.documents()),
        _data("figures", figures.specifications),
    ]
    body = element(
        "body",
        element("a", "To the text", href="#text", class_="skip"),
        element("header", element("h1", contents.study.title),
                element("p", contents.study.citation)),
        _navigation(found),
        element("main", *(_section(section) for section in found), id="text"),
        *data,
        *(element("script", text) for text in scripts),
    )  # fmt: skip
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _navigation(found: list[Section]) -> Html:
    links = (element("li", element("a", title, href=f"#{name}")) for name, title, _ in found)
    return element("nav", element("ul", *links), aria_label="Sections")


def _section(section: Section) -> Html:
    name, title, body = section
    return element("section", element("h2", title), body, id=name)


def _policy(style: str, scripts: list[Html]) -> str:
    """Return a Content-Security-Policy that allows only these scripts and this style, by hash."""
    allowed = " ".join(_hash(text) for text in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _own(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _harmless(text: str) -> str:
    """Escape the end tag within a script."""
    return text.replace("</script", "<\\/script")


def _data(name: str, document: Mapping[str, Any]) -> Html:
    """Embed a JSON document, escaped so that its content cannot end the element."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return element("script", Html(text.replace("<", "\\u003c")), type="application/json", id=name)

"""Links of the site that is built: each must lead to a file, and to a place in it."""

import html
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
_PLACE = re.compile(r'\bid="([^"]*)"')


def broken_links(site: Path) -> list[str]:
    """Return each link that leads nowhere, with its page."""
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    places = {page: set(map(html.unescape, _PLACE.findall(text))) for page, text in texts.items()}
    root = site.resolve()
    return [
        f"{page.relative_to(root)}: {link} leads nowhere"
        for page, text in texts.items()
        for link in sorted(set(map(html.unescape, _LINK.findall(text))))
        if not _is_external(link) and not _leads_somewhere(page, link, places)
    ]


def external_links(site: Path) -> list[str]:
    """Return all links that leave the site, in order."""
    found = {
        html.unescape(link)
        for page in site.rglob("*.html")
        for link in _LINK.findall(page.read_text(encoding="utf-8"))
    }
    return sorted(link for link in found if link.startswith(("http:", "https:")))


def _is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme)


def _leads_somewhere(page: Path, link: str, places: dict[Path, set[str]]) -> bool:
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return False
    place = unquote(parts.fragment)
    return not place or target not in places or place in places[target]

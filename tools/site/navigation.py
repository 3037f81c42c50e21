"""The navigation, from the lists of links of `docs/README.md`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

_LINK = re.compile(r"\]\(([^)#]+\.md)(?:#[^)]*)?\)")
_BULLET = re.compile(r"^- ", re.MULTILINE)
_PARENT = re.compile(r"^\[[^]]*\]\(([^)#]+\.md)\):")


@dataclass
class Navigation:
    """Sections of the index of pages: their text, and the pages below each page."""

    sections: dict[str, str] = field(default_factory=dict)
    below: dict[str, list[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def put(self, parent: str, pages: Iterable[str]) -> None:
        """Put pages below another, except those that have a place already."""
        for page in pages:
            if page not in self.seen:
                self.seen.add(page)
                self.below.setdefault(parent, []).append(page)


def navigation(index: str, folder: str, first: Sequence[str]) -> Navigation:
    """Read an index of pages, whose links are relative to a folder.

    Each section becomes a page of the folder. A point of a list that begins with a link and a
    colon has the others of its links below the first. The pages in `first` have a place already.
    """
    found = Navigation(seen=set(first))
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        section = f"{folder}/{title.lower()}.md"
        found.sections[section] = f"# {title}\n{text}"
        for point in _BULLET.split(text):
            linked = [_joined(folder, link) for link in _LINK.findall(point)]
            parent = _PARENT.match(point)
            if parent is None:
                found.put(section, linked)
            else:
                found.put(section, linked[:1])
                found.put(linked[0], linked[1:])
    return found


def toctree(pages: Iterable[str], caption: str = "") -> str:
    """Return a hidden table of contents in MyST, of paths from the root or `TITLE </PATH>`."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    names = [page if "</" in page else f"/{page.removesuffix('.md')}" for page in pages]
    return "\n".join(["", "```{toctree}", *options, "", *names, "```", ""])


def _joined(folder: str, link: str) -> str:
    """Return a path from the root for a link of a page in a folder."""
    parts: list[str] = []
    for part in PurePosixPath(folder, link).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)

"""Sources of the site: Markdown of the repository, generated pages, and files that pages name."""

import html
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from tools.site import commands, first, programs, schema
from tools.site.navigation import navigation, toctree

ROOT = Path(__file__).parents[2]
INDEX = "docs/README.md"
BEGINNING = ("docs/guide/first-answers.md", "docs/tutorial/first-study.md")
"""Pages before all sections."""
DEVELOPMENT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
FILES = "files.md"

PAGES = (
    *(*DEVELOPMENT, "docs/**/*.md", "studies/*/README.md"),
    *("examples/*/README.md", "benchmarks/*/README.md"),
)
PICTURES = ("docs/images/*.*", "docs/gallery/*.webp")

LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".py": "python",
    ".rs": "rust",
    ".sh": "bash",
    ".toml": "toml",
    ".yml": "yaml",
}
"""Languages of files that have a page of their own because a page names them."""

_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_PRINTED = re.compile(
    r"^<pre>\n(?:<!-- BEGIN: .*? -->\n)?(.*?)(?:<!-- END: .*? -->\n)?</pre>$",
    re.DOTALL | re.MULTILINE,
)
_LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
_LIGHT = re.compile(r"!\[([^]]*)\]\(([^)]*)-light\.webp\)")
_PLAIN = re.compile(r"!\[([^]]*)\]\(([^)]*)\.png\)")

Source = str | bytes


def sources() -> dict[str, Source]:
    """Return all sources by their paths below the root of the site."""
    found: dict[str, Source] = {}
    pages = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for pattern in PAGES
        for path in sorted(ROOT.glob(pattern))
    }
    tree = navigation(pages[INDEX], "docs", BEGINNING)
    pages |= tree.sections
    named: dict[str, None] = {}
    for name, text in pages.items():
        below = tree.below.get(name)
        shown = as_shown(text, name, named) + (toctree(below) if below else "")
        found[name] = shown
    files = dict(pages_of_files(named))
    found |= files
    reference = [*schema.pages(ROOT), *commands.pages(), *programs.pages(ROOT)]
    found |= dict(reference)
    readers = [name for name in pages if name.startswith(("examples/", "benchmarks/"))]
    found[FILES] = _list_of_files([*readers, *files])
    front, pictures = first.page((ROOT / "README.md").read_text(encoding="utf-8"))
    found |= pictures
    found["index.md"] = as_shown(front, "index.md", {}) + "".join(
        [
            toctree(BEGINNING, "Begin"),
            toctree([*tree.sections, INDEX], "Documentation"),
            toctree(["reference/index.md"], "Reference"),
            toctree([*DEVELOPMENT, FILES], "Development"),
        ]
    )
    for pattern in PICTURES:
        for path in ROOT.glob(pattern):
            found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return found


def write(folder: Path, files: Mapping[str, Source]) -> bool:
    """Write the sources that have changed; returns whether any came or went."""
    before = {path for path in folder.rglob("*") if path.is_file()}
    after = {folder / name for name in files}
    for path in before - after:
        path.unlink()
    for name, content in files.items():
        path = folder / name
        encoded = content.encode() if isinstance(content, str) else content
        if path not in before or path.read_bytes() != encoded:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(encoded)
    return before != after


def as_shown(text: str, name: str, named: dict[str, None]) -> str:
    """Return a page as the site shows it; adds the files that it links to to `named`.

    Printed output becomes a block that is copied and scrolled as others are. A picture that has
    variants gets them. A link to a file leads to the page of that file.
    """
    text = _PRINTED.sub(lambda found: f"```text\n{html.unescape(found[1])}```", text)
    parts = _FENCED.split(text)
    for number in range(0, len(parts), 2):
        parts[number] = _LIGHT.sub(_in_both_themes, parts[number])
        parts[number] = _PLAIN.sub(_with_dark_one(name), parts[number])
        parts[number] = _LINK.sub(_to_pages_of_files(name, named), parts[number])
    return "".join(parts)


def _in_both_themes(found: re.Match[str]) -> str:
    """Return a picture for each theme, and for each width if there is one for phones."""
    said, path = found[1], found[2]
    forms = {path: ""}
    if path.endswith("-screen"):
        forms = {path: " .wide", f"{path.removesuffix('-screen')}-phone": " .narrow"}
    return "\n".join(
        f"![{said}]({form}-{theme}.webp){{.only-{theme}{width}}}"
        for form, width in forms.items()
        for theme in ("light", "dark")
    )


def _with_dark_one(name: str) -> Callable[[re.Match[str]], str]:
    """Return what adds to a picture of a page the one for dark screens, if there is one."""

    def both(found: re.Match[str]) -> str:
        said, path = found[1], found[2]
        if not (ROOT / PurePosixPath(name).parent / f"{path}-dark.webp").exists():
            return found[0]
        return f"![{said}]({path}.png){{.only-light}}\n![{said}]({path}-dark.webp){{.only-dark}}"

    return both


def _to_pages_of_files(name: str, named: dict[str, None]) -> Callable[[re.Match[str]], str]:
    def page_of(found: re.Match[str]) -> str:
        link = found[1]
        target = Path(os.path.normpath(ROOT / PurePosixPath(name).parent / link))
        if target.suffix in {".md", ".png", ".webp", ".svg"} or not target.exists():
            return link
        named[target.relative_to(ROOT).as_posix()] = None
        return f"{link.rstrip('/')}/index.md" if target.is_dir() else f"{link}.md"

    return page_of


def pages_of_files(named: Mapping[str, None]) -> Iterator[tuple[str, str]]:
    """Yield a page for each file that pages name, and for all files of a folder that they name."""
    folders = [name for name in named if (ROOT / name).is_dir()]
    inside = [
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in sorted((ROOT / folder).iterdir())
    ]
    for name in sorted({*named, *inside} - {*folders}):
        path = ROOT / name
        shown = _notebook(path) if path.suffix == ".ipynb" else _block(path)
        yield f"{name}.md", f"# {name}\n\n{shown}"
    for folder in folders:
        links = [
            f"- [{Path(name).name}]({Path(name).name}.md)"
            for name in inside
            if Path(name).parent == Path(folder)
        ]
        yield f"{folder}/index.md", f"# {folder}\n\n" + "\n".join(links) + "\n"


def _block(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    language = LANGUAGES.get(path.suffix, "text")
    return f"`````{language}\n{text.rstrip()}\n`````\n"


def _notebook(path: Path) -> str:
    """Return the cells of a notebook, without what they printed; its first heading is deeper."""
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        is_code = cell["cell_type"] == "code"
        deeper = re.sub(r"^#", "##", text, flags=re.MULTILINE)
        parts.append(f"```python\n{text}\n```" if is_code else _without_links(deeper))
    return "\n\n".join(parts) + "\n"


def _without_links(text: str) -> str:
    """Return Markdown in which links to files are their text alone."""
    return re.sub(r"\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def _list_of_files(pages: list[str]) -> str:
    links = "\n".join(f"- [{page.removesuffix('.md')}]({page})" for page in sorted(pages))
    head = "# Files\n\nScenarios, studies, programs and traces to which pages link.\n\n"
    return f"{head}{links}\n{toctree(sorted(pages))}"

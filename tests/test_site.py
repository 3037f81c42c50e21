"""The site: its links, its navigation, and references of all that the programs declare."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from jsonschema import Draft202012Validator
from tools.site import schema
from tools.site.building import build
from tools.site.links import broken_links, external_links
from tools.site.programs import MODULES
from tools.site.staging import ROOT, Source, as_shown, sources

from longfat import controls
from longfat.cli.man import commands
from longfat.cli.program import main
from longfat.cli.schema import KINDS, schema_of
from tests.browser import NoBrowser, chromium, new_page, violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WHOLE = {
    "index.md",
    "docs/gallery.md",
    "docs/guide/measuring.md",
    "examples/notebooks/first-run.ipynb.md",
    "reference/longfat.controls.md",
    "reference/commands/longfat-run.md",
    "reference/models/path.md",
    "studies/leo/README.md",
}
"""Pages that the test builds as they are; of others the headings and links, which cost less."""

ALIKE = re.compile(
    r"reference/(?:commands/longfat-|models/(?!index))|(?:crates|examples|situations|tests)/.*(?<!README)\.md$"
)
"""Generated pages that are all alike: of them only those above are built."""

LOOKED_AT = (
    ("index.html", 390, "light"),
    ("docs/guide/measuring.html", 390, "dark"),
    ("studies/leo/README.html", 1400, "light"),
    ("reference/commands/longfat-run.html", 1400, "dark"),
)

FENCED = re.compile(r"^(`{3,})(.*?)\n.*?^\1$", re.DOTALL | re.MULTILINE)
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING_OR_LINK = re.compile(r"^#+ .*$|\[[^]\n]*\]\(([^)\s]+)\)", re.MULTILINE)

Schema = Mapping[str, Any]


@cache
def all_sources() -> dict[str, Source]:
    return sources()


def pages() -> dict[str, str]:
    return {name: text for name, text in all_sources().items() if isinstance(text, str)}


def chosen() -> dict[str, Source]:
    """The sources with which the site is tried."""
    found = all_sources()
    left_out = {name for name in found if ALIKE.match(name) and name not in WHOLE}

    def is_left_out(page: str, link: str) -> bool:
        path = posixpath.join(posixpath.dirname(page), link.partition("#")[0])
        return posixpath.normpath(path) in left_out

    def linked_less(page: str, text: str) -> str:
        """The headings and links of a page, unless it is whole, and the pages below it."""
        shown = [text]
        if page not in WHOLE:
            links = HEADING_OR_LINK.finditer(FENCED.sub("", text))
            shown = [each[0] for each in links if not is_left_out(page, each[1] or "")]
            shown += [each[0] for each in TOCTREE.finditer(text)]
        below = re.compile(r"^(?:.*</|/)([^>\n]+)>?\n", re.MULTILINE)
        keep = lambda each: "" if f"{each[1]}.md" in left_out else each[0]  # noqa: E731
        return TOCTREE.sub(lambda each: below.sub(keep, each[0]), "\n\n".join(shown)) + "\n"

    return {
        name: linked_less(name, source) if isinstance(source, str) else source
        for name, source in found.items()
        if name not in left_out
    }


def test_the_site_is_built_without_warnings_and_no_link_in_it_leads_nowhere(tmp_path: Path) -> None:
    assert chosen().keys() >= WHOLE
    built = build(chosen(), tmp_path / "work", tmp_path / "site")
    assert built.problems == []
    is_usable(tmp_path / "site")
    assert "https://semver.org" in built.external
    page = (tmp_path / "site" / "reference" / "longfat.controls.html").read_text()
    assert {f'id="longfat.controls.{name}"' in page for name in controls.__all__} == {True}


def is_usable(site: Path) -> None:
    """Look at the pages without a server, if there is a browser: widths, contrast, search."""
    with suppress(NoBrowser), chromium() as browser:
        for name, width, scheme in LOOKED_AT:
            shape: Any = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
            page = new_page(browser, **shape)
            page.goto((site / name).as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert violations(page) == [], name
            page.close()
        page = new_page(browser)
        page.goto(f"{(site / 'search.html').as_uri()}?q=handover")
        page.get_by_role("link", name="path").first.wait_for()


def test_versions_that_the_host_lists_are_offered(browser: "Browser") -> None:
    script = (ROOT / "tools/site/theme/site.js").read_text()
    shown = '<div data-versions="versions.json">0.1.0</div>'
    listed = [{"version": name, "url": f"/{name}/"} for name in ("0.2.0", "0.1.0")]
    page = new_page(browser)
    page.route(
        "http://site.example/**",
        lambda route: (
            route.fulfill(json=listed)
            if route.request.url.endswith("versions.json")
            else route.fulfill(body=f"{shown}<script>{script}</script>", content_type="text/html")
        ),
    )
    page.goto("http://site.example/0.1.0/")
    offered = page.get_by_label("Version")
    assert offered.evaluate("select => select.value") == "/0.1.0/"
    offered.select_option("0.2.0")
    page.wait_for_url("http://site.example/0.2.0/")


def test_broken_links_are_found_and_external_ones_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="x"><a href="b.html#y">1</a><a href="b.html#z">2</a><a href="#x">3</a>'
        '<a href="c.html">4</a><img src="d.png"><a href="https://example.org/">5</a></p>'
    )
    (tmp_path / "b.html").write_text('<p id="y"></p>')
    wrong = ["b.html#z", "c.html", "d.png"]
    assert broken_links(tmp_path) == [f"a.html: {link} leads nowhere" for link in wrong]
    assert external_links(tmp_path) == ["https://example.org/"]


def test_a_warning_of_sphinx_is_a_problem(tmp_path: Path) -> None:
    written: dict[str, Source] = {"index.md": "# A\n\n[b](b.md)\n", "versions.json": "[]"}
    problems = build(written, tmp_path / "work", tmp_path / "site").problems
    assert any("b.md" in problem for problem in problems)


def test_every_page_is_reached_from_the_first_one() -> None:
    found = pages()
    reached, left = set[str](), ["index.md"]
    while left:
        page = left.pop()
        reached.add(page)
        for names in TOCTREE.findall(found[page]):
            below = re.findall(r"^(?:.*<)?/([^>\n]+)>?$", names, re.MULTILINE)
            left += [f"{name}.md" for name in below]
    assert reached == found.keys()
    in_repository = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert in_repository <= reached


def keys(of: Any, owner: str = "") -> Iterator[tuple[str, str]]:
    """Yield each key of a schema with the model that it belongs to."""
    if isinstance(of, list):
        for each in of:
            yield from keys(each, owner)
    if isinstance(of, dict):
        properties = of.get("properties", {})
        kind = properties.get("kind", {})
        owner = kind.get("const", owner) if isinstance(kind, dict) else owner
        yield from ((owner, key) for key in properties if key != "kind")
        for key, inner in of.items():
            if key not in ("default", "examples", "const"):
                yield from keys(list(inner.values()) if key == "properties" else inner, owner)


@cache
def reference() -> tuple[schema.Reference, dict[str, str]]:
    """The reference of files and models, and its pages."""
    found = schema.Reference(ROOT)
    return found, dict(found.pages())


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_of_a_file_is_in_the_reference(kind: str) -> None:
    text = "\n".join(reference()[1].values())
    declared = schema_of(kind)
    headed = set(re.findall(r"^#+ `\[*(.*?)\]*`$|^- As a whole .*: `(.*)`$", text, re.MULTILINE))
    names = {(name or whole).rpartition(".")[2] for name, whole in headed}
    owners = set(re.findall(r"^## (\S+)$", text, re.MULTILINE))
    found = set(keys(declared))
    assert len(found) > 5
    assert {key for _, key in found} - names == set()
    assert {owner for owner, _ in found} - owners - {""} == set()


def test_every_example_of_a_key_fits() -> None:
    unfit = [
        entry.name
        for entry in reference()[0].entries
        if not Draft202012Validator(entry.schema).is_valid(entry.example)
    ]
    assert unfit == []


def test_every_key_says_what_it_takes_and_what_holds_without_it() -> None:
    for name, text in reference()[1].items():
        for entry in re.split(r"^#+ (?=`[^[])", text, flags=re.MULTILINE)[1:]:
            own = entry.partition("\n#")[0]
            assert re.search(r"^- Example: `", own, re.MULTILINE), f"{name}: {entry[:50]}"
            assert own.count("\n- ") >= 2, f"{name}: {entry[:50]}"


def test_every_command_and_option_has_its_place() -> None:
    found = pages()
    for words, command, _ in commands(main, "longfat"):
        page = found[f"reference/commands/{words.replace(' ', '-')}.md"]
        for param in command.params:
            if isinstance(param, click.Option) and not param.hidden:
                assert all(name in page for name in param.opts), f"{words} {param.opts}"


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_of_python_is_documented(module: str) -> None:
    page = pages()[f"reference/{module}.md"]
    imported = import_module(module)
    missing = [
        name
        for name in imported.__all__
        if not name.startswith("_") and f":: {module}.{name}\n" not in page
    ]
    assert missing == []


def test_printed_output_pictures_and_files_are_shown_as_the_site_can() -> None:
    named: dict[str, None] = {}
    page = (
        "<pre>\n<!-- BEGIN: longfat x -->\na &lt; b\n<!-- END: longfat x -->\n</pre>\n"
        "![a](gallery/x-light.webp) [b](../examples/traces/wan.toml)\n"
        "```toml\n[c](../examples/traces/wan.toml)\n```\n"
    )
    assert as_shown(page, "docs/gallery.md", named) == (
        "```text\na < b\n```\n"
        "![a](gallery/x-light.webp){.only-light}\n![a](gallery/x-dark.webp){.only-dark} "
        "[b](../examples/traces/wan.toml.md)\n"
        "```toml\n[c](../examples/traces/wan.toml)\n```\n"
    )
    assert list(named) == ["examples/traces/wan.toml"]


def test_a_picture_with_a_dark_one_is_shown_in_both_themes() -> None:
    shown = as_shown("![a](../images/cwnd.png) ![b](../images/none.png)", "docs/guide/x.md", {})
    assert shown == (
        "![a](../images/cwnd.png){.only-light}\n![a](../images/cwnd-dark.webp){.only-dark} "
        "![b](../images/none.png)"
    )
    files = all_sources()
    pictures = {
        name.removesuffix(".png") for name in files if re.match(r"docs/images/.*\.png", name)
    }
    assert len(pictures) > 10
    assert {name for name in pictures if f"{name}-dark.webp" not in files} == set()


def test_the_first_page_has_the_scenario_of_the_readme_and_its_answer_in_both_themes() -> None:
    (scenario,) = re.findall(r"```toml\n.*?```", (ROOT / "README.md").read_text(), re.DOTALL)
    first = pages()["index.md"]
    assert scenario in first
    for theme in ("light", "dark"):
        assert f"(first-{theme}.svg){{.only-{theme}}}" in first
        assert b"<svg" in all_sources()[f"first-{theme}.svg"]

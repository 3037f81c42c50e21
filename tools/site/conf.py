"""Configuration of Sphinx; `python -m tools.site` writes the sources."""

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_HERE = Path(__file__).parent
_PROJECT = tomllib.loads((_HERE.parents[1] / "pyproject.toml").read_text())["project"]

project = "longfat"
version = release = _PROJECT["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
toc_object_entries = False

smartquotes = False  # options begin with two hyphens
highlight_language = "text"
html_theme = "furo"
html_title = "longfat"
html_static_path = ["theme"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_extra_path = ["theme/versions.json"]
templates_path = ["theme"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?<![`:\\])`([^`\n]+(?:\n[^`\n]+)?)`(?!`)")


def _as_restructured_text(markdown: str) -> str:
    """Return a docstring, which is Markdown, as autodoc reads it."""
    parts = _FENCED.split(markdown)
    for number in range(0, len(parts), 3):
        parts[number] = _CODE.sub(r"``\1``", parts[number])
    for number in range(1, len(parts), 3):
        block = parts[number + 1].replace("\n", "\n    ").rstrip()
        parts[number] = f".. code-block:: {parts[number] or 'text'}\n\n    "
        parts[number + 1] = f"{block}\n"
    return "".join(parts)


def _read_docstring(*arguments: object) -> None:
    lines = arguments[-1]
    assert isinstance(lines, list)
    lines[:] = _as_restructured_text("\n".join(lines)).splitlines()


def _shorten_navigation(
    _app: "Sphinx", _page: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Leave out of the navigation what is below other pages; the theme would repeat all of it."""
    whole = context["toctree"]
    context["toctree"] = lambda **options: whole(**options | {"collapse": True})


def setup(app: "Sphinx") -> None:
    """Connect what autodoc and the theme read, before the theme does."""
    app.connect("autodoc-process-docstring", _read_docstring, priority=400)
    app.connect("html-page-context", _shorten_navigation, priority=400)

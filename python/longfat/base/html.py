"""Functions that build HTML: text is escaped, elements nest."""

import html
from collections.abc import Iterable, Sequence


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | bool | None) -> Html:
    """Build an element; children that are not `Html` are escaped.

    A trailing `_` in an attribute name is dropped (`class_`), and other `_` become hyphens. True
    gives an attribute without a value; False and None give no attribute.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(parts: Iterable[str]) -> Html:
    """Concatenate parts; those that are not `Html` are escaped."""
    return Html("".join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "") -> Html:
    """Build a table that scrolls sideways, also by keyboard; numeric columns are right-aligned."""
    cells = [list(row) for row in rows]
    right = [
        all(_is_number(row[place]) for row in cells) and bool(cells) for place in range(len(header))
    ]
    names = [element("th", name, scope="col", class_=_side(to)) for name, to in zip(
        header, right, strict=True)]  # fmt: skip
    body = [
        element("tr", *(element("td", cell, class_=_side(to))
                        for cell, to in zip(row, right, strict=True)))
        for row in cells
    ]  # fmt: skip
    return element(
        "div",
        element(
            "table",
            element("caption", caption) if caption else "",
            element("thead", element("tr", *names)),
            element("tbody", *body),
        ),
        class_="scroll",
        role="region",
        aria_label=caption or "table",
        tabindex="0",
    )


def folded(summary: str, *children: str, is_open: bool = False) -> Html:
    """Build a `details` element that unfolds to `children`."""
    return element("details", element("summary", summary), *children, open=is_open)


_VOID = {"meta", "br", "hr", "link"}


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'


def _side(right: bool) -> str | None:
    return "number" if right else None


def _is_number(cell: str) -> bool:
    text = cell.strip("?*() ")
    return text in ("", "-") or text[:1].isdigit() or (text[:1] == "-" and text[1:2].isdigit())

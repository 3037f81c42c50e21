"""Pages on what programs can use: names of Python, and the C interface of controls."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tools.site.navigation import toctree

from longfat.cli.schema import KINDS

MODULES = {
    "longfat": "scenarios, runs, studies, plots and stores",
    "longfat.controls": "congestion controls of users",
    "longfat.learning": "environments for congestion controls that learn",
}
"""Public modules, as docs/contracts.md has them, with what they are for."""

HEADER = "crates/control/include/longfat_control.h"


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the index of references, a page for each public module, and the C interface."""
    modules = [f"reference/{name}.md" for name in MODULES]
    yield "reference/index.md", _index(modules)
    for name, page in zip(MODULES, modules, strict=True):
        yield page, f"# Python: {name}\n\n```{{eval-rst}}\n{_names(name)}```\n"
    yield "reference/c-interface.md", _c_interface((root / HEADER).read_text(encoding="utf-8"))


def _c_interface(header: str) -> str:
    return (
        "# The C interface of controls\n\n"
        "A congestion control in C, C++ or Rust is a shared library with these functions: "
        "[how](../docs/guide/controls.md).\n`longfat.controls.HEADER` has this text.\n\n"
        f"```c\n{header.rstrip()}\n```\n"
    )


def _index(modules: list[str]) -> str:
    listed = "\n".join(
        f"- [{name}]({Path(page).name}): {what}"
        for (name, what), page in zip(MODULES.items(), modules, strict=True)
    )
    below = [
        *(f"reference/{kind}.md" for kind in KINDS),
        *("reference/models/index.md", "Commands </reference/commands/longfat>"),
        *(*modules, "reference/c-interface.md"),
    ]
    return (
        "# Reference\n\nThese pages are generated from what the programs declare.\n\n"
        "**Files**: [scenario](scenario.md), [study](study.md), [claims](claims.md), "
        "[orbit](orbit.md), [situation](situation.md). "
        "[Models and their parameters](models/index.md).\n\n"
        "**Commands**: [longfat](commands/longfat.md).\n\n"
        f"**Python**:\n\n{listed}\n\n"
        "**C**: [the interface of controls](c-interface.md). "
        "**Rust**: [a stack of your own](../docs/models/stacks.md#add-a-stack).\n\n"
        "[What stays compatible](../docs/contracts.md).\n"
        f"{toctree(below)}"
    )


def _names(module: str) -> str:
    """Return directives of autodoc for all public names of a module."""
    imported = import_module(module)
    lines = [f".. automodule:: {module}", "   :no-members:", ""]
    for name in imported.__all__:
        if name.startswith("_"):
            continue
        lines += _directive(module, name, getattr(imported, name))
    return "\n".join(lines) + "\n"


def _directive(module: str, name: str, value: object) -> list[str]:
    place = f"{module}.{name}"
    if inspect.isclass(value):
        is_exception = issubclass(value, BaseException)
        kind = "autoexception" if is_exception else "autoclass"
        return [f".. {kind}:: {place}", "   :members:", ""]
    if callable(value):
        return [f".. autofunction:: {place}", ""]
    return [f".. autodata:: {place}", "   :no-value:", ""]

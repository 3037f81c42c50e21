"""The packages of longfat form layers: each imports only from those below it.

Imports within functions and for type checkers count, and so do modules that are imported by name.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[1] / "python" / "longfat"

FLOORS = (
    "base",
    "statistics",
    "scenarios",
    "records",
    "traces",
    "orbits",
    "schedules",
    "controls",
    "studies",
    "store",
    "results",
    "analysis",
    "running",
    "verification",
    "emulation",
    "plots",
    "report",
    "learning",
    "notebook",
    "web",
    "cli",
)
"""From the lowest to the highest."""

NOT_PYTHON = {"shipped", "vendor"}
"""Studies, scenarios and browser libraries, which import nothing."""

SIMULATES = "report.from_store"
"""The only module of plots and reports that runs anything: it repeats stored runs to draw them."""

FILES = {
    ".".join(("longfat", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): file
    for file in ROOT.rglob("*.py")
    if not file.is_relative_to(ROOT / "shipped")
}


def imported(file: Path) -> Iterator[str]:
    """The names of modules, and of what is taken from them, that a file imports or mentions."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and node.value in FILES.keys() - {"longfat"}:
            yield node.value


def module_of(name: str) -> str | None:
    """The module of longfat that a dotted name is, or is in."""
    if name.partition(".")[0] != "longfat":
        return None
    while name not in FILES:
        if name == "longfat._engine":
            return None
        name = name.rpartition(".")[0]
    return name


MODULES = {
    module: {found for name in imported(file) if (found := module_of(name))} - {module}
    for module, file in FILES.items()
}
"""The modules that each module imports."""

ARROWS = [
    (module, other)
    for module, others in MODULES.items()
    for other in others
    if module != "longfat" and not NOT_PYTHON.intersection(other.split("."))
]


def package(module: str) -> str:
    return module.split(".")[1]


def test_nothing_but_packages_stands_beside_the_public_names() -> None:
    assert {file.name for file in ROOT.glob("*.py")} == {"__init__.py"}
    packages = {file.parent.name for file in ROOT.glob("*/*") if file.parent.name[0] != "_"}
    assert packages - NOT_PYTHON == set(FLOORS)


def test_no_import_leads_upward() -> None:
    height = {name: floor for floor, name in enumerate(FLOORS)}
    upward = [
        f"{module} imports {other}"
        for module, other in ARROWS
        if other == "longfat" or height[package(other)] > height.get(package(module), -1)
    ]
    assert upward == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    tuple(TopologicalSorter(MODULES).static_order())  # raises CycleError, which names the circle


def test_what_computes_results_never_starts_a_simulation() -> None:
    pure = ("results", "analysis", "plots", "report")
    simulating = {
        module
        for module, other in ARROWS
        if package(module) in pure and package(other) == "running"
    }
    assert simulating == {f"longfat.{SIMULATES}"}

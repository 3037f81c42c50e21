"""Programs of documents, examples, notebooks and studies satisfy strict mypy, and pyright."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import longfat

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("**/*.py"))
STUDIES = sorted((ROOT / "studies").glob("*/*.py"))
NOTEBOOKS = sorted(ROOT.glob("examples/**/*.ipynb"))

PUBLIC_MODULES = {"longfat.controls", "longfat.learning"}
"""Modules that programs may import, besides longfat."""


def programs_of_pages() -> dict[str, str]:
    """The Python of each page by a name for a file; its blocks are read one after the other."""
    blocks = {
        "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_"): re.findall(
            r"^```python\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE
        )
        for page in PAGES
    }
    return {name: "\n".join(found) for name, found in blocks.items() if found}


def programs_of_notebooks() -> dict[str, str]:
    """The cells of each notebook, one after the other, by a name for a file."""
    return {
        file.stem.replace("-", "_"): "\n\n".join(
            "".join(cell["source"])
            for cell in json.loads(file.read_text())["cells"]
            if cell["cell_type"] == "code"
        )
        for file in NOTEBOOKS
    }


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder of all programs, far from our own configuration of checkers."""
    for name, text in (programs_of_pages() | programs_of_notebooks()).items():
        (tmp_path / f"{name}.py").write_text(text)
    for example in EXAMPLES:
        copy = tmp_path / example.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(example.read_text())
    for file in STUDIES:
        name = f"{file.parent.name}_{file.name}".replace("-", "_")
        (tmp_path / name).write_text(file.read_text())
    return tmp_path


def test_programs_satisfy_mypy(programs: Path) -> None:
    cache = ROOT / ".mypy_cache" / "programs"
    options = ["--strict", "--config-file=", "--no-error-summary", f"--cache-dir={cache}"]
    check(programs, "mypy", *options)


def test_programs_satisfy_pyright(programs: Path) -> None:
    check(programs, "pyright", "--pythonpath", sys.executable)


def check(folder: Path, checker: str, *options: str) -> None:
    """Let a checker judge all programs in a folder."""
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, "."],
        cwd=folder, env=os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_programs_import_public_names_only() -> None:
    texts = [*programs_of_pages().values(), *programs_of_notebooks().values()]
    texts += [example.read_text() for example in EXAMPLES]
    imported = {
        module
        for text in texts
        for module in re.findall(r"^(?:from|import) (longfat\S*)", text, re.M)
    }
    assert imported <= PUBLIC_MODULES | {"longfat"}


def test_every_public_name_is_in_a_document() -> None:
    words = set(re.findall(r"\w+", "".join(page.read_text() for page in PAGES)))
    assert set(longfat.__all__) - words == set()

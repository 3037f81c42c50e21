"""The notebooks of examples/, executed as their readers would."""

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.waiting import PATIENCE_SECONDS

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))
VEGA_LITE = "application/vnd.vegalite.v6+json"


def opened(file: Path) -> Any:
    return nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]


def executed(file: Path, folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """Contents of the cells of a notebook: their source, and their last output by type."""
    notebook = opened(file)
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook,
        timeout=int(PATIENCE_SECONDS),
        startup_timeout=int(PATIENCE_SECONDS),
        kernel_name="python3",
        resources=resources,
    )
    client.execute(env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    return [
        (cell.source, dict(cell.outputs[-1].get("data", {})) if cell.outputs else {})
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_are_a_first_run_a_study_a_satellite_and_a_control() -> None:
    names = {file.stem for file in NOTEBOOKS}
    assert names == {"first-run", "study-with-anova", "geo-satellite", "your-own-control"}


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_and_shows_something_in_every_cell(file: Path, tmp_path: Path) -> None:
    cells = executed(file, tmp_path)
    for source, shown in cells:
        assert "text/html" in shown or VEGA_LITE in shown, source
        if ".plot(" in source:
            assert shown[VEGA_LITE]["concat"], source
            assert shown["image/png"], source


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_is_kept_without_what_it_showed_once(file: Path) -> None:
    notebook = opened(file)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell for cell in code if cell.outputs or cell.execution_count] == []

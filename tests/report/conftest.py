"""A report of a small study, with claims, made by the command."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import write_study

CLAIMS = """\
schema_version = 1

[[claim]]
id = "A-1"
section = "1"
statement = "Fair Buffer Allocation is as efficient as plain UBR & <more>"
measure = "SELECT avg(efficiency) FROM runs WHERE policy = 'fba'"
holds = "> 0.1"
note = "A note with </script> in it."

[[claim]]
id = "A-2"
section = "1"
statement = "Nothing is ever lost"
measure = "SELECT max(cell_loss_ratio) FROM runs"
holds = "<= 0"
"""


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the study, its store and the report, made once."""
    folder = tmp_path_factory.mktemp("kept")
    write_study(folder / "small")
    (folder / "small" / "claims.toml").write_text(CLAIMS)
    for command in ("study run small --jobs 1", "report small -o report.html"):
        program: list[str | Path] = [Path(sys.executable).with_name("longfat"), *command.split()]
        subprocess.run(program, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def reported(kept: Path, tmp_path: Path) -> Path:
    """The page; its study and its store are beside it, in the folder where commands run."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return tmp_path / "report.html"


@pytest.fixture
def page(kept: Path) -> Path:
    """The page, for tests that only look at it."""
    return kept / "report.html"

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Longfat

HEAVY = {
    "alembic",
    "numpy",
    "polars",
    "scipy",
    "sqlalchemy",
    "matplotlib",
    "rich",
    "starlette",
    "uvicorn",
}

IMPORTED = """\
import json, sys
sys.argv = ["longfat", *sys.argv[1:]]
from longfat.cli import main
try:
    main()
except SystemExit:
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def imported(*arguments: str | Path) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(process.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [["--help"], [], ["study", "--help"], ["plot", "--help"], ["analyze", "--help"]]
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    assert not imported(*arguments) & HEAVY


def test_a_run_imports_no_database_and_no_drawing(scenario_file: Path) -> None:
    assert not imported("run", scenario_file) & HEAVY
    assert not imported("run", scenario_file, "--json") & HEAVY


def test_longfat_alone_says_what_to_type_next(longfat: Longfat) -> None:
    process = longfat()
    assert process.returncode == 0
    assert "longfat study run ubr-plus --quick" in process.stdout


@pytest.mark.parametrize(
    "verb",
    [
        ["run"],
        ["check"],
        ["models"],
        ["schema"],
        ["study"],
        ["study", "list"],
        ["study", "plan"],
        ["study", "run"],
        ["study", "status"],
        ["study", "compare"],
        ["study", "claims"],
        ["analyze"],
        ["plot"],
        ["view"],
        ["smallest"],
        ["doctor"],
    ],
)
def test_every_verb_has_help(longfat: Longfat, verb: list[str]) -> None:
    process = longfat(*verb, "--help")
    assert process.returncode == 0
    assert process.stdout.startswith("Usage: longfat")


def test_the_version_is_told(longfat: Longfat) -> None:
    assert "0.1.0" in longfat("--version").stdout

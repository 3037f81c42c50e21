import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Longfat

IMPORTED = """\
import json, sys
sys.argv = ["longfat", *sys.argv[1:]]
before = set(sys.modules)
from longfat.cli.program import main
try:
    main()
except SystemExit:
    print(json.dumps(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def libraries_imported(*arguments: str | Path) -> set[str]:
    """Modules that a command imports besides Python's own and ours."""
    process = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], capture_output=True, text=True, check=True
    )
    names = {name.partition(".")[0] for name in json.loads(process.stderr.splitlines()[-1])}
    return names - sys.stdlib_module_names - {"longfat"}


@pytest.mark.parametrize(
    "arguments", [["--help"], [], ["study", "--help"], ["plot", "--help"], ["analyze", "--help"]]
)
def test_help_imports_the_library_of_the_command_line_and_no_other(arguments: list[str]) -> None:
    """`benchmarks.startup` measures the time."""
    assert libraries_imported(*arguments) == {"click"}


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_run_imports_no_other_library_either(scenario_file: Path, options: list[str]) -> None:
    assert libraries_imported("run", scenario_file, *options) == {"click"}


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
        ["completion"],
        ["man"],
    ],
)
def test_every_verb_has_help(longfat: Longfat, verb: list[str]) -> None:
    process = longfat(*verb, "--help")
    assert process.returncode == 0
    assert process.stdout.startswith("Usage: longfat")


def test_the_version_is_printed(longfat: Longfat) -> None:
    assert "0.1.0" in longfat("--version").stdout

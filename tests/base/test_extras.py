"""A plain installation works, and names the extra of each library that it lacks."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from longfat.base.extras import EXTRAS, MissingExtra, need

ROOT = Path(__file__).parents[2]
CSV = ROOT / "examples" / "analysis" / "table4-wan.csv"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OPTIONAL = sorted({library for libraries in EXTRAS.values() for library in libraries})

PLAINLY_INSTALLED = f"""\
import sys
sys.modules.update(dict.fromkeys({OPTIONAL}))
from longfat.cli.program import program
program()
"""
"""The program, where no library of an extra can be imported."""


def plainly(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PLAINLY_INSTALLED, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def distribution(requirement: str) -> str:
    return re.split(r"[\[><=]", requirement)[0].replace("-", "_")


MODULES = {"markdown_it_py": "markdown_it"}
"""Modules that are not called as their distributions."""


def test_the_table_of_extras_is_that_of_the_project() -> None:
    extras = dict(PROJECT["optional-dependencies"])
    (everything,) = extras.pop("all")
    assert everything == f"longfat[{','.join(sorted(extras))}]"
    names = {extra: [distribution(each) for each in needed] for extra, needed in extras.items()}
    assert {extra: sorted(libraries) for extra, libraries in EXTRAS.items()} == {
        extra: sorted(MODULES.get(name, name) for name in needed) for extra, needed in names.items()
    }


def test_what_extras_bring_is_needed_by_no_plain_installation() -> None:
    plain = {distribution(each) for each in PROJECT["dependencies"]}
    assert not plain & set(OPTIONAL)


def test_a_plain_installation_checks_runs_and_compares(tmp_path: Path, scenario_file: Path) -> None:
    part = ("ubr-plus", "--quick", "--store", tmp_path / "plain.db")
    for arguments in (
        ("check", scenario_file),
        ("run", scenario_file),
        ("run", scenario_file, "--trace", tmp_path / "traces"),
        ("study", "plan", *part[:2]),
        ("study", "run", *part),
        ("study", "status", *part),
        ("study", "compare", *part, "--intervals"),
        ("study", "claims", *part),
        ("store", "check", tmp_path / "plain.db"),
        ("store", "merge", tmp_path / "merged.db", tmp_path / "plain.db"),
        ("analyze", CSV, "--factors", "tcp_flavor,buffer_rtt", "--response", "efficiency"),
        ("models",),
        ("metrics",),
        ("schema", "scenario"),
        ("doctor", "--store", tmp_path / "plain.db"),
        ("smallest", scenario_file, "port.buffer", "--from", "400 cells", "--to", "900 cells",
         "--reach", "0.1", "--replications", "2"),
        ("diff", scenario_file, scenario_file, "--set-second", "seed=7"),
    ):  # fmt: skip
        process = plainly(tmp_path, *arguments)
        assert process.returncode in (0, 1), (arguments, process.stderr)
        assert "Traceback" not in process.stderr, (arguments, process.stderr)


@pytest.mark.parametrize(
    ("arguments", "library", "extra"),
    [
        (("view", "--port", "0"), "markdown_it, polars, starlette, tomli_w, uvicorn", "ui"),
        (("plot", "cwnd", "traces", "-o", "cwnd.svg"), "polars", "plots"),
        (
            ("study", "run", "ubr-plus", "--quick", "--cluster", "local:2"),
            "distributed",
            "cluster",
        ),
        (("study", "run", "ubr-plus", "--store", "postgresql://u@h/d"), "psycopg", "postgresql"),
        (("schedule", "from-parquet", "some.parquet"), "polars", "analysis"),
    ],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(
    tmp_path: Path, scenario_file: Path, arguments: tuple[str, ...], library: str, extra: str
) -> None:
    (tmp_path / "some.parquet").write_bytes(b"PAR1")
    assert plainly(tmp_path, "run", scenario_file, "--trace", "traces").returncode == 0
    process = plainly(tmp_path, *arguments)
    assert process.returncode == 2
    (line,) = process.stderr.splitlines()
    assert f"needs {library}, not installed here" in line
    assert line.endswith(f"pip install 'longfat[{extra}]'")


def test_a_library_that_an_installed_extra_lacks_is_named_as_well(tmp_path: Path) -> None:
    """Only a part of an extra is there: `find_spec` finds it, its import fails."""
    script = (
        "import sys; from longfat.cli.talk import report_failure;"
        "sys.exit(report_failure(ModuleNotFoundError('x', name='matplotlib.axes')))"
    )
    process = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert process.stderr.endswith(
        "needs matplotlib, not installed here; to get it: pip install 'longfat[plots]'\n"
    )


def test_a_program_gets_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"a test needs scipy, .*'longfat\[analysis\]'"):
        need("analysis", "a test")
    with pytest.raises(ModuleNotFoundError):
        need("analysis", "a test", "scipy")
    need("analysis", "a test", "polars")


def test_only_one_file_tells_what_to_install() -> None:
    package = ROOT / "python" / "longfat"
    telling = [file for file in package.rglob("*.py") if "pip install" in file.read_text()]
    assert telling == [package / "base" / "extras.py"]

"""Targets of make that need more than others say so."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def needed(*names: str, path: str = "/nowhere") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools/installed.py"), *names]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=False)


def test_what_is_missing_is_said_in_one_line_with_the_commands_that_install_it() -> None:
    process = needed("cargo-nothing", "pytest", "longfat-no-such-package")
    assert process.returncode == 1
    assert process.stderr == (
        "not installed: cargo-nothing, longfat-no-such-package; "
        "cargo install --locked cargo-nothing && "
        f"{sys.executable} -m pip install longfat-no-such-package\n"
    )


def test_nothing_is_said_if_all_is_there(tmp_path: Path) -> None:
    (tmp_path / "cargo-something").touch(mode=0o755)
    process = needed("cargo-something", "pytest", path=str(tmp_path))
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("target", "tools", "program"),
    [
        ("fuzz", "cargo-fuzz atheris", "fuzz/campaign.py"),
        ("mutants", "cargo-mutants tree-sitter tree-sitter-rust", "tools/mutants.py"),
    ],
)
def test_a_target_asks_for_its_tools_before_it_builds(
    target: str, tools: str, program: str
) -> None:
    command = ["make", "--dry-run", "--always-make", target]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    asked = lines.index(f"tools/installed.py {tools}\n")
    assert asked < lines.index("pip install --quiet --disable-pip-version-check --no-deps")
    assert asked < lines.index(f"python {program}")

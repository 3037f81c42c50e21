"""Say in one line what is missing, if anything of what a target of make needs is not installed.

Usage: ``python tools/installed.py NAME ...``: commands of cargo (``cargo-fuzz``), and packages of
PyPI for this interpreter. Exit code 1 if one is missing.
"""

import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

OF_CARGO = "cargo-"


def main() -> None:
    """Exit with one line if something is missing."""
    missing = [name for name in sys.argv[1:] if not is_installed(name)]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}; {how_to_install(missing)}")


def is_installed(name: str) -> bool:
    """Return whether a command of cargo, or a package of PyPI, can be used."""
    if name.startswith(OF_CARGO):
        return shutil.which(name) is not None
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


def how_to_install(names: Sequence[str]) -> str:
    """Return the commands that install what is missing."""
    of_cargo = [name for name in names if name.startswith(OF_CARGO)]
    of_python = [name for name in names if not name.startswith(OF_CARGO)]
    commands = [f"cargo install --locked {' '.join(of_cargo)}"] if of_cargo else []
    if of_python:
        commands.append(f"{sys.executable} -m pip install {' '.join(of_python)}")
    return " && ".join(commands)


if __name__ == "__main__":
    main()

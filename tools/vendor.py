"""Fetch the browser libraries of `python/longfat/vendor` from npm and compare them.

What only tests read goes to `tests/vendored`, compressed; the licence of a package of which nothing
else is taken lies beside it.

    python tools/vendor.py             every file must have the SHA-256 in the manifest
    python tools/vendor.py --accept    after an update of a version: write the new sums into it

Needs `npm`; nothing else in the project does.
"""

import gzip
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VENDOR = ROOT / "python" / "longfat" / "vendor"
TESTS = ROOT / "tests" / "vendored"
MANIFEST = VENDOR / "manifest.json"


def main() -> int:
    """Fetch, compare, and write; the exit code is 1 if a file differs from the manifest."""
    accept = "--accept" in sys.argv[1:]
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8"))
    fetched: dict[str, bytes] = {}
    for package in manifest["packages"]:
        fetched |= _fetch(package)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in fetched.items()}
    wrong = [name for name in sums if sums[name] != manifest["sha256"].get(name)]
    if wrong and not accept:
        print(f"different from {MANIFEST.name}: {', '.join(wrong)}", file=sys.stderr)
        return 1
    for package in manifest["packages"]:
        for name, path in places(package).items():
            content = fetched[name]
            path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    manifest["sha256"] = dict(sorted(sums.items()))
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(f"{len(fetched)} files of {len(manifest['packages'])} packages in {VENDOR}")
    return 0


def places(package: Mapping[str, Any]) -> dict[str, Path]:
    """Return where each file of a package is kept, by its name in the manifest."""
    own = {name: VENDOR / name for name in package["files"]}
    of_tests = {name: TESTS / f"{name}.gz" for name in package.get("tests", ())}
    licence = f"LICENSE-{package['name']}.txt"
    return {**own, **of_tests, licence: (VENDOR if own else TESTS) / licence}


def _fetch(package: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files of a package under their names here, and its licence."""
    wanted = dict.fromkeys(places(package), "LICENSE")
    wanted |= package["files"] | package.get("tests", {})
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", "--silent", f"{package['name']}@{package['version']}"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (archive,) = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as opened:
            return {name: _content(opened, f"package/{source}") for name, source in wanted.items()}


def _content(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None, f"{name} is no file"
    return file.read()


if __name__ == "__main__":
    sys.exit(main())

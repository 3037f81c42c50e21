import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from tools.vendor import MANIFEST as MANIFEST_FILE
from tools.vendor import TESTS, VENDOR, places

import longfat.vendor

MANIFEST: dict[str, Any] = json.loads(MANIFEST_FILE.read_text())


PLACES: dict[str, Path] = {
    name: path for package in MANIFEST["packages"] for name, path in places(package).items()
}


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.parametrize("name", sorted(MANIFEST["sha256"]))
def test_a_vendored_file_is_the_one_that_its_makers_published(name: str) -> None:
    assert hashlib.sha256(content(PLACES[name])).hexdigest() == MANIFEST["sha256"][name]


def test_every_vendored_file_is_in_the_manifest_and_every_package_has_its_licence() -> None:
    assert PLACES.keys() == MANIFEST["sha256"].keys()
    own = {VENDOR / "__init__.py", MANIFEST_FILE}
    here = {file for folder in (VENDOR, TESTS) for file in folder.iterdir() if file.is_file()}
    assert here - own == set(PLACES.values())


def test_a_script_is_read_from_the_package() -> None:
    assert "vegaEmbed" in longfat.vendor.script("vega-embed.min.js")

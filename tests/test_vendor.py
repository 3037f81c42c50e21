import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import longfat.vendor

VENDOR = Path(longfat.vendor.__file__).parent
MANIFEST: dict[str, Any] = json.loads((VENDOR / "manifest.json").read_text())


def content(name: str) -> bytes:
    if name.endswith("schema.json"):
        return gzip.decompress((Path(__file__).parent / "plots" / f"{name}.gz").read_bytes())
    return (VENDOR / name).read_bytes()


@pytest.mark.parametrize("name", sorted(MANIFEST["sha256"]))
def test_a_vendored_file_is_the_one_that_its_makers_published(name: str) -> None:
    assert hashlib.sha256(content(name)).hexdigest() == MANIFEST["sha256"][name]


def test_every_vendored_file_is_in_the_manifest_and_every_package_has_its_licence() -> None:
    named = {
        name
        for package in MANIFEST["packages"]
        for name in [*package["files"], f"LICENSE-{package['name']}.txt"]
    }
    assert named == set(MANIFEST["sha256"])
    own = {"__init__.py", "manifest.json"}
    here = {file.name for file in VENDOR.iterdir() if file.is_file()}
    assert here - own == {name for name in named if not name.endswith("schema.json")}


def test_a_script_is_read_from_the_package() -> None:
    assert "vegaEmbed" in longfat.vendor.script("vega-embed.min.js")

"""Versions, workflows, the citation and the oldest Rust of a release agree."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
CARGO = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

OF_ARCHIVES = ("abstract", "authors", "keywords", "license", "title", "type", "version")
"""Fields of a citation that an archive such as Zenodo shows."""


def valid(schema: str, *files: Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("check-jsonschema")
    command = [str(program), "--builtin-schema", f"vendor.{schema}", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def as_numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def citation() -> dict[str, str]:
    """The keys of the first level of CITATION.cff, with their text."""
    lines = (ROOT / "CITATION.cff").read_text().splitlines()
    pairs = (line.partition(":") for line in lines if re.match(r"[a-z-]+:", line))
    return {key: value.strip().strip('"') for key, _, value in pairs}


def test_every_file_has_the_same_version() -> None:
    assert PROJECT["version"] == CARGO["version"] == citation()["version"]
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    own = {package["version"] for package in lock if package["name"].startswith("longfat-")}
    assert own == {CARGO["version"]}


def test_the_changelog_has_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert re.search(rf"^(## |Version ){re.escape(CARGO['version'])}\b", changelog, re.MULTILINE)


def test_the_citation_is_valid_and_has_what_archives_show() -> None:
    done = valid("citation-file-format", ROOT / "CITATION.cff")
    assert done.returncode == 0, done.stdout
    assert set(OF_ARCHIVES) <= citation().keys()
    assert citation()["license"] == PROJECT["license"] == CARGO["license"]


def test_workflows_are_valid() -> None:
    assert {file.stem for file in WORKFLOWS} == {"site", "test", "wheels"}
    done = valid("github-workflows", *WORKFLOWS)
    assert done.returncode == 0, done.stdout


def test_an_invalid_workflow_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "runs-in:"))
    assert valid("github-workflows", broken).returncode == 1


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.stem)
def test_files_and_targets_that_a_workflow_names_are_there(workflow: Path) -> None:
    text = workflow.read_text()
    named = re.findall(r"(?:bash|longfat run) (\S+/\S+)", text)
    modules = [
        f"{name.replace('.', '/')}.py" for name in re.findall(r"python -m (tools\.\w+)", text)
    ]
    assert [name for name in [*named, *modules] if not (ROOT / name).exists()] == []
    targets = set(re.findall(r"\bmake (\w+)", text))
    assert targets <= set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_what_is_published_waits_for_all_that_is_built() -> None:
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text()
    jobs = re.findall(r"^  (\w+):$", text.partition("jobs:")[2], re.MULTILINE)
    (waited,) = re.findall(r"needs: \[(.*)\]", text)
    assert [*waited.split(", "), "publish"] == jobs
    assert "if: startsWith(github.ref, 'refs/tags/v')" in text


def test_no_dependency_needs_a_newer_rust_than_we_promise() -> None:
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    packages: list[dict[str, Any]] = json.loads(done.stdout)["packages"]
    oldest = as_numbers(CARGO["rust-version"])
    newer = {
        package["name"]: package["rust_version"]
        for package in packages
        if package["rust_version"] and as_numbers(package["rust_version"])[:2] > oldest
    }
    assert newer == {}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/guide/installing.md"])
def test_pages_name_the_oldest_rust_and_python(page: str) -> None:
    text = (ROOT / page).read_text()
    assert f"Rust {CARGO['rust-version']}" in text
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')}" in text


def test_wheels_are_for_the_stable_abi_of_the_oldest_python() -> None:
    manifest = tomllib.loads((ROOT / "crates" / "bindings" / "Cargo.toml").read_text())
    oldest = PROJECT["requires-python"].removeprefix(">=").replace(".", "")
    assert f"abi3-py{oldest}" in manifest["dependencies"]["pyo3"]["features"]


def test_the_source_package_has_all_that_is_compiled_and_shipped(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("maturin")
    subprocess.run([program, "sdist", "--out", tmp_path], cwd=ROOT, capture_output=True, check=True)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as package:
        there = {name.partition("/")[2] for name in package.getnames()}
    compiled = {
        str(file.relative_to(ROOT))
        for file in (ROOT / "crates").glob("*/src/**/*")
        if file.is_file() and "untrusted" not in file.parts
    }
    shipped = {
        f"python/longfat/shipped/studies/{study.name}/{file}"
        for study in (ROOT / "studies").iterdir()
        for file in ("study.toml", "scenario.toml")
        if (study / file).is_file()
    }
    assert compiled
    assert shipped
    assert sorted((compiled | shipped) - there) == []

"""The commands and programs in the documents work when pasted."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from longfat import _engine
from longfat.report.splice import spliced

ROOT = Path(__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorial").glob("*.md"))
METHODS = [
    *sorted((ROOT / "docs" / "method").glob("*.md")),
    ROOT / "docs" / "models" / "graphs.md",
    ROOT / "docs" / "models" / "paths.md",
    ROOT / "docs" / "models" / "capacity.md",
    ROOT / "docs" / "models" / "cubic.md",
    ROOT / "docs" / "models" / "return-link.md",
    ROOT / "docs" / "models" / "reordering.md",
    ROOT / "docs" / "models" / "datagrams.md",
    ROOT / "docs" / "models" / "http.md",
    ROOT / "docs" / "models" / "proxies.md",
    ROOT / "docs" / "models" / "search.md",
    ROOT / "docs" / "models" / "stacks.md",
    ROOT / "docs" / "models" / "careful-resume.md",
    ROOT / "docs" / "models" / "leocc.md",
    ROOT / "docs" / "models" / "satcp.md",
    ROOT / "docs" / "guide" / "studies.md",
    ROOT / "docs" / "guide" / "clusters.md",
    ROOT / "docs" / "guide" / "controls.md",
    ROOT / "docs" / "guide" / "dimensioning.md",
    ROOT / "docs" / "guide" / "editors.md",
    ROOT / "docs" / "guide" / "learning.md",
    ROOT / "docs" / "guide" / "measuring.md",
    ROOT / "docs" / "guide" / "orbits.md",
    ROOT / "docs" / "guide" / "recordings.md",
    ROOT / "docs" / "guide" / "satellite.md",
    ROOT / "docs" / "guide" / "scripts.md",
    ROOT / "docs" / "guide" / "teaching.md",
    ROOT / "docs" / "guide" / "terminal.md",
    ROOT / "docs" / "guide" / "test-controller.md",
]
SHOWN = re.compile(
    r"<!-- BEGIN: ((?:longfat (?:analyze|carrier|diff|metrics|run|schedule|smallest|verify|"
    r"study (?:plan|run|compare|claims)|test-controller) |"
    r"python (?:examples/|beside)|for ).*?) -->\n"
    r"(.*?)<!-- END: ",
    re.DOTALL,
)
"""A command and its output, in a page."""


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of `language` in a Markdown page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def as_script(block: str) -> str:
    """The commands of a console block; one that is marked as failing must fail with that code."""
    failing = re.compile(r"^(.*?)\s+# exit code (\d+)$")
    lines = [line.removeprefix("$ ") for line in block.splitlines()]
    checked = r"code=0; \1 || code=$?; test $code -eq \2"
    return "\n".join(failing.sub(checked, line) for line in lines)


def paste(script: str, folder: Path) -> str:
    """Run a script that must succeed, and return what it prints."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment.pop("LONGFAT_STORE", None)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{script}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_works_when_pasted(tutorial: Path, tmp_path: Path) -> None:
    scripts = [as_script(block) for block in blocks(tutorial, "console")]
    assert scripts
    paste("\n".join(scripts), tmp_path)


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_a_page_about_a_method_shows_what_its_commands_print(page: Path, tmp_path: Path) -> None:
    """Commands and programs run where the page's console blocks, if any, have been pasted."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    paste("\n".join(as_script(block) for block in blocks(page, "console")), tmp_path)
    text = page.read_text()
    for command, shown in SHOWN.findall(text):
        is_as_shown(page, command, shown, paste(command, tmp_path))
    if page.parent.name == "method" and (programs := blocks(page, "python")):
        (tmp_path / "program.py").write_text("\n".join(programs))
        paste("python program.py", tmp_path)


def is_as_shown(page: Path, command: str, shown: str, printed: str) -> None:
    """A page shows what a command prints. With LONGFAT_BLESS=1 the page is rewritten instead."""
    if os.environ.get("LONGFAT_BLESS"):
        page.write_text(spliced(page.read_text(), command, printed, str(page)))
    else:
        assert shown.strip() == printed.strip(), f"{page}: {command}"


def test_the_scenario_and_the_program_of_the_readme_work(tmp_path: Path) -> None:
    readme = ROOT / "README.md"
    scenario, program = blocks(readme, "toml")[0], blocks(readme, "python")[0]
    (tmp_path / "lan.toml").write_text(scenario.replace("10 s", "100 ms"))
    (tmp_path / "program.py").write_text(program)
    paste("longfat check lan.toml && longfat run lan.toml && python program.py", tmp_path)


def test_the_program_of_the_page_on_controls_works(tmp_path: Path) -> None:
    page = ROOT / "docs" / "guide" / "controls.md"
    paste(as_script(blocks(page, "console")[0]), tmp_path)
    (program,) = blocks(page, "python")
    told = 'print(record["flows"][0]["max_cwnd_bytes"] / 1448)'
    (tmp_path / "program.py").write_text(f"{program}\n{told}\n")
    assert paste("python program.py", tmp_path) == "50.0\n"


def test_the_programs_of_the_page_on_learning_work(tmp_path: Path) -> None:
    programs = blocks(ROOT / "docs" / "guide" / "learning.md", "python")
    assert len(programs) == 4
    (tmp_path / "program.py").write_text("\n".join(programs))
    paste("python program.py", tmp_path)


def test_the_program_of_the_page_on_reports_works(tmp_path: Path) -> None:
    (program,) = blocks(ROOT / "docs" / "guide" / "report.md", "python")
    (tmp_path / "program.py").write_text(f"{program}\nprint(sorted(documents), len(figures) > 0)\n")
    printed = paste(
        "longfat study run ubr-plus --quick && longfat report ubr-plus --quick -o report.html "
        "&& python program.py",
        tmp_path,
    )
    assert printed.endswith(" True\n")


def test_the_commands_for_the_scenario_of_the_readme_work(tmp_path: Path) -> None:
    """Those of its first list; `longfat view` serves until it is stopped."""
    readme = ROOT / "README.md"
    (tmp_path / "lan.toml").write_text(blocks(readme, "toml")[0].replace("10 s", "1 s"))
    lines = re.findall(r"^(longfat .*?)(?: +#.*)?$", readme.read_text(), re.MULTILINE)
    own = [line for line in lines if "lan.toml" in line or line.split()[1] in {"plot", "models"}]
    assert len(own) == 8
    paste("\n".join(own), tmp_path)
    assert (tmp_path / "run.png").exists()


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 900


def test_no_command_of_the_readme_is_in_brackets_that_a_shell_hands_on() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    commands = [line.partition(" #")[0] for line in lines if line.startswith("longfat ")]
    assert commands
    assert [command for command in commands if "[" in command] == []


def test_the_checks_that_documents_name_exist() -> None:
    names = [name.lower() for name, _ in _engine.verification_checks()]
    commands = [
        command
        for page in ROOT.glob("docs/**/*.md")
        for command in re.findall(
            r"`longfat verify (?!(?:linux|kernel)\b)([^`-][^`]*)`", page.read_text()
        )
    ]
    assert commands
    for command in commands:
        words = [word.lower() for word in shlex.split(command)]
        assert any(all(word in name for word in words) for name in names), command


def test_links_between_documents_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("studies/**/*.md")]
    link = re.compile(r"\]\((?!https?:|#)([^)#]+)")
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in link.findall(page.read_text())
        if not (page.parent / target).exists()
    ]
    assert not broken


SOURCES = ROOT / "docs" / "models" / "sources.md"
CITED = re.compile(r"\b[STDVPXM]-\d\d\b")


def test_every_code_of_a_choice_leads_to_its_row() -> None:
    """The codes in texts for users, and in sources."""
    defined = re.findall(r"^\| ([STDVPXM]-\d\d) \|", SOURCES.read_text(), re.MULTILINE)
    assert len(set(defined)) == len(defined)
    for folder in ("crates", "python", "tests", "docs", "studies", "examples"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in {".rs", ".py", ".toml", ".md", ".txt", ".ipynb"} and file.is_file():
                unknown = set(CITED.findall(file.read_text())) - set(defined)
                assert not unknown, f"{file.relative_to(ROOT)} cites {sorted(unknown)}"


def test_every_page_that_cites_a_code_links_to_the_page_of_codes() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "studies").rglob("*.md")]
    citing = [page for page in pages if page != SOURCES and CITED.search(page.read_text())]
    assert citing
    for page in citing:
        assert "sources.md" in page.read_text(), page.relative_to(ROOT)


def test_the_page_on_traces_names_every_trace_and_column() -> None:
    page = (ROOT / "docs" / "method" / "traces.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", page, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", columns)) for name, columns in rows}
    known = {
        kind["name"]: {column["name"] for column in kind["columns"]} - {"time_ps"}
        for kind in json.loads(_engine.traces())
    }
    assert told == known


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/method/drivers.md"])
def test_pages_for_developers_name_files_that_exist(page: str) -> None:
    """Paths begin at the root, in `crates`, in a crate's sources, or in the package of Python."""
    bases = [ROOT, ROOT / "crates", ROOT / "python" / "longfat", *ROOT.glob("crates/*")]
    bases += [*ROOT.glob("crates/*/src"), ROOT / "crates" / "engine" / "src" / "simulation"]
    bases += [ROOT / "crates" / "hosts" / "src" / "transport", ROOT / "crates" / "network" / "src"]
    named = re.findall(
        r"`((?:[\w.*-]+/)+(?:[\w*-]+\.(?:rs|py|toml|md|json|h))?)`", (ROOT / page).read_text()
    )
    assert named
    missing = [path for path in named if not any(any(base.glob(path)) for base in bases)]
    assert not missing


def test_the_architecture_can_be_read_at_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().split()) <= 1500

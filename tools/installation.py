"""Install a wheel alone into a fresh environment, and try every verb, study and the view there.

    python -m tools.installation WHEEL [--record FILE] [--splice PAGE]

Works in an empty folder, without a checkout, a compiler or Rust. First only the base is installed:
its size, its start and its first result are measured, and each verb that needs an extra must name
it. Then comes the extra `all`, and everything must work. `--record` keeps the figures, `--splice`
puts the table of a record into a page. Exit code 1 if anything fails.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from longfat.report.splice import spliced

ROOT = Path(__file__).parent.parent
PAGE = "docs/guide/installing.md"
RECORD = ROOT / "benchmarks" / "record" / "installation.json"
COMMAND = "python -m tools.installation"

_NOT_OURS = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
"""Packages that `venv` brings."""

_OWN_PROGRAMS = re.compile(r"pip install 'longfat\[(\w+)\]'")

_MEGABYTE = 1e6


class Verb(NamedTuple):
    """One command: its arguments, the extra that it needs, and its exit code."""

    arguments: str
    extra: str | None = None
    exit_code: int = 0


_PART = "ubr-plus --quick"

VERBS: Sequence[Verb] = (
    Verb("check lan.toml"),
    Verb("run lan.toml --trace traces"),
    Verb("models"),
    Verb("metrics"),
    Verb("carrier 36MHz"),
    Verb("schema study"),
    Verb("study list"),
    Verb(f"study plan {_PART}"),
    Verb(f"study run {_PART}"),
    Verb(f"study status {_PART}"),
    Verb(f"study compare {_PART}"),
    Verb(f"study claims {_PART}"),
    Verb(f"study audit {_PART} --plan"),
    Verb(f"study verify {_PART} --sample 2"),
    Verb("store check longfat.db"),
    Verb("store salvage longfat.db salvaged.db"),
    Verb("store merge merged.db longfat.db salvaged.db"),
    Verb("store upgrade longfat.db"),
    Verb("analyze results.csv --factors policy,buffer --response efficiency"),
    Verb("plot three-panel traces -o run.png", "plots"),
    Verb("plot efficiency-fairness ubr-plus --quick -o scatter.svg", "plots"),
    Verb("qlog traces", "analysis"),
    Verb("export iperf3 traces", "analysis"),
    Verb("export flent traces -o run.flent.gz", "analysis"),
    Verb(f"export study {_PART} --to crate", "analysis"),
    Verb("emulate lan.toml -- true"),
    Verb("compare-real lan.toml -- true", exit_code=2),
    Verb(f"report {_PART} -o report.html"),
    Verb("diff lan.toml lan.toml --set-second port.policy=epd"),
    Verb("smallest lan.toml port.buffer --from '100 cells' --to '9000 cells' --reach 0.5"),
    Verb("verify checks cubic"),
    Verb("verify linux --only 'cubic-10mbit-*'", "analysis"),
    Verb("verify kernel --only reno-10mbit-40ms-32", "analysis"),
    Verb("verify script early.script"),
    Verb("test-controller cubic --situation beside-reno"),
    Verb("schedule from-ping ping.log"),
    Verb("schedule from-parquet table.parquet", "analysis"),
    Verb("bench lan-5 --repeat 1"),
    Verb("doctor"),
    Verb("completion bash"),
    Verb("man -o man1"),
)
"""Each verb at least once, after those whose files it reads; `longfat view` is apart."""


class Installed(NamedTuple):
    """An environment, and the empty folder in which its programs run."""

    environment: Path
    folder: Path

    def program(self, name: str) -> str:
        """Return the path of a program of the environment."""
        return str(self.environment / "bin" / name)

    def run(self, words: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command; knows only the programs of the environment and the system."""
        path = f"{self.environment / 'bin'}:/usr/bin:/bin"
        return subprocess.run(
            ["bash", "-c", words],
            cwd=self.folder, env={"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def install(self, wheel: Path, extra: str = "") -> float:
        """Install the wheel; returns the seconds that this took."""
        started = time.monotonic()
        pip = [self.program("pip"), "install", "--quiet", f"{wheel}{extra}"]
        subprocess.run(pip, cwd=self.folder, check=True)
        return time.monotonic() - started

    def megabytes(self) -> float:
        """Return the size of what has been installed, compiled files of Python included."""
        (site,) = self.environment.glob("lib/python3*/site-packages")
        parts = [part for part in site.iterdir() if not part.name.startswith(_NOT_OURS)]
        files = (file for part in parts for file in [part, *part.rglob("*")] if file.is_file())
        return sum(file.stat().st_size for file in files) / _MEGABYTE

    def milliseconds(self, words: str, repetitions: int = 10) -> float:
        """Return the shortest wall time of a command."""
        times = []
        for _ in range(repetitions):
            started = time.monotonic()
            assert self.run(words).returncode == 0
            times.append(time.monotonic() - started)
        return 1e3 * min(times)


def prepare(folder: Path) -> None:
    """Write the files that the verbs read."""
    readme = (ROOT / "README.md").read_text()
    scenario = re.findall(r"^```toml\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)[0]
    (folder / "lan.toml").write_text(scenario.replace("10 s", "1 s"))
    scripts = (ROOT / "docs" / "guide" / "scripts.md").read_text()
    (script,) = re.findall(r"<<'EOF'\n(.*?)^EOF$", scripts, re.DOTALL | re.MULTILINE)[:1]
    (folder / "early.script").write_text(script)
    log = ROOT / "examples" / "measurements" / "ping.log"
    (folder / "ping.log").write_text(log.read_text())
    (folder / "table.parquet").write_bytes(b"PAR1")  # a real one takes its place with polars
    rows = ["policy,buffer,efficiency", *(f"{p},{b},0.{p}{b}" for p in "12" for b in "345")]
    (folder / "results.csv").write_text("\n".join(rows) + "\n")


def base_problems(installed: Installed) -> Iterator[str]:
    """Try each verb with the base alone; yield what is not as `VERBS` says."""
    for verb in VERBS:
        process = installed.run(f"longfat {verb.arguments}")
        named = _OWN_PROGRAMS.findall(process.stderr)
        expected = [] if verb.extra is None else [verb.extra]
        if verb.extra is None and process.returncode == verb.exit_code and named == expected:
            continue
        if verb.extra is not None and process.returncode == 2 and named == expected:
            continue
        yield f"base: longfat {verb.arguments}: exit code {process.returncode}: {process.stderr}"


def whole_problems(installed: Installed) -> Iterator[str]:
    """Try each verb, each study and the view with all extras; yield what fails."""
    to_parquet = "import polars; polars.DataFrame({'time_s': [0.0], 'delay_s': [0.02]})"
    installed.run(f"python -c \"{to_parquet}.write_parquet('table.parquet')\"")
    studies = json.loads(installed.run("longfat study list --json").stdout)
    names = [study["name"] for study in studies["studies"]]
    (installed.folder / "all").mkdir()
    (installed.folder / "salvaged.db").unlink()  # the base has made it, and it is never overwritten
    of_studies = [
        Verb(f"study {verb} {name} --quick --store all/{name}.db")
        for name in names
        for verb in ("run", "compare")
    ]
    for verb in (*VERBS, *of_studies):
        process = installed.run(f"longfat {verb.arguments}")
        if process.returncode != verb.exit_code:
            code = process.returncode
            yield f"all: longfat {verb.arguments}: exit code {code}: {process.stderr}"
    yield from view_problems(installed)


def view_problems(installed: Installed) -> Iterator[str]:
    """Open the first page of `longfat view` and what it loads and asks for; yield what fails."""
    command = [installed.program("longfat"), "view", "--port", "0"]
    with subprocess.Popen(command, cwd=installed.folder, stdout=subprocess.PIPE, text=True) as view:
        assert view.stdout is not None
        try:
            address = view.stdout.readline().strip()
            cookies = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = cookies.open(address).read().decode()
            host = address.partition("/?")[0]
            linked = re.findall(r'(?:src|href)="(/[^"]+\.(?:js|css))"', page)
            if not linked:
                yield f"view: an empty page: {page[:200]}"
            studies = cookies.open(f"{host}/api/studies").read().decode()
            if "ubr-plus" not in studies:
                yield f"view: no studies: {studies[:200]}"
            for link in linked:
                if not cookies.open(host + link).read():
                    yield f"view: {link} is empty"
        except OSError as error:
            yield f"view: {error}"
        finally:
            view.terminate()


def measured(wheel: Path) -> dict[str, Any]:
    """Install and try a wheel; returns figures and problems."""
    with TemporaryDirectory() as temporary:
        folder, environment = Path(temporary) / "empty", Path(temporary) / "environment"
        folder.mkdir()
        venv.create(environment, with_pip=True)
        installed = Installed(environment, folder)
        prepare(folder)
        started = time.monotonic()
        install_s = installed.install(wheel)
        problems = []
        if (first := installed.run("longfat run lan.toml")).returncode:
            problems.append(f"first result: {first.stderr}")
        figures = {
            "wheel": wheel.name,
            "python": sys.version.split()[0],
            "load": round(os.getloadavg()[0], 1),
            "cores": os.cpu_count(),
            "profile": json.loads(installed.run("longfat doctor --json").stdout)["build_profile"],
            "wheel_mb": wheel.stat().st_size / _MEGABYTE,
            "install_s": install_s,
            "first_result_s": time.monotonic() - started,
            "base_mb": installed.megabytes(),
            "python_ms": installed.milliseconds("python -c pass"),
            "import_ms": installed.milliseconds("python -c 'import longfat'"),
            "help_ms": installed.milliseconds("longfat --help"),
        }
        problems += base_problems(installed)
        installed.install(wheel, "[all]")
        figures["all_mb"] = installed.megabytes()
        problems += whole_problems(installed)
    date = datetime.now(UTC).date().isoformat()
    return {"date": date, **figures, "verbs": len(VERBS) + 1, "problems": problems}


def table(record: Mapping[str, Any]) -> str:
    """Return the figures of a record as a table."""
    # Starts of Python differ from each other by some milliseconds.
    import_ms = max(record["import_ms"] - record["python_ms"], 0.0)
    rows = {
        "wheel": f"{record['wheel_mb']:.1f} MB",
        "installed": f"{record['base_mb']:.0f} MB",
        "installed with `longfat[all]`": f"{record['all_mb']:.0f} MB",
        "`pip install` and a first `longfat run`": f"{record['first_result_s']:.1f} s",
        "`longfat --help`": f"{record['help_ms']:.0f} ms",
        "`import longfat`, beyond Python's own start": f"{import_ms:.0f} ms",
        "commands tried, with every study and the view": f"{record['verbs']}",
        "of these, failed": f"{len(record['problems'])}",
    }
    load = f"load {record['load']} on {record['cores']} cores"
    lines = [f"| Python {record['python']}, {record['profile']} build, {load} | |", "|---|---:|"]
    return "\n".join([*lines, *(f"| {name} | {value} |" for name, value in rows.items())])


def main() -> int:
    """Try a wheel, or put the table of the kept record into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path, nargs="?")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the figures in FILE")
    parser.add_argument("--splice", type=Path, metavar="PAGE", help="put the table into a page")
    options = parser.parse_args()
    if options.splice:
        record = json.loads(RECORD.read_text())
        page = options.splice
        page.write_text(spliced(page.read_text(), COMMAND, table(record), str(page)))
        return 0
    if options.wheel is None:
        parser.error("name a WHEEL")
    record = measured(options.wheel.resolve())
    print(table(record))
    for problem in record["problems"]:
        print(problem, file=sys.stderr)
    if options.record:
        options.record.write_text(json.dumps(record, indent=2) + "\n")
    return 1 if record["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())

"""Counts the instructions of runs, by part of the program.

`python benchmarks/profile.py` runs the scenarios of `benchmarks/scenarios` with each driver under
valgrind's callgrind and compares with `benchmarks/instructions.txt`; exit code 3 if one takes 1 %
more or less. `--bless` rewrites that file, `--splice PAGE` puts tables into a page. Needs valgrind
and the release build of an example:

    cargo build --release --package longfat-bindings --example run_scenario
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from longfat.report.splice import spliced

HERE = Path(__file__).parent
EXPECTED = HERE / "instructions.txt"
PROGRAM = HERE.parent / "target" / "release" / "examples" / "run_scenario"
BUILD = "cargo build --release --package longfat-bindings --example run_scenario"
TOLERANCE = 0.01
COMMAND = "python benchmarks/profile.py"

PARTS = {
    "TCP: senders, receivers, their ends": (
        "transport/",
        "simulation/network/end_systems",
        "simulation/network/tcp",
    ),
    "network, by the fast driver": ("simulation/fast/",),
    "port, buffer and policy": ("switch/",),
    "lines and packets": ("link.rs", "framing/", "topology/"),
    "time and order": ("units.rs", "calendar.rs", "simulation/network/agenda"),
    "ledger": ("simulation/network/ledger", "simulation/network/settlement", "measure/"),
    "the loop": ("simulation/",),
    "chance, traffic, set-up": ("random.rs", "traffic/", "background/", "scenario/", "config/"),
    "allocation, copies": ("malloc", "__rust_", "memmove", "memset"),
    "containers": ("library/", "alloc/", "core/", "std/", "row.rs"),
}
"""Parts of the program by fragments of source paths; the first match counts."""


class Unmeasurable(Exception):
    """Reason why nothing can be measured here."""


@dataclass
class Profile:
    """One run: its instructions, the packets and cells carried, and the instructions by place."""

    scenario: str
    driver: str
    instructions: int
    cell_hops: int
    packet_hops: int
    of_places: Counter[str] = field(default_factory=Counter)

    @property
    def key(self) -> str:
        """Name in the stored list."""
        return f"{self.scenario} {self.driver}"

    def share(self, part: str) -> float:
        """Return the share of its instructions in a part."""
        total = sum(self.of_places.values())
        return sum(n for place, n in self.of_places.items() if _part(place) == part) / total


def _part(place: str) -> str:
    return next((part for part, words in PARTS.items() if any(w in place for w in words)), "other")


def compiler() -> str:
    """Return the compiler's version, on which counts depend."""
    return subprocess.run(
        ["rustc", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()


def object_to_machine(program: Path = PROGRAM, build: str = BUILD) -> None:
    """Raise `Unmeasurable` if valgrind or the program that `build` makes is missing."""
    if shutil.which("valgrind") is None:
        raise Unmeasurable("valgrind is not installed")
    if not program.exists():
        raise Unmeasurable(f"{program} is not there; {build}")


def measure(scenario: Path, driver: str) -> Profile:
    """Run a scenario under callgrind."""
    forced = ["events"] if driver == "events" else []
    printed, of_places = counted([str(PROGRAM), str(scenario), *forced])
    work = json.loads(printed)["work"]
    return Profile(
        scenario.stem,
        work["driver"],
        sum(of_places.values()),
        work["cell_hops"],
        work["packet_hops"],
        of_places,
    )


def counted(command: list[str]) -> tuple[str, Counter[str]]:
    """Return the output of a command, and its instructions by place."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind"
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        process = subprocess.run([*tool, *command], capture_output=True, text=True, check=True)
        return process.stdout, _instructions_of_places(out.read_text())


def _instructions_of_places(profile: str) -> Counter[str]:
    """Sum the exclusive instructions of each place in a profile in callgrind's format.

    A place is a source file of ours or, for library code, the function into which it is inlined.
    Lines are "position cost"; `fl`, `fi` and `fe` name the file and `fn` the function of the lines
    that follow, by a number after the first mention. The cost after a `calls` line belongs to the
    callee.
    """
    files: dict[str, str] = {}
    functions: dict[str, str] = {}
    costs: Counter[str] = Counter()
    file, function, is_call = "", "", False
    for line in profile.splitlines():
        if match := re.match(r"(c?f[lien])=\((\d+)\)(?: (.*))?", line):
            kind, number, name = match.groups()
            named = (functions if kind.endswith("n") else files).setdefault(number, name or "")
            if kind == "fn":
                function = named.replace("::", "/")
            elif not kind.startswith("c"):
                file = named
        elif line.startswith("calls="):
            is_call = True
        elif match := re.match(r"[+\-*\d]\S* (\d+)$", line):
            if not is_call:
                costs[file if "crates/" in file else function] += int(match[1])
            is_call = False
    return costs


def measure_all(jobs: int = 1) -> list[Profile]:
    """Measure all scenarios with each driver. Raises `Unmeasurable` if that is impossible."""
    object_to_machine()
    scenarios = sorted((HERE / "scenarios").glob("*.toml"))
    runs = [(scenario, driver) for scenario in scenarios for driver in ("events", "fast")]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda run: measure(*run), runs))


def kept() -> tuple[str, dict[str, int]]:
    """Return the compiler and the counts of the stored list."""
    header, *lines = [line for line in EXPECTED.read_text().splitlines() if line]
    counts = (line.rsplit(maxsplit=1) for line in lines)
    return header, {key.strip(): int(number.replace(",", "")) for key, number in counts}


def keep(profiles: list[Profile]) -> None:
    """Write the list."""
    lines = [f"{profile.key:32}{profile.instructions:>16,}" for profile in profiles]
    EXPECTED.write_text("\n".join([compiler(), "", *lines, ""]))


def differences(profiles: list[Profile], complete: bool = True) -> list[str]:
    """Return a line for each run whose count differs from the stored one.

    `complete` profiles are of all scenarios. Raises `Unmeasurable` if the list is another
    compiler's.
    """
    header, expected = kept()
    if header != compiler():
        raise Unmeasurable(f"the counts are of {header}, this is {compiler()}")
    new = {profile.key: profile.instructions for profile in profiles}
    strangers = new.keys() ^ expected.keys() if complete else new.keys() - expected.keys()
    found = [f"{key}: in only one of the lists" for key in sorted(strangers)]
    for key in sorted(new.keys() & expected.keys()):
        change = new[key] / expected[key] - 1
        if abs(change) > TOLERANCE:
            counts = f"{expected[key]:,} instructions before, {new[key]:,} now"
            found.append(f"{key}: {counts} ({change:+.1%})")
    return found


def page(profiles: list[Profile]) -> str:
    """Return the tables of the page: cost of runs, and its shares by part."""
    by_key = {profile.key: profile for profile in profiles}
    names = sorted({profile.scenario for profile in profiles})
    rows = []
    for name in names:
        events, fast = by_key[f"{name} events"], by_key[f"{name} fast"]
        rows.append(
            [
                f"`{name}`",
                f"{events.instructions / events.cell_hops:.0f}",
                f"{fast.instructions / fast.cell_hops:.1f}",
                f"{fast.instructions / fast.packet_hops:.0f}",
                f"{events.instructions / fast.instructions:.1f}",
            ]
        )
    costs = table(
        [
            "scenario",
            "instructions per cell-hop by events",
            "by the fast driver",
            "per packet-hop by the fast driver",
            "ratio",
        ],
        rows,
    )
    shares = [
        [part, *(f"{by_key[f'{name} fast'].share(part):.0%}" for name in names)]
        for part in [*PARTS, "other"]
    ]
    header = ["the fast driver's instructions", *(f"`{name}`" for name in names)]
    return f"{costs}\n\n{table(header, shares)}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """Format a table in Markdown, with numbers behind the first column."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    """Measure, then store, show or compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bless", action="store_true", help="keep these counts")
    parser.add_argument("--splice", metavar="PAGE", type=Path, help="put the tables into a page")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    options = parser.parse_args()
    # Otherwise a build older than the sources would be measured silently.
    subprocess.run(BUILD.split(), cwd=HERE.parent, check=True)
    try:
        profiles = measure_all(options.jobs)
        if options.bless:
            keep(profiles)
        found = differences(profiles)
    except Unmeasurable as reason:
        print(f"skipped: {reason}", file=sys.stderr)
        return 2
    if options.splice:
        before = options.splice.read_text()
        options.splice.write_text(spliced(before, COMMAND, page(profiles), str(options.splice)))
    else:
        print(page(profiles))
    print("\n".join(found), file=sys.stderr)
    return 3 if found else 0


if __name__ == "__main__":
    sys.exit(main())

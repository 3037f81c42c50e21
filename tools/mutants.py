"""Mutation testing of the engine: which small mistakes would its tests not notice?

cargo-mutants lists the mutants of the modules in `.cargo/mutants.toml`. It compiles the engine and
its tests once for each, 70 seconds on two cores: 56 hours for 2,888 mutants. Here all are compiled
into one engine (mutant schemata), each behind a condition that it is active. Every test runs once
alone without any active mutant and records which conditions it evaluates; then for each mutant the
tests run that reach it. It cannot affect the others, because the engine is deterministic. Needs
cargo-mutants, and tree-sitter and tree-sitter-rust from PyPI.

Usage: ``python tools/mutants.py FOLDER [--every N] [--jobs N] [--first TEXT ...]``: the changed
engine goes into FOLDER, every N-th mutant is tried, so many at a time, those with such a text in
their names first, and the record is written to `benchmarks/record/mutants.json`. Mutants recorded
as caught or not compiling are not tried again.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks/record/mutants.json"
SWITCH = "MUTANT"
SETTLED = ("caught", "unviable")
"""Final outcomes, which better tests do not change."""

PROPERTIES = {
    "PROPTEST_CASES": "16",
    "PROPTEST_RNG_SEED": "1",
    "PROPTEST_MAX_SHRINK_ITERS": "0",
    "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
}
"""Property tests try few cases, the same for all mutants, and do not shrink failures."""

SECONDS = 600
"""Wall time in seconds for tests on a busy machine that end within `PATIENCE` of CPU time."""

PATIENCE = (5, 10)
"""CPU seconds, and multiple of the time without a mutant, after which tests count as hanging."""

QUICK = (0.02, 0.1)
"""Tests of fewer CPU seconds run first."""

BYTES = 4 << 30
"""Memory limit of a test, in case it allocates without end."""

# The crates whose files `.cargo/mutants.toml` names.
MUTATED = ("--package", "longfat-hosts", "--package", "longfat-network")

# The guard of a match arm that a mutant removes.
SWITCHED_ARM = rb" !longfat_foundation::mutant\((\d+)\)"

ASKED = """
/// Whether a mutant is the one that is switched on. Without any, notes that it was asked about.
#[doc(hidden)]
pub fn mutant(number: u32) -> bool {
    static ACTIVE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let chosen = || std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
    let active = *ACTIVE.get_or_init(|| chosen().unwrap_or(u32::MAX));
    if active == u32::MAX {
        note(number);
    }
    active == number
}

fn note(number: u32) {
    use std::sync::atomic::{AtomicBool, Ordering};
    static NOTED: [AtomicBool; NUMBER] = [const { AtomicBool::new(false) }; NUMBER];
    if NOTED[number as usize].swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(path) = std::env::var_os("ASKED") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        std::io::Write::write_all(&mut file, format!("{number}\\n").as_bytes()).unwrap();
    }
}
"""


@dataclass(frozen=True)
class Mutant:
    """One small mistake: its file, byte range and replacement."""

    number: int
    name: str
    file: str
    genre: str
    begin: int
    end: int
    replacement: str

    @property
    def asked(self) -> str:
        """The condition that it is active, in Rust."""
        return f"longfat_foundation::mutant({self.number})"


def main() -> None:
    """List, build, try, and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--first", nargs="+", default=[], metavar="TEXT")
    given = parser.parse_args()
    mutants = listed()
    known = json.loads(RECORD.read_text())["mutants"] if RECORD.exists() else {}
    settled = {m.name: known[m.name] for m in mutants if known.get(m.name) in SETTLED}
    unviable = {m.number for m in mutants if settled.get(m.name) == "unviable"}
    programs, unviable = build(given.folder, mutants, unviable)
    os.chdir(given.folder / "crates/engine")  # where tests write their failures
    outcomes = {m.name: "unviable" for m in mutants if m.number in unviable} | settled
    bench = Bench.of(programs)

    def tried(mutant: Mutant) -> tuple[Mutant, str]:
        return mutant, outcomes.get(mutant.name) or bench.outcome(mutant)

    ordered = sorted(mutants[:: given.every], key=lambda mutant: rank(mutant.name, given.first))
    with ThreadPoolExecutor(given.jobs) as pool:
        for mutant, found in pool.map(tried, ordered):
            outcomes[mutant.name] = found
            print(f"{found}: {mutant.name}", flush=True)
            write(outcomes, len(mutants))


def rank(name: str, first: Sequence[str]) -> int:
    """Return the index of the first of these texts that occurs in a name."""
    return next((place for place, text in enumerate(first) if text in name), len(first))


def listed() -> list[Mutant]:
    """Return the mutants of cargo-mutants that can be switched on and off."""
    command = ["cargo", "mutants", "--list", "--json", *MUTATED]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [mutant(number, entry) for number, entry in enumerate(json.loads(done.stdout))]


def mutant(number: int, entry: dict[str, Any]) -> Mutant:
    """Convert a mutant of cargo-mutants, with its place in bytes."""
    lines = (ROOT / entry["file"]).read_text().splitlines(keepends=True)

    def offset(place: dict[str, int]) -> int:
        before = (
            "".join(lines[: place["line"] - 1]) + lines[place["line"] - 1][: place["column"] - 1]
        )
        return len(before.encode())

    begin, end = offset(entry["span"]["start"]), offset(entry["span"]["end"])
    what = re.sub(r":\d+:\d+:", ":", entry["name"], count=1)
    name = "{} at {line}:{column}".format(what, **entry["span"]["start"])
    return Mutant(number, name, entry["file"], entry["genre"], begin, end, entry["replacement"])


class Rewriter:
    """A source file that contains its mutants, each behind a condition."""

    def __init__(self, source: bytes, mutants: Sequence[Mutant]) -> None:
        self.source = source
        self.mutants = mutants
        self.written: set[int] = set()

    def rewritten(self) -> str:
        """Return the whole file."""
        tree = Parser(Language(tree_sitter_rust.language())).parse(self.source)
        return self.render(tree.root_node)

    def render(self, node: Node) -> str:
        """Return the text of a node with its descendants."""
        text = self.children(node)
        for mutant in self.of(node):
            changed = self.changed(node, mutant, text)
            if changed is not None:
                text = changed
                self.written.add(mutant.number)
        return text

    def children(self, node: Node) -> str:
        """Return the text of a node with rewritten children, and prologues in function bodies."""
        if not node.children:
            return self.raw(node.start_byte, node.end_byte)
        parts, at = [], node.start_byte
        for child in node.children:
            parts += [self.raw(at, child.start_byte), self.beginnings(child), self.render(child)]
            at = child.end_byte
        return "".join([*parts, self.raw(at, node.end_byte)])

    def of(self, node: Node) -> list[Mutant]:
        """Return the mutants of an expression, whose operator, guard or arm they change."""
        found: list[Mutant] = []
        if node.type in {"binary_expression", "compound_assignment_expr"}:
            operator = node.child_by_field_name("operator") or node.children[1]
            found += [m for m in self.genre("BinaryOperator") if m.begin == operator.start_byte]
        if node.type == "unary_expression":
            found += [m for m in self.genre("UnaryOperator") if m.begin == node.start_byte]
        if node.parent is not None and node.parent.type == "match_pattern":
            guards = self.genre("MatchArmGuard")
            found += [m for m in guards if (m.begin, m.end) == (node.start_byte, node.end_byte)]
        if node.type == "match_pattern":
            found += [m for m in self.genre("MatchArm") if m.begin == node.start_byte]
        if node.type in {"field_initializer", "shorthand_field_initializer"}:
            found += [m for m in self.genre("StructField") if m.begin == node.start_byte]
        return found

    def changed(self, node: Node, mutant: Mutant, text: str) -> str | None:
        """Return an expression that an active mutant changes."""
        if node.children and node.children[0].type.startswith("let_"):
            return None  # a condition with bindings cannot be put into parentheses
        if mutant.genre == "MatchArm":
            return self.guarded(node, mutant, text)
        if mutant.genre == "StructField":
            return self.from_base(node, mutant, text)
        replaced = self.raw(node.start_byte, mutant.begin) + mutant.replacement
        replaced += self.raw(mutant.end, node.end_byte)
        if node.type == "compound_assignment_expr":
            return f"{{ if {mutant.asked} {{ {replaced} }} else {{ {text} }} }}"
        return f"(if {mutant.asked} {{ ({replaced}) }} else {{ {text} }})"

    def guarded(self, node: Node, mutant: Mutant, text: str) -> str | None:
        """Return the pattern of an arm that never matches if a mutant is active."""
        condition = node.child_by_field_name("condition")
        if condition is None:
            return f"{text} if !{mutant.asked}"
        if condition.type.startswith("let_"):
            return None
        pattern = self.raw(node.start_byte, condition.start_byte)
        return f"{pattern} !{mutant.asked} && ({self.render(condition)})"

    def from_base(self, node: Node, mutant: Mutant, text: str) -> str | None:
        """Return a field that keeps the value of the base struct if a mutant is active."""
        fields = node.parent.children if node.parent is not None else ()
        bases = [field for field in fields if field.type == "base_field_initializer"]
        if not bases:
            return None
        base = self.raw(bases[0].start_byte + len(".."), bases[0].end_byte)
        name, _, value = text.partition(":")
        return f"{name}: if {mutant.asked} {{ ({base}).{name} }} else {{ {value or name} }}"

    def beginnings(self, node: Node) -> str:
        """Return the early returns of a function whose value mutants replace."""
        found = [m for m in self.genre("FnValue") if m.begin == node.start_byte]
        if node.parent is None or node.parent.type != "block":
            return ""
        new = [m for m in found if m.number not in self.written]
        self.written.update(m.number for m in new)
        return "".join(f"if {m.asked} {{ return {m.replacement}; }}\n" for m in new)

    def genre(self, genre: str) -> Iterator[Mutant]:
        """Yield the mutants of a kind."""
        return (mutant for mutant in self.mutants if mutant.genre == genre)

    def raw(self, begin: int, end: int) -> str:
        """Return the original text."""
        return self.source[begin:end].decode()


def build(
    folder: Path, mutants: Sequence[Mutant], unviable: set[int]
) -> tuple[list[str], set[int]]:
    """Build the test programs of an engine with all mutants that compile.

    `unviable` are the mutants known not to compile.
    """
    while True:
        written = write_engine(folder, [m for m in mutants if m.number not in unviable])
        programs, wrong = compiled(folder)
        if not wrong:
            return programs, unviable | {m.number for m in mutants if m.number not in written}
        print(f"{len(wrong)} do not compile", flush=True)
        unviable |= wrong


def write_engine(folder: Path, mutants: Sequence[Mutant]) -> set[int]:
    """Write the changed engine; returns the mutants in it."""
    ignored = shutil.ignore_patterns("target", ".venv", ".git", "work")
    shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=ignored)
    written: set[int] = set()
    for file in {mutant.file for mutant in mutants}:
        rewriter = Rewriter((ROOT / file).read_bytes(), [m for m in mutants if m.file == file])
        (folder / file).write_text(rewriter.rewritten())
        written |= rewriter.written
    library = folder / "crates/foundation/src/lib.rs"
    number = f"const NUMBER: usize = {max(mutant.number for mutant in mutants) + 1};\n"
    library.write_text((ROOT / "crates/foundation/src/lib.rs").read_text() + ASKED + number)
    return written


def compiled(folder: Path) -> tuple[list[str], set[int]]:
    """Return the test programs, and the mutants with compiler errors."""
    command = ["cargo", "test", "--no-run", *MUTATED, "--package", "longfat-engine"]
    command += ["--lib", "--test", "engine", "--profile", "mutants", "--message-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    errors = [m["message"] for m in messages if m.get("message", {}).get("level") == "error"]
    wrong = {number for error in errors for number in at(folder, error)}
    if done.returncode and not wrong:
        raise SystemExit("\n".join(error["rendered"] for error in errors[:5]) or done.stderr)
    programs = [m["executable"] for m in messages if m.get("executable")]
    return programs, wrong


def at(folder: Path, error: dict[str, Any]) -> set[int]:
    """Return the innermost mutant around the place of an error."""
    found = set()
    for span in error["spans"]:
        if not span["is_primary"]:
            continue
        text = (folder / span["file_name"]).read_bytes()
        inside: list[tuple[int, int]] = []
        for match in re.finditer(rb"if longfat_foundation::mutant\((\d+)\) \{", text):
            end = closing(text, match.end())
            if match.start() <= span["byte_start"] < end:
                inside.append((end - match.start(), int(match[1])))
        if inside:
            found.add(min(inside)[1])
        elif arm := re.search(SWITCHED_ARM, text[span["byte_start"] :]):
            found.add(int(arm[1]))  # without it the match is not exhaustive
    return found


def closing(text: bytes, begin: int) -> int:
    """Return the position of the brace that closes the block open at `begin`."""
    depth = 1
    for match in re.finditer(rb"[{}]", text[begin:]):
        depth += 1 if match[0] == b"{" else -1
        if depth == 0:
            return begin + match.end()
    return len(text)


@dataclass(frozen=True)
class Test:
    """A test of a program: its CPU seconds, and the mutants that it reaches."""

    program: str
    name: str
    seconds: float
    asks_about: Set[int]


@dataclass(frozen=True)
class Bench:
    """All tests of the engine, measured without a mutant."""

    tests: Sequence[Test]

    @classmethod
    def of(cls, programs: Sequence[str]) -> "Bench":
        """Run every test alone."""
        tests = [measured(program, name) for program in programs for name in names(program)]
        seconds = sum(test.seconds for test in tests)
        print(f"{len(tests)} tests take {seconds:.1f} s of a core", flush=True)
        return cls(tests)

    def outcome(self, mutant: Mutant) -> str:
        """Return the outcome of a mutant: `caught`, `timeout` or `missed`."""
        portions: dict[tuple[int, str], list[Test]] = {}
        for test in self.tests:
            if mutant.number in test.asks_about:
                slowness = bisect(QUICK, test.seconds)
                portions.setdefault((slowness, test.program), []).append(test)
        for _, portion in sorted(portions.items()):
            if (found := verdict(portion, {SWITCH: str(mutant.number)})) != "missed":
                return found
        return "missed"


def names(program: str) -> list[str]:
    """Return the names of the tests of a program."""
    done = subprocess.run([program, "--list"], check=True, capture_output=True, text=True)
    return re.findall(r"^(.*): test$", done.stdout, re.MULTILINE)


def measured(program: str, name: str) -> Test:
    """Measure a test, which must pass."""
    asked = Path(tempfile.gettempdir()) / f"asked-{os.getpid()}"
    asked.touch()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if verdict([Test(program, name, SECONDS, set())], {"ASKED": str(asked)}) != "missed":
        raise SystemExit(f"{name} fails without any mutant")
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    asks_about = {int(number) for number in asked.read_text().split()}
    asked.unlink()
    return Test(program, name, seconds, asks_about)


def verdict(tests: Sequence[Test], environment: Mapping[str, str]) -> str:
    """Return the outcome of some tests of a program; stops at the first failure."""
    process = subprocess.Popen(
        [tests[0].program, "--exact", *(test.name for test in tests)],
        env={**PROPERTIES, **os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    least, times = PATIENCE
    core_seconds = int(least + times * sum(test.seconds for test in tests))
    resource.prlimit(process.pid, resource.RLIMIT_AS, (BYTES, BYTES))
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (core_seconds, core_seconds + 1))
    late = Timer(SECONDS, process.kill)
    late.start()
    with process:
        fails = any(line.endswith(" FAILED\n") for line in process.stdout or ())
        late.cancel()
        if fails:
            process.kill()
    if fails:
        return "caught"
    if process.returncode in (-signal.SIGKILL, -signal.SIGXCPU):
        return "timeout"
    return "caught" if process.returncode else "missed"


def write(outcomes: dict[str, str], listed: int) -> None:
    """Write the outcomes and their totals."""
    counts = Counter(outcomes.values())
    noticed = counts["caught"] + counts["timeout"]
    tried = noticed + counts["missed"]
    document = {
        "listed": listed,
        "tried": tried,
        "unviable": counts["unviable"],
        "caught": counts["caught"],
        "timeout": counts["timeout"],
        "missed": counts["missed"],
        "score": noticed / tried if tried else None,
        "mutants": dict(sorted(outcomes.items())),
    }
    new = RECORD.with_suffix(".new")
    new.write_text(json.dumps(document, indent=2) + "\n")
    new.replace(RECORD)


if __name__ == "__main__":
    main()

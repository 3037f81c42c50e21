"""Mutation testing of the engine's decisions: which small mistakes would its tests not notice?

cargo-mutants lists the mutants of the modules in `.cargo/mutants.toml`. Compiling the engine once
for each takes days; here all are compiled into one engine, each behind a question whether it is the
one that is switched on, and the tests run once for each. Needs cargo-mutants, and tree-sitter and
tree-sitter-rust from PyPI.

Usage: ``python tools/mutants.py FOLDER [--every N]``: the changed engine goes into FOLDER, every
N-th mutant is tried, and the record is written to `benchmarks/record/mutants.json`. What it says of
mutants that were caught, or do not compile, is not asked again.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
"""Outcomes that better tests do not change."""

PROPERTIES = {
    "PROPTEST_CASES": "16",
    "PROPTEST_RNG_SEED": "1",
    "PROPTEST_MAX_SHRINK_ITERS": "0",
    "PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1",
}
"""Property tests try few cases, the same for all mutants, and no smaller ones once they fail."""

SECONDS = 300
"""Many times what a portion of the tests takes without a mistake on a busy machine."""

BYTES = 4 << 30
"""What a test that allocates without end may have."""

ASKED = """
/// Whether a mutant is the one that is switched on.
#[doc(hidden)]
pub fn mutant(number: u32) -> bool {
    static ACTIVE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let chosen = || std::env::var("MUTANT").ok().and_then(|text| text.parse().ok());
    *ACTIVE.get_or_init(|| chosen().unwrap_or(u32::MAX)) == number
}
"""


@dataclass(frozen=True)
class Mutant:
    """One small mistake: in which file, from which byte to which, and what stands there instead."""

    number: int
    name: str
    file: str
    genre: str
    begin: int
    end: int
    replacement: str

    @property
    def asked(self) -> str:
        """The question whether it is switched on, in Rust."""
        return f"crate::mutant({self.number})"


def main() -> None:
    """List, build, try, and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    given = parser.parse_args()
    mutants = listed()
    known = json.loads(RECORD.read_text())["mutants"] if RECORD.exists() else {}
    settled = {m.name: known[m.name] for m in mutants if known.get(m.name) in SETTLED}
    unviable = {m.number for m in mutants if settled.get(m.name) == "unviable"}
    programs, unviable = build(given.folder, mutants, unviable)
    os.chdir(given.folder / "crates/engine")  # where tests leave what they have found
    outcomes = {m.name: "unviable" for m in mutants if m.number in unviable} | settled
    if (survivor := outcome(programs, None)) != "missed":
        raise SystemExit(f"the tests fail without any mutant: {survivor}")
    for mutant in mutants[:: given.every]:
        if mutant.name not in outcomes:
            outcomes[mutant.name] = outcome(programs, mutant)
        print(f"{outcomes[mutant.name]}: {mutant.name}", flush=True)
        write(outcomes, len(mutants))


def listed() -> list[Mutant]:
    """The mutants of cargo-mutants that can be switched on and off."""
    command = ["cargo", "mutants", "--list", "--json", "--package", "longfat-engine"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [mutant(number, entry) for number, entry in enumerate(json.loads(done.stdout))]


def mutant(number: int, entry: dict[str, Any]) -> Mutant:
    """A mutant as cargo-mutants describes it, with its place in bytes."""
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
    """A source file with its mutants in it, each behind a question."""

    def __init__(self, source: bytes, mutants: Sequence[Mutant]) -> None:
        self.source = source
        self.mutants = mutants
        self.written: set[int] = set()

    def rewritten(self) -> str:
        """The whole file."""
        tree = Parser(Language(tree_sitter_rust.language())).parse(self.source)
        return self.render(tree.root_node)

    def render(self, node: Node) -> str:
        """A node with all that is below it."""
        text = self.children(node)
        for mutant in self.of(node):
            changed = self.changed(node, mutant, text)
            if changed is not None:
                text = changed
                self.written.add(mutant.number)
        return text

    def children(self, node: Node) -> str:
        """The text of a node with its children rewritten, and bodies of functions begun anew."""
        if not node.children:
            return self.raw(node.start_byte, node.end_byte)
        parts, at = [], node.start_byte
        for child in node.children:
            parts += [self.raw(at, child.start_byte), self.beginnings(child), self.render(child)]
            at = child.end_byte
        return "".join([*parts, self.raw(at, node.end_byte)])

    def of(self, node: Node) -> list[Mutant]:
        """The mutants of an expression, whose operator, guard or arm they change."""
        found: list[Mutant] = []
        if node.type in {"binary_expression", "compound_assignment_expr"}:
            operator = node.child_by_field_name("operator") or node.children[1]
            found += [m for m in self.genre("BinaryOperator") if m.begin == operator.start_byte]
        if node.type == "unary_expression":
            found += [m for m in self.genre("UnaryOperator") if m.begin == node.start_byte]
        if node.parent is not None and node.parent.type == "match_pattern":
            guards = self.genre("MatchArmGuard")
            found += [m for m in guards if (m.begin, m.end) == (node.start_byte, node.end_byte)]
        return found

    def changed(self, node: Node, mutant: Mutant, text: str) -> str | None:
        """An expression that a mutant changes when it is switched on."""
        if node.children and node.children[0].type.startswith("let_"):
            return None  # what a condition binds cannot be put into parentheses
        replaced = self.raw(node.start_byte, mutant.begin) + mutant.replacement
        replaced += self.raw(mutant.end, node.end_byte)
        if node.type == "compound_assignment_expr":
            return f"{{ if {mutant.asked} {{ {replaced} }} else {{ {text} }} }}"
        return f"(if {mutant.asked} {{ ({replaced}) }} else {{ {text} }})"

    def beginnings(self, node: Node) -> str:
        """What comes before a node that is the first of a function whose value mutants change."""
        found = [m for m in self.genre("FnValue") if m.begin == node.start_byte]
        if node.parent is None or node.parent.type != "block":
            return ""
        new = [m for m in found if m.number not in self.written]
        self.written.update(m.number for m in new)
        return "".join(f"if {m.asked} {{ return {m.replacement}; }}\n" for m in new)

    def genre(self, genre: str) -> Iterator[Mutant]:
        """The mutants of a kind."""
        return (mutant for mutant in self.mutants if mutant.genre == genre)

    def raw(self, begin: int, end: int) -> str:
        """The text as it was."""
        return self.source[begin:end].decode()


def build(
    folder: Path, mutants: Sequence[Mutant], unviable: set[int]
) -> tuple[list[list[str]], set[int]]:
    """The commands that test an engine with all mutants but those that do not compile.

    `unviable` are those of which it is known.
    """
    while True:
        written = write_engine(folder, [m for m in mutants if m.number not in unviable])
        programs, wrong = compiled(folder)
        if not wrong:
            return in_portions(programs), unviable | {
                m.number for m in mutants if m.number not in written
            }
        print(f"{len(wrong)} do not compile", flush=True)
        unviable |= wrong


def write_engine(folder: Path, mutants: Sequence[Mutant]) -> set[int]:
    """Write the changed engine; tells which mutants are in it."""
    ignored = shutil.ignore_patterns("target", ".venv", ".git", "work")
    shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=ignored)
    written: set[int] = set()
    for file in {mutant.file for mutant in mutants}:
        rewriter = Rewriter((ROOT / file).read_bytes(), [m for m in mutants if m.file == file])
        (folder / file).write_text(rewriter.rewritten())
        written |= rewriter.written
    library = folder / "crates/engine/src/lib.rs"
    library.write_text((ROOT / "crates/engine/src/lib.rs").read_text() + ASKED)
    return written


def compiled(folder: Path) -> tuple[list[str], set[int]]:
    """The test programs, and the mutants at which the compiler found something wrong."""
    command = ["cargo", "test", "--no-run", "--package", "longfat-engine", "--profile", "mutants"]
    command += ["--lib", "--test", "engine", "--message-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    errors = [m["message"] for m in messages if m.get("message", {}).get("level") == "error"]
    wrong = {number for error in errors for number in at(folder, error)}
    if done.returncode and not wrong:
        raise SystemExit("\n".join(error["rendered"] for error in errors[:5]) or done.stderr)
    programs = [m["executable"] for m in messages if m.get("executable")]
    return programs, wrong


def in_portions(programs: Sequence[str]) -> list[list[str]]:
    """The tests in portions, the shortest first: most mutants are noticed by one of those."""
    own, others = sorted(programs, key=lambda program: "longfat_engine" not in program)
    return [
        [others, "recovery::", "window_law::"],
        [own],
        [others, "--skip", "laws::", "--skip", "determinism::"],
        [others, "laws::", "determinism::"],
    ]


def at(folder: Path, error: dict[str, Any]) -> set[int]:
    """The mutant around the place of an error, the innermost."""
    found = set()
    for span in error["spans"]:
        if not span["is_primary"]:
            continue
        text = (folder / span["file_name"]).read_bytes()
        inside: list[tuple[int, int]] = []
        for match in re.finditer(rb"if crate::mutant\((\d+)\) \{", text):
            end = closing(text, match.end())
            if match.start() <= span["byte_start"] < end:
                inside.append((end - match.start(), int(match[1])))
        if inside:
            found.add(min(inside)[1])
    return found


def closing(text: bytes, begin: int) -> int:
    """Where the braces close that were opened before `begin`."""
    depth = 1
    for match in re.finditer(rb"[{}]", text[begin:]):
        depth += 1 if match[0] == b"{" else -1
        if depth == 0:
            return begin + match.end()
    return len(text)


def outcome(commands: Sequence[Sequence[str]], mutant: Mutant | None) -> str:
    """What becomes of a mutant: `caught`, `timeout` or `missed`."""
    number = "none" if mutant is None else str(mutant.number)
    environment = {**PROPERTIES, **os.environ, SWITCH: number}
    for command in commands:
        if (found := verdict(command, environment)) != "missed":
            return found
    return "missed"


def verdict(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What some tests say; the first that fails ends them."""
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    resource.prlimit(process.pid, resource.RLIMIT_AS, (BYTES, BYTES))
    late = Timer(SECONDS, process.kill)
    late.start()
    with process:
        fails = any(line.endswith(" FAILED\n") for line in process.stdout or ())
        late.cancel()
        if fails:
            process.kill()
    if fails:
        return "caught"
    if process.returncode == -signal.SIGKILL:
        return "timeout"
    return "caught" if process.returncode else "missed"


def write(outcomes: dict[str, str], listed: int) -> None:
    """Keep the outcomes, and their sum."""
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

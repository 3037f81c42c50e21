"""Nasty command lines: every verb with every kind of argument that nobody means.

Usage: ``python fuzz/nasty_inputs.py [COUNT] [SEED] [JOBS]``. Writes
`benchmarks/record/nasty-inputs.json`. Each command line must end with exit code 0 to 3, without a
traceback, and within `MOST_CORE_SECONDS` of a core and `MOST_ADDRESSES`.
"""

import json
import os
import random
import resource
import signal
import stat
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import click

ROOT = Path(__file__).parent.parent
RECORD = ROOT / "benchmarks/record/nasty-inputs.json"
PROGRAM = Path(sys.executable).parent / "longfat"

COUNT = 1000
MOST_CORE_SECONDS = 10
MOST_SECONDS = 120
"""A process that waits takes no core, and the machine may have other work."""
MOST_ADDRESSES = 4 * 2**30
"""Address space: polars reserves nearly 2 GiB for threads that never use it."""

NO_MEMORY = ("MemoryError", "memory allocation of", "out of memory")
"""Messages of a process that needed more addresses."""

NOT_STARTED = {"view", "bench", "verify checks"}
"""Verbs that serve or measure until told to stop; they get unknown options only."""

NARROWED = {"verify linux": ["--only", "cubic-10mbit-*"]}
"""Options that come first, of a verb that would otherwise rightly work for longer."""

TEXTS = [
    "", "-", "--", "-1", "0", "nan", "inf", "-inf", "1e400", "99999999999999999999999", "٣", "½",
    "a" * 5000, "a/" * 3000, "\udcff\udcfe", "é\u202e\u0000"[:-1], "' OR 1=1; --", "x=y=z", "=",
    "@", "@/dev/zero", "@fifo", "@directory", "port.buffer=@huge", "../../../etc/passwd",
    "port.policy.threshold=nan", "sqlite://", "postgresql://nobody@127.0.0.1:1/x", "true", "{}",
    "[", "linux-6.12", "tcp.preset=linux-6.12", "port.preset=linux-6.12", "framing=packet",
    'port.queue={kind="cake"}', 'port.queue={kind="pie",update_period="1 ps"}',
]  # fmt: skip

FILES = [
    "missing", "directory", "fifo", "socket", "/dev/zero", "/dev/urandom", "/dev/null", "huge",
    "empty", "deep.json", "deep.toml", "binary", "not-utf8.toml", "bom.toml", "crlf.toml",
    "nul.toml", "nul.csv", "loop", "scenario.toml", "small", "small/study.toml", "/proc/self/mem",
    "deep.json.gz",
]  # fmt: skip


@dataclass
class Counts:
    """Counts of a campaign, and the command lines that broke a rule."""

    seed: int
    commands: int = 0
    most_core_seconds: int = MOST_CORE_SECONDS
    most_gib: int = MOST_ADDRESSES // 2**30
    exit_codes: dict[str, int] = field(default_factory=dict)
    verbs: int = 0
    longest_core_seconds: float = 0.0
    largest_mib: int = 0
    tracebacks: list[list[str]] = field(default_factory=list)
    hangs: list[list[str]] = field(default_factory=list)
    out_of_memory: list[list[str]] = field(default_factory=list)
    other_exits: list[list[str]] = field(default_factory=list)


def make_files(folder: Path) -> None:
    """Make the files of `FILES`, and a valid study and scenario among them."""
    from tests.conftest import SCENARIO, write_study

    write_study(folder / "small")
    (folder / "scenario.toml").write_text(SCENARIO)
    (folder / "directory").mkdir()
    os.mkfifo(folder / "fifo")
    os.mknod(folder / "socket", stat.S_IFSOCK | 0o600)
    (folder / "huge").touch()
    os.truncate(folder / "huge", 5 * 2**30)
    (folder / "loop").symlink_to("loop")
    contents: dict[str, bytes] = {
        "empty": b"",
        "deep.json": b"[" * 100_000,
        "deep.toml": b"a = " + b"[" * 100_000,
        "binary": bytes(range(256)) * 400,
        "not-utf8.toml": b"schema_version = 1 # \xff\xfe",
        "bom.toml": b"\xef\xbb\xbf" + SCENARIO.encode(),
        "crlf.toml": SCENARIO.replace("\n", "\r\n").encode(),
        "nul.toml": SCENARIO.encode()[:200] + b"\0" + SCENARIO.encode()[200:],
        "nul.csv": b"time_s,rate_bps\n0,\x00\n",
        "deep.json.gz": b"\x1f\x8b" + b"[" * 1000,
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def verbs() -> list[tuple[list[str], click.Command]]:
    """Return every verb of the program with its words."""
    from longfat.cli.program import main

    return [*_below(main, [])]


def _below(group: click.Group, words: list[str]) -> Iterator[tuple[list[str], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _below(command, [*words, name])
        elif command is not None:
            yield [*words, name], command


def command_line(
    chance: random.Random, known: Sequence[tuple[list[str], click.Command]]
) -> list[str]:
    """Return the arguments of a nasty command line."""
    words, command = chance.choice(known)
    nasty = [*TEXTS, *FILES]
    options = [option for option in command.params if isinstance(option, click.Option)]
    arguments = [given for given in command.params if isinstance(given, click.Argument)]
    line = [chance.choice(FILES if chance.random() < 0.8 else TEXTS) for _ in arguments]
    for option in chance.sample(options, min(len(options), chance.randrange(3))):
        line.append(chance.choice(option.opts))
        if not option.is_flag and not option.count:
            line += [chance.choice(nasty) for _ in range(option.nargs)]
    verb = " ".join(words)
    if verb in NOT_STARTED or chance.random() < 0.05:
        line.append("--no-such-option")
    return [*words, *NARROWED.get(verb, []), *line]


def run(line: Sequence[str], folder: Path) -> tuple[int | None, str]:
    """Run a command line; the exit code is None if it had to be ended."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_CORE_SECONDS, MOST_CORE_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**26, 2**26))

    environment = {**os.environ, "POLARS_MAX_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("LONGFAT_STORE", None)
    process = subprocess.Popen(
        [os.fsencode(PROGRAM), *(word.encode(errors="surrogateescape") for word in line)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limited,
    )
    try:
        _, talk = process.communicate(timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        _, talk = process.communicate()
        return None, talk.decode(errors="replace")
    ended = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
    return None if ended else process.returncode, talk.decode(errors="replace")


class Attempt(NamedTuple):
    """The end of a command line, and what it took."""

    code: int | None
    talk: str
    core_seconds: float
    mib: int


def attempt(line: Sequence[str]) -> Attempt:
    """Run a command line in a new folder of nasty files."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="nasty-") as name:
        make_files(Path(name))
        code, talk = run(line, Path(name))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime
    return Attempt(code, talk, seconds, used.ru_maxrss // 1024)


def campaign(count: int, seed: int, jobs: int = 1, tell: Callable[[str], object] = print) -> Counts:
    """Run command lines, some at a time, and return the counts."""
    chance, counts, codes = random.Random(seed), Counts(seed), Counter[str]()
    known = verbs()
    counts.verbs = len(known)
    lines = [command_line(chance, known) for _ in range(count)]
    with ProcessPoolExecutor(jobs) as pool:
        for line, (code, talk, seconds, mib) in zip(lines, pool.map(attempt, lines), strict=True):
            counts.commands += 1
            counts.longest_core_seconds = round(max(counts.longest_core_seconds, seconds), 2)
            counts.largest_mib = max(counts.largest_mib, mib)
            codes["ended" if code is None else str(code)] += 1
            shown = [word[:80].encode(errors="replace").decode() for word in line]
            broken = (
                counts.out_of_memory if any(words in talk for words in NO_MEMORY)
                else counts.tracebacks if "Traceback" in talk or "panicked" in talk
                else counts.hangs if code is None
                else counts.other_exits if code not in (0, 1, 2, 3)
                else None
            )  # fmt: skip
            if broken is not None:
                broken.append(shown)
                tell(f"{code} {shown}\n{talk[-600:]}")
    counts.exit_codes = dict(sorted(codes.items()))
    return counts


def main() -> None:
    """Run the campaign and keep its counts."""
    given = [int(word) for word in sys.argv[1:]]
    count, seed, jobs = (*given, *[COUNT, 1, os.cpu_count() or 1][len(given) :])
    counts = campaign(count, seed, jobs)
    RECORD.write_text(json.dumps(asdict(counts), indent=2) + "\n")
    print(json.dumps(asdict(counts), indent=2))
    sys.exit(bool(broken_rules(counts)))


def broken_rules(counts: Counts) -> list[list[str]]:
    """Return the command lines that broke a rule."""
    return [*counts.tracebacks, *counts.hangs, *counts.out_of_memory, *counts.other_exits]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()

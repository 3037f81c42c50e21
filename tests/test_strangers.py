"""Untrusted files use at most their limits, and cause no open, exec or connect.

The engine reads and runs them in a process that the kernel kills at the first system call that
opens, executes, connects, or as much as looks at a file.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from longfat.base.errors import LongfatError
from longfat.studies.definition import load_study
from tests.conftest import SCENARIO, STUDY
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"),
    reason="numbers of system calls are those of Linux on x86-64",
)

CORPUS = Path(__file__).parent.parent / "fuzz/corpus"

SEALED = '''
import ctypes, struct, sys
from longfat import InvalidInput, _engine

SYSTEM_CALLS = {
    "open": 2, "stat": 4, "lstat": 6, "access": 21, "socket": 41, "connect": 42, "fork": 57,
    "vfork": 58, "execve": 59, "truncate": 76, "ftruncate": 77, "getdents": 78, "rename": 82,
    "mkdir": 83, "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "readlink": 89, "chmod": 90,
    "getdents64": 217, "openat": 257, "mkdirat": 258, "newfstatat": 262, "unlinkat": 263,
    "renameat": 264, "linkat": 265, "faccessat": 269, "renameat2": 316, "execveat": 322,
    "statx": 332, "openat2": 437, "faccessat2": 439,
}
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
KILL, ALLOW = 0x80000000, 0x7FFF0000
NUMBER = 0


def seal():
    """From now on the kernel ends this process at any of these system calls."""
    calls = sorted(SYSTEM_CALLS.values())
    program = [(LOAD, 0, 0, NUMBER)]
    program += [(IF_EQUAL, len(calls) - index, 0, call) for index, call in enumerate(calls)]
    program += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, KILL)]
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code)
    listing = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
    assert libc.prctl(SECCOMP, FILTER, listing, 0, 0) == 0


def carry_out(text, name):
    """Read a scenario and, if it is one, run it for at most some events."""
    try:
        resolved = _engine.resolve_scenario(text, name)
    except InvalidInput as refusal:
        return str(refusal)
    if _engine.scenario_cost(resolved)[1] > 2**24:
        return "would take too much memory"
    outcomes = []
    def report(ended, _):
        outcomes.extend(ended)
    _engine.run_batch([resolved], 1, report, None, (5000, 10.0, 2**26), "events")
    return outcomes[0][1]
'''


def sealed(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SEALED + script, *arguments]
    # glibc looks at /proc/sys/vm/overcommit_memory before it shrinks the heap of a thread, whatever
    # the thread has done: once in a while, or always with MALLOC_TRIM_THRESHOLD_=4096.
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, env=environment
    )


CARRY_OUT_ALL = """
texts = [(open(path, "rb").read(), path) for path in sys.argv[1:]]
# What is looked up once in the life of a process, such as the number of cores, is looked up now.
carry_out(texts[0][0], texts[0][1])
seal()
for text, path in texts:
    answer = carry_out(text, path)
    assert answer, path
print(len(texts), "carried out")
"""

NAMES_OF_FILES = SCENARIO.replace('"infinite"', '"/etc/passwd"')
HOSTILE = [
    NAMES_OF_FILES,
    SCENARIO.replace('"fba"', '"file:///etc/passwd"'),
    SCENARIO.replace('"fba"', '"$(touch executed)`id`"'),
    SCENARIO.replace('"50 ms"', '"@/etc/passwd"'),
    SCENARIO + 'include = "/etc/passwd"\n',
    '{"$ref": "file:///etc/passwd", "schema_version": 1}',
    SCENARIO.replace("200 cells", "9007199254740992 cells"),
    SCENARIO.replace("sources = 2", "sources = 9007199254740992"),
]


def test_no_scenario_makes_the_engine_look_at_a_file_or_execute_anything(tmp_path: Path) -> None:
    texts = sorted([*(CORPUS / "run").iterdir(), *(CORPUS / "scenario").iterdir()])
    for number, text in enumerate(HOSTILE):
        texts.append(tmp_path / f"{number}.{'json' if text.startswith('{') else 'toml'}")
        texts[-1].write_text(text)
    done = sealed(CARRY_OUT_ALL, *map(str, texts))
    assert (done.returncode, done.stdout) == (0, f"{len(texts)} carried out\n"), done.stderr


@pytest.mark.parametrize(
    "act",
    [
        "open('/etc/passwd')",
        "os.execv('/bin/echo', ['echo', 'still here'])",
        "os.stat('/')",
        "socket.socket()",
    ],
)
def test_the_seal_holds(act: str) -> None:
    done = sealed(f"import os, socket\nseal()\n{act}\nprint('still here')")
    assert done.returncode != 0
    assert "still here" not in done.stdout


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.toml", "reference/../../secret.toml"])
@pytest.mark.parametrize("key", ["scenario", "reference"])
def test_a_study_names_only_files_of_its_own_folder(tmp_path: Path, key: str, path: str) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (tmp_path / "secret.toml").write_text(SCENARIO)
    (folder / "scenario.toml").write_text(SCENARIO)
    named = {"scenario": "scenario.toml", "reference": "reference/a.csv"}[key]
    (folder / "study.toml").write_text(STUDY.replace(f'{key} = "{named}"', f'{key} = "{path}"'))
    from longfat import InvalidInput

    with pytest.raises((InvalidInput, LongfatError)) as refused:
        load_study(folder)
    assert f'"{path}" leads out of its folder' in str(refused.value)

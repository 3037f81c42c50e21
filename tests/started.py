"""Processes of `longfat` that have its modules from the beginning, for tests that start many.

Loading NumPy, SQLAlchemy, matplotlib and longfat costs more than what most tests ask for. `Starter`
keeps a process that has loaded them, and forks one for each command, which ends as any other does.
Polars is not among them: its threads must not be forked.

Documents, benchmarks and tests of starts, signals and environments use the installed program.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

_LIBRARIES = (
    "click",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "numpy",
    "sqlalchemy.dialects.sqlite",
)

_PACKAGES = (
    *("base", "statistics", "scenarios", "records", "studies", "store", "results", "analysis"),
    *("running", "report", "cli"),
)
"""Packages of longfat whose modules are loaded, but for those that need what is not forked."""

_NOT_FORKED = ("polars", "distributed", "scipy")

_MOST_BYTES = 2**17
"""Longest request: one message of a socket."""

_OF_STARTS = ("PYTHON", "LC_", "LANG", "MPL")
"""Beginnings of variables that Python or a library reads when it starts."""


def at_start(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables that only a new interpreter would read."""
    return {name: value for name, value in environment.items() if name.startswith(_OF_STARTS)}


class Starter:
    """Starts `longfat`; a context manager that ends the process that it forks from."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.environment = at_start(dict(os.environ))
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            # Its standard streams are of the same kind as those of the processes that it forks.
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )  # fmt: skip

    def __enter__(self) -> "Starter":
        return self

    def __exit__(self, *_: object) -> None:
        self._requests.close()
        self._process.communicate()

    def run(
        self, arguments: Sequence[str], folder: Path, environment: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as `subprocess.run` does; raises `subprocess.TimeoutExpired` as well."""
        command = [str(self.program), *arguments]
        request = json.dumps([command, str(folder), environment]).encode()
        assert len(request) <= _MOST_BYTES, "only the installed program takes so many arguments"
        with ExitStack() as stack:
            ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
            outputs = [os.pipe() for _ in range(2)]
            reads = [stack.enter_context(os.fdopen(end)) for end, _ in outputs]
            descriptors = [theirs.fileno(), 0, *(end for _, end in outputs)]
            socket.send_fds(self._requests, [request], descriptors)
            theirs.close()
            for _, end in outputs:
                os.close(end)
            readers = stack.enter_context(ThreadPoolExecutor(len(reads)))
            texts = [readers.submit(end.read) for end in reads]
            answers = stack.enter_context(ours.makefile())
            number = int(answers.readline())
            try:
                stdout, stderr = (text.result(timeout) for text in texts)
            except TimeoutError:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout) from None
            code = int(answers.readline())
        return subprocess.CompletedProcess(command, code, stdout, stderr)


def _load() -> None:
    """Load all modules that commands share."""
    import gc
    import pkgutil
    from importlib import import_module

    for library in _LIBRARIES:
        import_module(library)
    sys.modules.update(dict.fromkeys(_NOT_FORKED))  # type: ignore[arg-type] # cannot be imported
    for package in _PACKAGES:
        folder = import_module(f"longfat.{package}").__path__
        for module in pkgutil.walk_packages(folder, f"longfat.{package}."):
            if ".migrations" not in module.name:
                with suppress(ImportError):
                    import_module(module.name)
    for library in _NOT_FORKED:
        del sys.modules[library]
    gc.freeze()  # shared by all processes


def _serve(requests: socket.socket) -> Callable[[], None] | None:
    """Fork a process for each request. Returns the program there, and None at the end here."""
    signal.signal(signal.SIGCHLD, _bury)
    while True:
        request, descriptors, _, _ = socket.recv_fds(requests, _MOST_BYTES, 4)
        if not request:
            return None
        if os.fork() == 0:
            requests.close()
            return _started(request, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _bury(*_: object) -> None:
    """Take leave of the processes that have ended, whose CPU time then counts as this one's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _started(request: bytes, answers: int, *standard: int) -> Callable[[], None]:
    """Return the program in a process of its own, and wait for it in this one."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if child := os.fork():
        for descriptor in standard:
            os.close(descriptor)
        os.write(answers, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        with suppress(OSError):  # nobody waits any more
            os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    os.close(answers)
    for number, descriptor in enumerate(standard):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv, folder, environment = json.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from longfat.cli.start import program

    return program


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal; the tests end this process
    _load()
    # Returns before the program runs, which then begins and ends as at the top of its script.
    if do := _serve(socket.socket(fileno=int(sys.argv[1]))):
        do()

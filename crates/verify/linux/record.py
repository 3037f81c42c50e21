"""Records experiments with a Linux kernel in virtual time: python record.py [--only NAME ...].

Needs a Debian machine (apt-get, dpkg, gcc) and some hundred megabytes. See docs/method/linux.md.
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import experiment
import guest
import recording

HERE = Path(__file__).parent
SUITES = {"6.1": "bookworm", "6.12": "bookworm-backports", "7.3": "trixie-backports"}
"""Suites of Debian that have these kernels."""
TOGETHER = 6
"""Recordings of one boot, which takes longer than most experiments."""
COMMAND_LINE = (
    "console=ttyS0 quiet nokaslr tsc=reliable no_timer_check mitigations=off "
    "random.trust_cpu=off audit=0 selinux=0 apparmor=0 panic=-1 no_hash_pointers"
)


def boots(
    wanted: list[tuple[experiment.Experiment, float]],
) -> Iterator[list[tuple[experiment.Experiment, float]]]:
    """Divide recordings among guests: an experiment with several offsets has a guest for each."""
    shared: dict[tuple[str, int], list[tuple[experiment.Experiment, float]]] = {}
    for each, offset in wanted:
        pool = each.kernel, each.offsets_ms.index(offset)
        shared.setdefault(pool, []).append((each, offset))
        if len(shared[pool]) == TOGETHER:
            yield shared.pop(pool)
    yield from shared.values()


class GuestDied(Exception):
    """A guest that has not recorded anything, with the reason and what its console says."""


def run(machine: guest.Guest, commands: str, folder: Path, limit: float) -> Path:
    """Run the guest in virtual time with a script, and return the folder of what it wrote.

    With `-icount shift=0,sleep=off` an instruction takes a nanosecond and an idle guest jumps to
    its next timer, so the load of this machine cannot reach the results. Without `-cx16`, now and
    then a guest dies in an instruction (cmpxchg16b) that QEMU 7.2 gets wrong.
    """
    (folder / "experiment.sh").write_text(commands)
    archive = subprocess.run(
        [machine.root / "bin/busybox", "cpio", "-o", "-H", "newc"],
        cwd=folder,
        input=b"experiment.sh\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout
    first = machine.initrd.read_bytes()
    padding = bytes(
        -len(first) % 4
    )  # the kernel looks for the second archive at multiples of four only
    (folder / "initrd").write_bytes(first + padding + archive)
    with (folder / "disk").open("wb") as disk:
        disk.truncate(1 << 30)
    command = [
        machine.root / "usr/bin/qemu-system-x86_64",
        "-L",
        machine.root / "usr/share/qemu",
        "-L",
        machine.root / "usr/share/seabios",
        "-M",
        "pc,usb=off",
        "-accel",
        "tcg,thread=single",
        "-icount",
        "shift=0,sleep=off,align=off",
        "-cpu",
        "qemu64,-cx16",
        "-seed",
        "1",
        "-m",
        "2048",
        "-smp",
        "1",
        "-nodefaults",
        "-no-user-config",
        "-no-reboot",
        "-display",
        "none",
        "-rtc",
        "base=2024-01-01,clock=vm",
        "-serial",
        f"file:{folder}/console",
        "-drive",
        f"if=none,id=disk,file={folder}/disk,format=raw",
        "-device",
        "nvme,drive=disk,serial=1",
        "-kernel",
        machine.kernel,
        "-initrd",
        folder / "initrd",
        "-append",
        COMMAND_LINE,
    ]
    try:
        subprocess.run(
            [str(word) for word in command], env=machine.environment, timeout=limit, check=True
        )
    except subprocess.SubprocessError as failure:
        raise GuestDied(reason(failure, folder)) from failure
    written = folder / "out"
    with (folder / "disk").open("rb") as disk:
        if disk.read(1) != b"\0":
            with tarfile.open(folder / "disk", "r:") as archive:
                archive.extractall(written, filter="data")
    if not any(written.glob("*/discipline")):
        raise GuestDied(reason("it has written nothing", folder))
    return written


def reason(why: object, folder: Path) -> str:
    """Why a guest has failed, and the beginning of its console."""
    why = f"not done after {why.timeout:g} s" if isinstance(why, subprocess.TimeoutExpired) else why
    console = folder / "console"
    said = console.read_text(errors="replace")[:1000] if console.exists() else ""
    return f"{why}; its console begins:\n{said}"


def main() -> None:
    """Record what is asked for, or what has no recording yet."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="experiments to record, again if they are recorded",
    )
    options.add_argument(
        "--cache",
        type=Path,
        default=Path.home() / ".cache/longfat-linux",
        help="folder of the guests",
    )
    options.add_argument("--keep", type=Path, help="folder that gets what the guest wrote")
    options.add_argument(
        "--limit", type=float, default=1800, help="seconds of this machine for an experiment [1800]"
    )
    chosen = options.parse_args()
    experiments = experiment.read()
    for each in experiments:
        aside = experiment.set_aside(each.name)
        if each.held_out != aside:
            sys.exit(
                f"{each.name}: by the rule in experiments.toml, held_out is {str(aside).lower()}"
            )
    unknown = set(chosen.only or []) - {each.name for each in experiments}
    if unknown:
        sys.exit(f"experiments.toml has no {', '.join(sorted(unknown))}")
    wanted = [
        (each, offset)
        for each in experiments
        for offset in each.offsets_ms
        if (each.name in chosen.only if chosen.only else not recording.path(each, offset).exists())
    ]
    guests: dict[str, guest.Guest] = {}
    died = False
    for boot in boots(wanted):
        kernel = boot[0][0].kernel
        if kernel not in guests:
            guests[kernel] = guest.build(chosen.cache.absolute(), kernel, SUITES[kernel])
        commands = "".join(
            experiment.script(each, offset).replace("/out/", f"/out/{place}/")
            for place, (each, offset) in enumerate(boot)
        )
        with tempfile.TemporaryDirectory() as place:
            try:
                limit = chosen.limit * len(boot)
                written = run(guests[kernel], commands, Path(place), limit)
            except GuestDied as death:
                names = ", ".join(each.name for each, _ in boot)
                print(f"{names}: no results of the guest: {death}", flush=True)
                died = True
                continue
            for number, (each, offset) in enumerate(boot):
                into = recording.path(each, offset)
                try:
                    text = recording.text(each, offset, guests[kernel].facts, written / str(number))
                except (OSError, ValueError) as mistake:
                    print(f"{into.name}: not recorded: {mistake}", flush=True)
                    died = True
                    continue
                into.write_text(text)
                print(f"{into.name}: {len(text) / 1000:.0f} kB", flush=True)
            if chosen.keep:
                shutil.copytree(written, chosen.keep / boot[0][0].name, dirs_exist_ok=True)
    sys.exit(1 if died else 0)


if __name__ == "__main__":
    main()

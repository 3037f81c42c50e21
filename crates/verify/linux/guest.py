"""Builds a guest of Debian packages: a kernel with its modules, busybox, ip, tc and the probe."""

import gzip
import lzma
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
MODULES = [
    "veth",
    "nvme",
    *(
        f"sch_{name}"
        for name in [
            "netem",
            "tbf",
            "fq",
            "codel",
            "fq_codel",
            "fq_pie",
            "pie",
            "red",
            "cake",
            "sfq",
            "choke",
        ]
    ),
    *(
        f"tcp_{name}"
        for name in [
            "cubic",
            "bbr",
            "bic",
            "cdg",
            "dctcp",
            "highspeed",
            "htcp",
            "hybla",
            "illinois",
            "lp",
            "nv",
            "scalable",
            "vegas",
            "veno",
            "westwood",
            "yeah",
        ]
    ),
]
"""Modules of the kernel that experiments may need; each brings those it depends on."""
LIBRARIES = Path("usr/lib/x86_64-linux-gnu")


@dataclass(frozen=True)
class Guest:
    """What QEMU starts."""

    root: Path
    kernel: Path
    initrd: Path
    facts: dict[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """The environment in which the unpacked programs find their libraries."""
        found = [self.root / LIBRARIES, self.root / "lib/x86_64-linux-gnu"]
        return os.environ | {"LD_LIBRARY_PATH": ":".join(map(str, found))}


def output(*command: str | Path, **options: object) -> str:
    """Run a command and return what it prints."""
    return subprocess.run(
        [str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, **options
    ).stdout


def build(folder: Path, series: str, suite: str) -> Guest:
    """Build below `folder` the guest with the newest cloud kernel of a suite of Debian.

    Nothing is installed: packages are downloaded and unpacked. Needs apt-get, dpkg and gcc.
    """
    host = folder / "host"
    if not (host / "versions").exists():
        _host(host)
    place = folder / series
    if not (place / "versions").exists():
        _kernel(place, suite)
    facts = dict(
        line.split(" ", 1)
        for side in [host, place]
        for line in (side / "versions").read_text().splitlines()
    )
    kernel = next((place / "root").rglob("vmlinuz*"))
    return Guest(host / "root", kernel, _initrd(place, host), facts)


def _host(folder: Path) -> None:
    """Fetch QEMU with its modules and firmware, the libraries that this machine lacks, and busybox.

    A machine on which QEMU is installed lacks neither modules nor firmware, but the unpacked QEMU
    looks for both beside itself.
    """
    packages = folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    simulated = output(
        "apt-get", "install", "--simulate", "--no-install-recommends", "qemu-system-x86"
    )
    needed = re.findall(r"^Inst (\S+)", simulated, re.MULTILINE)
    names = ["busybox-static", "iproute2", "qemu-system-x86", "qemu-system-common"]
    names += ["qemu-system-data", "seabios"]
    names += [name for name in needed if name not in names]
    output("apt-get", "download", "-qq", *names, cwd=packages)
    _unpack(packages, folder)
    _versions(packages, folder, {"qemu-system-x86": "qemu", "iproute2": "iproute2"})


def _kernel(folder: Path, suite: str) -> None:
    """Fetch the kernel and its modules from a suite that this machine need not use itself."""
    packages = folder / "packages"
    for each in ["lists/partial", "cache/archives/partial", "packages"]:
        (folder / each).mkdir(parents=True, exist_ok=True)
    targets = output(
        "apt-get", "indextargets", "--format", "$(ORIGIN)|$(REPO_URI)", "Created-By: Packages"
    )
    archive = next(
        uri
        for origin, uri in (line.split("|") for line in targets.splitlines())
        if origin == "Debian" and "security" not in uri
    )
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources.list").write_text(f"deb [signed-by={keys}] {archive} {suite} main\n")
    private = [
        "-o",
        f"Dir::Etc::sourcelist={folder}/sources.list",
        "-o",
        "Dir::Etc::sourceparts=/dev/null",
        "-o",
        f"Dir::State::lists={folder}/lists",
        "-o",
        f"Dir::Cache={folder}/cache",
    ]
    output("apt-get", *private, "-qq", "update")
    names = ["linux-image-cloud-amd64"]
    for name in names:  # grows: newer kernels are divided into packages
        depends = output("apt-cache", *private, "depends", name)
        found = re.findall(
            r"^  Depends: (linux-(?:image|binary|modules)-\S+)$", depends, re.MULTILINE
        )
        names += [each for each in found if each not in names]
    output("apt-get", *private, "download", "-qq", *names[1:], cwd=packages)
    _unpack(packages, folder)
    _versions(packages, folder, dict.fromkeys(names, "kernel"))


def _unpack(packages: Path, folder: Path) -> None:
    for package in sorted(packages.glob("*.deb")):
        output("dpkg", "-x", package, folder / "root")


def _versions(packages: Path, folder: Path, keys: dict[str, str]) -> None:
    lines = set()
    for package in packages.glob("*.deb"):
        name, version = output("dpkg-deb", "-W", package).split()
        if name in keys:
            lines.add(f"{keys[name]} Debian {version}\n")
    (folder / "versions").write_text("".join(sorted(lines)))


def _initrd(folder: Path, host: Path) -> Path:
    """Pack the guest's files: programs, libraries, modules in the order in which they load."""
    files = folder / "files"
    shutil.rmtree(files, ignore_errors=True)
    for each in [
        "bin",
        "modules",
        "proc",
        "sys",
        "dev",
        "tmp",
        "run",
        "out",
        "etc",
        "lib64",
        "lib/x86_64-linux-gnu",
    ]:
        (files / each).mkdir(parents=True)
    shutil.copy(host / "root/bin/busybox", files / "bin")
    output(
        "gcc",
        "-O2",
        "-Wall",
        "-Werror",
        "-static",
        "-pthread",
        "-o",
        files / "bin/probe",
        HERE / "guest/probe.c",
    )
    where = f"{host}/root/{LIBRARIES}:{host}/root/lib/x86_64-linux-gnu"
    for tool in ["ip", "tc"]:
        program = next(host.glob(f"root/**/sbin/{tool}"))
        shutil.copy(program, files / "bin" / f"{tool}.iproute2")
        libraries = output("ldd", program, env=os.environ | {"LD_LIBRARY_PATH": where})
        for library in re.findall(r"=> (/\S+)", libraries):
            shutil.copy(library, files / "lib/x86_64-linux-gnu")
    shutil.copy("/lib64/ld-linux-x86-64.so.2", files / "lib64")
    shutil.copy(HERE / "guest/init", files)
    (files / "init").chmod(0o755)
    order: list[str] = []
    available = {
        path.name.split(".ko")[0].replace("-", "_"): path
        for path in (folder / "root").glob("**/kernel/**/*.ko*")
    }
    for module in MODULES:
        _module(module, available, files / "modules", order)
    (files / "modules/order").write_text("\n".join(order) + "\n")
    names = "\n".join(str(path.relative_to(files)) for path in sorted(files.rglob("*")))
    archive = subprocess.run(
        [host / "root/bin/busybox", "cpio", "-o", "-H", "newc"],
        cwd=files,
        input=names.encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    ).stdout
    initrd = folder / "initrd.gz"
    initrd.write_bytes(gzip.compress(archive, 1))
    return initrd


def _module(name: str, available: dict[str, Path], into: Path, order: list[str]) -> None:
    """Unpack a module after those that it depends on, unless it is built in or missing."""
    path = available.get(name)
    if path is None or name in order:
        return
    content = path.read_bytes()
    if path.suffix == ".xz":
        content = lzma.decompress(content)
    depends = re.search(rb"\0depends=([^\0]*)\0", content)
    for other in (depends[1].decode() if depends else "").split(","):
        _module(other.replace("-", "_"), available, into, order)
    (into / f"{name}.ko").write_bytes(content)
    order.append(name)

"""File systems on which SQLite would lose data: those that other machines share."""

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

SHARED_BY_NETWORK = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fhgfs", "fuse.ceph", "fuse.glusterfs",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
        "orangefs", "panfs", "pvfs2", "smb3", "smbfs", "wekafs",
    }
)  # fmt: skip
"""As Linux names them. Their locks, and the shared memory of SQLite's write-ahead log, do not
reach from machine to machine (https://www.sqlite.org/wal.html, section 1)."""


def network_file_system(path: Path, mounts: str | None = None) -> str | None:
    """The kind of network file system that a path is on; None for a local one.

    `mounts` is the text of ``/proc/self/mountinfo``, read when it is not given; where there is
    none (not Linux), nothing is found.
    """
    if mounts is None:
        try:
            mounts = MOUNTS.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
    resolved = path.resolve()
    kind, depth = None, -1
    for line in mounts.splitlines():
        point, mounted = _mount(line)
        # Of mounts on the same point the last one hides the others.
        if resolved.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = mounted, len(point.parts)
    return kind if kind in SHARED_BY_NETWORK else None


def _mount(line: str) -> tuple[Path, str]:
    """Mount point and kind of a line of mountinfo, see proc_pid_mountinfo(5)."""
    before, _, after = line.partition(" - ")
    point = before.split(" ")[4]
    for character in " \t\n\\":  # written as \040 and so on
        point = point.replace(f"\\{ord(character):03o}", character)
    return Path(point), after.split(" ")[0]

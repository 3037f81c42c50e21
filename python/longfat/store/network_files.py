"""Detection of network file systems, on which SQLite can lose data."""

from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")

SHARED_BY_NETWORK = frozenset(
    {
        "9p", "afs", "beegfs", "ceph", "cifs", "davfs", "fhgfs", "fuse.ceph", "fuse.glusterfs",
        "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
        "orangefs", "panfs", "pvfs2", "smb3", "smbfs", "wekafs",
    }
)  # fmt: skip
"""Network file systems by their Linux names.

Their locks, and the shared memory of SQLite's write-ahead log, do not work across machines
(https://www.sqlite.org/wal.html, section 1).
"""


def network_file_system(path: Path, mounts: str | None = None) -> str | None:
    """Return the kind of network file system that holds a path; None for a local one.

    `mounts` is the text of ``/proc/self/mountinfo``, by default read from there; without it (not
    Linux) returns None.
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
        # The last mount at a mount point hides the others.
        if resolved.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = mounted, len(point.parts)
    return kind if kind in SHARED_BY_NETWORK else None


def _mount(line: str) -> tuple[Path, str]:
    """Parse the mount point and the kind from a line of mountinfo, see proc_pid_mountinfo(5)."""
    before, _, after = line.partition(" - ")
    point = before.split(" ")[4]
    for character in " \t\n\\":  # written as \040 and so on
        point = point.replace(f"\\{ord(character):03o}", character)
    return Path(point), after.split(" ")[0]

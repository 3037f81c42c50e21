from pathlib import Path

import pytest

from longfat.store.network_files import network_file_system

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:5 / /home rw,relatime - nfs4 server:/home rw,vers=4.2
23 22 8:2 / /home/ada/fast rw - xfs /dev/sdb1 rw
24 21 0:6 / /scratch rw master:3 propagate_from:2 - lustre mds@tcp:/scratch rw
25 21 0:7 / /a\\040b rw - cifs //server/share rw
26 21 0:8 / /twice rw - nfs x rw
27 26 8:3 / /twice rw - ext4 /dev/sdc1 rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/tmp/longfat.db", None),
        ("/home/ada/longfat.db", "nfs4"),
        ("/home/ada/fast/longfat.db", None),
        ("/homestead/longfat.db", None),
        ("/scratch/longfat.db", "lustre"),
        ("/a b/longfat.db", "cifs"),
        ("/twice/longfat.db", None),
    ],
)
def test_the_nearest_mount_decides(path: str, kind: str | None) -> None:
    assert network_file_system(Path(path), MOUNTS) == kind


def test_this_machine_can_be_asked(tmp_path: Path) -> None:
    assert network_file_system(tmp_path / "store.db") is None

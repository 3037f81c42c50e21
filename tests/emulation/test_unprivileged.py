"""Who is not root has hosts in a user namespace, and no real-time priority."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.emulation.conftest import Line

PROGRAM = Path(sys.executable).with_name("longfat")

AS_USER = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
"""Another user, whom the kernel lets read the files of the one who runs the tests."""


def is_allowed() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run([*AS_USER, "unshare", "--user", "--net", "true"], capture_output=True)
    return tried.returncode == 0


@pytest.mark.usefixtures("namespaces")
@pytest.mark.skipif(not is_allowed(), reason="this machine allows no user namespaces in one")
def test_no_rights_are_needed_but_for_the_priority(line: Line, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    look = f"cat /proc/self/uid_map /proc/net/dev > {seen}"
    command = [*AS_USER, str(PROGRAM), "emulate", str(line()), "--json", "--", "sh", "-c", look]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    account = json.loads(ended.stdout)["emulation"]
    assert account["scheduling"]["policy"] == "normal"
    assert "real-time priority: not permitted" in account["remarks"][0]
    assert "longfat:" in seen.read_text()

"""Commands of tests that start from a process with libraries end as installed ones do."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.started import Starter
from tests.support import Longfat


@pytest.mark.parametrize(
    "arguments",
    [["--version"], ["check", "scenario.toml"], ["check", "none.toml"], ["run", "\udcff\n"]],
)
def test_a_command_prints_and_exits_as_the_installed_one(
    longfat: Longfat, program: Path, scenario_file: Path, arguments: list[str]
) -> None:
    here = scenario_file.parent
    installed = subprocess.run(
        [program, *arguments], cwd=here, capture_output=True, text=True, check=False
    )
    assert vars(longfat(*arguments)) == {**vars(installed), "args": [str(program), *arguments]}


def test_what_hangs_is_ended(starter: Starter, tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        starter.run(["view", "--port", "0"], tmp_path, dict(os.environ), 0.1)
    done = starter.run(["--version"], tmp_path, dict(os.environ), 60)
    assert done.returncode == 0

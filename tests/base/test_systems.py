import sys

import pytest

from longfat.base.errors import LongfatError
from longfat.base.systems import need_linux, need_posix


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_verbs_that_need_linux_say_so_elsewhere(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(LongfatError, match=f"^some verb needs Linux, and this is {platform}; "):
        need_linux("some verb")


def test_the_view_says_that_it_is_not_for_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(LongfatError, match=r"^longfat view needs Linux or macOS; on Windows"):
        need_posix("longfat view")


def test_linux_has_everything() -> None:
    need_linux("some verb")
    need_posix("some verb")

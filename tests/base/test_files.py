import os
import threading
from pathlib import Path

import pytest

from longfat.base.errors import LongfatError
from longfat.base.files import read_bytes, read_text, written_whole


def write_half(page: Path) -> None:
    with written_whole(page) as temporary:
        temporary.write_text("half")
        raise RuntimeError


def test_a_file_is_replaced_only_when_all_is_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("old")
    with pytest.raises(RuntimeError):
        write_half(page)
    assert page.read_text() == "old"
    with written_whole(page) as temporary:
        temporary.write_text("new")
    assert page.read_text() == "new"
    assert list(tmp_path.iterdir()) == [page]


def test_a_file_may_be_read_by_whom_the_mask_of_the_process_lets(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with written_whole(tmp_path / "page.md") as temporary:
            temporary.write_text("for the group")
    finally:
        os.umask(before)
    assert (tmp_path / "page.md").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    link = tmp_path / "link.md"
    link.symlink_to("page.md")
    for text in ("new", "newer"):
        with written_whole(link) as temporary:
            temporary.write_text(text)
        assert link.is_symlink()
        assert (tmp_path / "page.md").read_text() == text


def test_a_pipe_gets_what_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with written_whole(pipe) as temporary:
        temporary.write_text("page")
    reader.join()
    assert read == ["page"]
    assert pipe.is_fifo()


def test_a_file_that_nobody_may_write_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("old")
    page.chmod(0o444)
    with pytest.raises(LongfatError, match=r"page.md: read-only"):
        write_half(page)
    assert page.read_text() == "old"


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    page = tmp_path / "nowhere" / "page.md"
    with pytest.raises(LongfatError, match=r"page.md: there is no folder .*"), written_whole(page):
        pass


@pytest.mark.parametrize("name", ["absent", "folder", "zero\0byte"])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(LongfatError, match="absent|folder|zero"):
        read_bytes(tmp_path / name)


def test_broken_utf8_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(b"ab\xff")
    with pytest.raises(LongfatError, match="not UTF-8 text .byte 2."):
        read_text(tmp_path / "page")

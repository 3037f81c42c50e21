"""Tables for people."""

import sys

import pytest

from longfat.cli import talk
from longfat.report import table

ROWS = [["wan", "1", "0.88 - 1.00", "█▉"], ["geö", "-20,000", "", "x"]]
HEADER = ["link", "buffer, cells", "range", "bar"]


def test_a_table_that_fits_looks_as_rich_makes_it(capsys: pytest.CaptureFixture[str]) -> None:
    talk.print_table(HEADER, ROWS, title="A table")
    ours = capsys.readouterr().out
    numeric = [False, True, False, False]
    talk.print_wrapped(HEADER, ROWS, numeric, table.PIPE_WIDTH, "A table")
    assert ours == capsys.readouterr().out


def test_a_table_that_does_not_fit_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    talk.print_table(["what"], [["many words " * 40]])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 4
    assert max(map(len, lines)) <= table.PIPE_WIDTH


def test_a_table_that_fits_does_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.table", None)
    talk.print_table(["link", "n"], [["wan", "1"]])

"""Text tables."""

import sys

import pytest

from longfat.cli import talk
from longfat.report import table

ROWS = [["wan", "1", "0.88 - 1.00", "█▉"], ["geö", "-20,000", "", "x"]]
HEADER = ["link", "buffer, cells", "range", "bar"]


def test_a_table_that_fits_looks_as_rich_makes_it(capsys: pytest.CaptureFixture[str]) -> None:
    talk.print_table(HEADER, ROWS, title="A table")
    ours = capsys.readouterr().out
    talk.print_wrapped(HEADER, ROWS, table.PIPE_WIDTH, "A table")
    assert ours == capsys.readouterr().out


def test_a_table_that_does_not_fit_is_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    talk.print_table(["what"], [["many words " * 40]])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 4
    assert max(map(len, lines)) <= table.PIPE_WIDTH


def test_a_table_that_fits_does_without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.table", None)
    talk.print_table(["link", "n"], [["wan", "1"]])


FLOWS = ["name", "goodput bps", "segments retransmitted", "duplicate acknowledgments", "interval"]
FLOW_ROWS = [
    ["flow 1", "13,807,356", "692", "14,567", "(0.673, 0.796)"],
    ["flow 2", "1,951,518", "5,571", "5,336", "(0.016, 0.109)"],
]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_narrow_terminal_gets_every_number_whole_and_rows_that_say_what_they_are_about(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(talk, "width_of_output", lambda: width)
    talk.print_table(FLOWS, FLOW_ROWS, title="flows")
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    for row in FLOW_ROWS:
        own = [line for line in lines if row[0] in line]
        assert own
        assert [cell for cell in row[1:] if any(cell in line for line in own)] == row[1:]


def test_parts_of_a_wide_table_have_all_columns_that_name_a_row() -> None:
    header = ["buffer", "queue", "deterministic", "mean", "range"]
    rows = [["4 BDP", "codel", "0.81", "0.87", "0.81 - 0.92"]]
    numeric = table.numeric_columns(header, rows)
    parts = table.parts_that_fit(header, rows, numeric, 40, names=2)
    assert [list(part) for part in parts] == [[0, 1, 2], [0, 1, 3, 4]]
    assert all(table.width_of_line(part.values()) <= 40 for part in parts)


def test_short_names_of_rows_stay_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "width_of_output", lambda: 48)
    rows = [[f"flow {number}", *["123,456,789"] * 4] for number in (1, 2)]
    talk.print_table(["name", *"abcd"], rows)
    lines = capsys.readouterr().out.splitlines()
    assert all("flow 1" in line or "flow 2" in line for line in lines if "flow" in line)
    assert max(map(len, lines)) <= 48


def test_what_no_terminal_has_room_for_is_printed_all_the_same(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "width_of_output", lambda: 5)
    talk.print_table(["n"], [["123456789"]])
    assert "123456789" in capsys.readouterr().out


def test_a_word_that_is_longer_than_its_column_goes_on_in_the_next_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "width_of_output", lambda: 40)
    talk.print_table(["trace", "shows"], [["selective-acknowledgments", "blocks " * 9]])
    assert "…" not in capsys.readouterr().out


ENTRIES = ["config", "sources", "buffer", "policy", "paper", "deterministic", "mean", "range", "n"]
ENTRY_ROWS = [
    ["lan", "5", "1000 cells", "ubr", "0.21", "0.32", "0.12", "0.09 - 0.16", "2"],
    ["lan", "5", "1000 cells", "selective-drop", "0.75", "0.56", "0.69", "0.68 - 0.70", "2"],
]


@pytest.mark.parametrize("width", [60, 80])
def test_names_that_all_rows_share_stand_above_a_table_that_has_no_room_for_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(talk, "width_of_output", lambda: width)
    talk.print_table(ENTRIES, ENTRY_ROWS, title="Table 2", names=4)
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert "Table 2; config lan, sources 5, buffer 1000 cells" in " ".join(text.split())
    assert [line.split() for line in lines if line.split()[:1] == ["ubr"]] == [
        ["ubr", "0.21", "0.32", "0.12", "0.09", "-", "0.16", "2"]
    ]


def test_one_of_the_names_is_left_to_tell_rows_apart() -> None:
    assert table.shared_names(["a", "b"], [["x", "y"], ["x", "y"]], 2) == {0: "a x"}
    assert table.shared_names(["a", "b"], [["x", "y"]], 2) == {}

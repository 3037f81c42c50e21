"""Traces with more rows than are read or drawn at once."""

import polars as pl
import pytest

from longfat import traces as reading
from longfat.base.errors import LongfatError
from tests.traces.conftest import Watched


def test_a_trace_to_be_drawn_keeps_its_extremes_in_fewer_rows(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, column in (("cwnd", "cwnd_bytes"), ("queue", "cells"), ("rtt", "rtt_s")):
        whole = watched.exact.table(name)
        monkeypatch.setattr(reading, "MOST_ROWS_DRAWN", whole.height // 3)
        monkeypatch.setattr(reading, "_ROWS_AT_ONCE", whole.height // 2)
        drawn = watched.exact.thinned(name)
        assert 0 < drawn.height <= 2 * (whole.height // 3)
        assert drawn.columns == whole.columns
        assert drawn["time_ps"].is_sorted() or not whole["time_ps"].is_sorted()
        assert drawn.join(whole, on=whole.columns, how="anti").height == 0
        assert drawn[column].max() == whole[column].max()


def test_of_events_to_be_drawn_each_nth_is_kept_and_counts_are_all_there(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = watched.exact.rows("drops")
    assert rows == watched.exact.table("drops").height > 10
    monkeypatch.setattr(reading, "MOST_ROWS_DRAWN", 5)
    assert watched.exact.thinned("drops").height <= 2 * 5
    throughput = watched.exact.thinned("throughput")
    assert throughput.equals(watched.exact.table("throughput"))


def test_what_does_not_fit_memory_is_not_read(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_ROWS", 100)
    for name in ("segments", "throughput"):
        with pytest.raises(LongfatError, match=f"'{name}' has [0-9,]+ rows, and at most 100"):
            watched.exact.table(name)
    few = watched.exact.table("path")
    assert isinstance(few, pl.DataFrame)

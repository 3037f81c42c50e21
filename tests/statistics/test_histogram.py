from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longfat import load_scenario, run
from longfat.statistics.histogram import Histogram

WWW = """\
schema_version = 1
duration = "30 s"
topology = { kind = "n-source", sources = 4, access.delay = "5 us", bottleneck.delay = "5 ms" }
port.buffer = "1062 cells"
traffic = { kind = "www", interval = "5 s" }
"""


def counted(times: list[int]) -> Histogram:
    """A histogram on the engine's grid, by its description rather than by its code."""
    bins: dict[tuple[int, int], int] = {}
    for time in times:
        width = max(1, 2 ** (time.bit_length() - 8)) if time else 1
        lower = time - time % width
        bins[lower, lower + width] = bins.get((lower, lower + width), 0) + 1
    extremes = (min(times), max(times)) if times else (None, None)
    return Histogram(len(times), sum(times), extremes[0], extremes[1], bins)


def completions(folder: Path) -> dict[str, Any]:
    file = folder / "www.toml"
    file.write_text(WWW)
    return {kind["name"]: kind for kind in run(load_scenario(file))["completions"]}


def test_the_bins_of_a_run_are_on_the_grid_that_is_documented(tmp_path: Path) -> None:
    for kind in completions(tmp_path).values():
        histogram = Histogram.of(kind["times"])
        assert sum(histogram.bins.values()) == histogram.count == kind["delivered"]
        for lower, upper in histogram.bins:
            assert counted([lower]).bins == counted([upper - 1]).bins == {(lower, upper): 1}


def test_pages_take_longer_than_files(tmp_path: Path) -> None:
    kinds = completions(tmp_path)
    pages = Histogram.of(kinds.pop("page")["times"])
    files = reduce(
        Histogram.__add__, (Histogram.of(kind["times"]) for kind in kinds.values()), Histogram()
    )
    assert files.count > pages.count > 10
    assert pages.quantile_seconds(0.5) > files.quantile_seconds(0.5) > 0.01


times = st.lists(st.integers(0, 10**9), max_size=60)


@given(times, times)
def test_a_sum_is_the_histogram_of_all_times_together(first: list[int], second: list[int]) -> None:
    assert counted(first) + counted(second) == counted(first + second)
    assert counted(second) + counted(first) == counted(first + second)


@given(times.filter(len), st.integers(0, 100))
@example(list(range(1, 101)), 7)  # 0.07 * 100 is 7.000000000000001
def test_a_quantile_is_within_a_256th_of_that_of_the_times(found: list[int], percent: int) -> None:
    exact = next(
        time for place, time in enumerate(sorted(found), 1) if 100 * place >= percent * len(found)
    )
    quantile_us = counted(found).quantile_seconds(percent / 100) * 1e6
    assert quantile_us == pytest.approx(exact, rel=1 / 256)
    assert min(found) - 1e-6 <= quantile_us <= max(found) + 1e-6


@given(times.filter(len))
def test_the_distribution_function_rises_to_one_and_the_mean_is_exact(found: list[int]) -> None:
    histogram = counted(found)
    points = histogram.cumulative()
    assert points[-1][1] == 1
    assert all(x < y and p < q for (x, p), (y, q) in pairwise(points))
    assert histogram.mean_seconds == pytest.approx(sum(found) / len(found) / 1e6)


def test_nothing_has_no_mean_no_quantiles_and_no_distribution() -> None:
    for ask in (
        lambda: Histogram().mean_seconds,
        lambda: Histogram().quantile_seconds(0.5),
        lambda: Histogram().cumulative(),
    ):
        with pytest.raises(ValueError, match="a histogram of nothing"):
            ask()
    with pytest.raises(ValueError, match="a share is from 0 to 1, not 50"):
        counted([1]).quantile_seconds(50)

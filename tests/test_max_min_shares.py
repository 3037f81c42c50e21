"""The engine's progressive filling against linear programming, which knows nothing of filling."""

import itertools
from collections.abc import Sequence
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from longfat import max_min_shares

DIFFERENCE = 1e-7
"""Linear programs are solved in floating point, to about this."""


def by_linear_programming(capacity: float, demands: Sequence[float]) -> list[float]:
    """Max-min shares by their definition (Bertsekas and Gallager, Data Networks, 6.5.2).

    Raise the least share as far as it goes; whoever cannot have more without making another worse
    is settled; repeat with the others.
    """
    settled: dict[int, float] = {}
    while len(settled) < len(demands):
        open_ = [number for number in range(len(demands)) if number not in settled]
        level = _most(capacity, demands, settled, open_, 0.0, None)
        most = {n: _most(capacity, demands, settled, open_, level, n) for n in open_}
        stuck = [number for number in open_ if most[number] <= level + DIFFERENCE]
        assert stuck, "the least share could have been raised"
        settled |= dict.fromkeys(stuck, level)
    return [settled[number] for number in range(len(demands))]


def _most(
    capacity: float,
    demands: Sequence[float],
    settled: dict[int, float],
    open_: Sequence[int],
    level: float,
    number: int | None,
) -> float:
    """The most that one open share can be while all have `level`, or that all can be at once."""
    size = len(demands)
    objective = np.zeros(size + 1)  # the shares, and the least of them
    objective[size if number is None else number] = -1
    above = [[0.0] * (size + 1) for _ in open_]
    for row, share in zip(above, open_, strict=True):
        row[share], row[size] = -1.0, 1.0  # least - share <= 0
    bounds = [
        (settled[n], settled[n]) if n in settled else (0, None if demand == inf else demand)
        for n, demand in enumerate(demands)
    ]
    found = linprog(
        objective,
        A_ub=[[1.0] * size + [0.0], *above],
        b_ub=[capacity, *[0.0] * len(open_)],
        bounds=[*bounds, (max(0.0, level - DIFFERENCE / 10), None)],
    )
    assert found.status == 0, found.message
    return float(-found.fun)


demand = st.one_of(
    st.floats(0, 10), st.sampled_from([0.0, 0.0, 1.0, 2.5, inf]), st.integers(0, 5).map(float)
)


@settings(max_examples=60)
@given(st.floats(0, 20), st.lists(demand, min_size=1, max_size=6))
def test_progressive_filling_gives_what_linear_programs_give(
    capacity: float, demands: list[float]
) -> None:
    filled = max_min_shares(capacity, demands)
    assert filled == pytest.approx(by_linear_programming(capacity, demands), abs=1e-5)


def test_a_textbook_case_by_hand() -> None:
    assert max_min_shares(10, [8, 1, 2, 4, 9]) == pytest.approx([7 / 3, 1, 2, 7 / 3, 7 / 3])
    assert max_min_shares(6, [0, inf, 0, inf]) == [0, 3, 0, 3]


def test_the_order_of_demands_does_not_matter() -> None:
    demands = [3.0, 0.5, inf, 0.0]
    shares = dict(zip(demands, max_min_shares(4, demands), strict=True))
    for order in itertools.permutations(demands):
        assert max_min_shares(4, order) == [shares[demand] for demand in order]


@pytest.mark.parametrize(("capacity", "demands"), [(-1, [1]), (1, [-1]), (nan, [1]), (1, [nan])])
def test_what_is_no_rate_is_refused(capacity: float, demands: list[float]) -> None:
    with pytest.raises(ValueError, match="is no rate; capacity and demands are 0 or more"):
        max_min_shares(capacity, demands)

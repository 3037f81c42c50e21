import pytest

from longfat.analysis.experiment import Experiment, Observation, cross
from longfat.base.errors import LongfatError

FACTORS = {"flavor": ["reno", "sack"], "buffer": ["1", "2"]}
CELLS = [("reno", "1"), ("reno", "2"), ("sack", "1"), ("sack", "2")]


def rows(
    cells: list[tuple[str, str]], replications: tuple[str | None, ...] = (None,)
) -> list[Observation]:
    """Observations 0, 1, 2, ... of the cells, replication after replication."""
    return [
        Observation(cell, replication, float(number), f"line {number}")
        for number, (replication, cell) in enumerate(
            (replication, cell) for replication in replications for cell in cells
        )
    ]


def crossed(observations: list[Observation], matched: bool = False) -> Experiment:
    return cross("efficiency", FACTORS, observations, matched)


def test_observations_are_put_in_the_order_of_the_levels_whatever_their_own() -> None:
    found = crossed(list(reversed(rows(CELLS))))
    assert found.values[..., 0].tolist() == [[0, 1], [2, 3]]
    assert found.replications == 1


def test_replications_are_put_in_order_of_their_numbers() -> None:
    found = crossed(rows(CELLS, ("10", "9")))
    assert found.values[0, 0].tolist() == [4, 0]


def test_a_missing_combination_is_named() -> None:
    with pytest.raises(LongfatError, match=r"1 of 4 combinations have no value:\n\(sack, 1\)"):
        crossed(rows([CELLS[0], CELLS[1], CELLS[3]]))


def test_fewer_replications_than_elsewhere_are_named() -> None:
    observations = [*rows(CELLS, ("1", "2")), Observation(CELLS[0], "3", 5, "line 9")]
    with pytest.raises(LongfatError, match=r"not balanced.*\n\(reno, 2\): 2 of 3"):
        crossed(observations)


def test_the_same_replication_twice_hints_at_a_missing_factor() -> None:
    observations = [*rows(CELLS, ("1",)), Observation(CELLS[2], "1", 5, "line 9")]
    expected = r"line 9: \(sack, 1\), replication 1 stands already in line 2; is a factor missing"
    with pytest.raises(LongfatError, match=expected):
        crossed(observations)


def test_blocks_need_the_same_replications_everywhere() -> None:
    observations = rows(CELLS[:3], ("1", "2")) + rows(CELLS[3:], ("1", "3"))
    assert crossed(observations).replications == 2
    with pytest.raises(LongfatError, match=r"bear other names than those of:\n\(sack, 2\)"):
        crossed(observations, matched=True)


def test_blocks_need_replications_that_can_be_distinguished() -> None:
    with pytest.raises(LongfatError, match="--replication COLUMN"):
        crossed(rows(CELLS, (None, None)), matched=True)


def test_a_factor_with_one_level_has_nothing_to_compare() -> None:
    with pytest.raises(LongfatError, match="factor 'flavor' has one level \\(reno\\)"):
        cross("y", {"flavor": ["reno"], "buffer": ["1", "2"]}, rows(CELLS[:2]))


@pytest.mark.parametrize("value", [0.0, 0.1, -3e20])
def test_a_constant_response_has_no_variation_to_allocate(value: float) -> None:
    observations = [Observation(cell, None, value, "") for cell in CELLS]
    with pytest.raises(LongfatError, match=r"in all 4 observations: there is no variation"):
        crossed(observations)


def test_values_that_differ_by_round_off_are_constant() -> None:
    values = [0.3, 0.1 + 0.2, 0.3, 0.3]
    observations = [
        Observation(cell, None, value, "") for cell, value in zip(CELLS, values, strict=True)
    ]
    with pytest.raises(LongfatError, match="4 observations but for round-off: there is no variat"):
        crossed(observations)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_values_whose_squares_no_number_holds_are_refused(size: float) -> None:
    observations = [
        Observation(cell, None, size * number, "") for number, cell in enumerate(CELLS, start=1)
    ]
    with pytest.raises(LongfatError, match="choose another unit"):
        crossed(observations)


def test_many_missing_combinations_are_counted() -> None:
    factors = {"a": [str(level) for level in range(10)], "b": ["1", "2"]}
    observations = [Observation((str(level), "1"), None, level, "") for level in range(10)]
    with pytest.raises(LongfatError, match=r"(?s)10 of 20 combinations.*and 5 more") as error:
        cross("y", factors, observations)
    assert len(str(error.value).splitlines()) == 1 + 5 + 1 + 1

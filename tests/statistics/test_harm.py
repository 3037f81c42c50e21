import pytest

from longfat.statistics.harm import harm_to_less_is_better, harm_to_more_is_better


def test_harm_is_the_part_that_is_lost_of_what_there_is_alone() -> None:
    assert harm_to_more_is_better(alone=20e6, beside=5e6) == pytest.approx(0.75)
    assert harm_to_less_is_better(alone=0.1, beside=0.4) == pytest.approx(0.75)


def test_there_is_no_harm_where_nothing_changes_and_all_of_it_where_nothing_is_left() -> None:
    assert harm_to_more_is_better(3, 3) == harm_to_less_is_better(3, 3) == 0
    assert harm_to_more_is_better(3, 0) == 1


def test_who_is_better_off_beside_another_suffers_less_than_none() -> None:
    assert harm_to_more_is_better(alone=4, beside=5) == pytest.approx(-0.25)
    assert harm_to_less_is_better(alone=5, beside=4) == pytest.approx(-0.25)


def test_without_anything_to_lose_there_is_no_number() -> None:
    with pytest.raises(ValueError, match="what there is alone, which is 0"):
        harm_to_more_is_better(0, 1)
    with pytest.raises(ValueError, match="the time beside the other, which is 0"):
        harm_to_less_is_better(1, 0)

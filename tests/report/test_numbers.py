import pytest

from longfat.base.numbers import (
    counted,
    formatted,
    formatted_range,
    formatted_seconds,
    formatted_share,
    significant,
)


def test_a_count_of_one_is_singular() -> None:
    assert counted(1, "claim") == "1 claim"
    assert counted(0, "claim") == "0 claims"
    assert counted(1200, "replication") == "1,200 replications"


def test_numbers_keep_the_digits_that_say_something() -> None:
    assert formatted(0.123) == "0.12"
    assert formatted(0.1235, decimals=3) == "0.123"
    assert formatted(14.0, decimals=3) == "14.0"
    assert formatted(196203.4) == "196,203"
    assert formatted(None) == "-"
    assert formatted_range(0.1, 0.25) == "0.10 - 0.25"
    assert formatted_range(None, None) == "-"
    assert formatted_share(0.5) == "50%"
    assert formatted_share(None) == "-"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (600, "10 min"), (36000, "10 h")]
)
def test_durations_come_in_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert formatted_seconds(seconds) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.06741, "0.0674"), (5.31, "5.31"), (1070.2, "1,070"), (31457.28, "31,457")],
)
def test_significant_digits_never_hide_those_before_the_point(value: float, text: str) -> None:
    assert significant(value, 3) == text

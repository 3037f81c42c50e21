import pytest

from longfat.analysis.levels_in_sql import unknown_levels

LEVELS = {"config": ["lan", "wan"], "sources": ["5", "15"], "z": ["0.8", "1"], "buffer": ["1 RTT"]}


@pytest.mark.parametrize(
    "sql",
    [
        "config = 'lan' AND sources = 5 AND z = 1.0",
        "r.config <> 'wan' OR sources IN (5, 15) OR z NOT IN (0.8)",
        "config IS NOT 'lan' AND \"buffer\" == '1 RTT'",
        "config = 'lan' -- config = 'man'",
        "config /* = 'man' */ = 'lan'",
        "sources > 7 AND config LIKE 'm%' AND other = 'man'",
        "config = other.config AND statement = 'config = ''man'''",
    ],
)
def test_levels_that_exist_are_accepted_and_so_is_what_is_not_compared(sql: str) -> None:
    assert list(unknown_levels(sql, LEVELS)) == []


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("config = 'lann'", "'lann' is no level of config; known: lan, wan; did you mean 'lan'?"),
        ("CONFIG != 'man'", "'man' is no level of config; known: lan, wan"),
        ("r.sources IN (5, 10)", "'10' is no level of sources; known: 5, 15"),
        ("sources NOT IN (10)", "'10' is no level of sources"),
        ("z IS NOT 2", "'2' is no level of z; known: 0.8, 1"),
        ("\"buffer\" = '1RTT'", "did you mean '1 RTT'?"),
    ],
)
def test_an_unknown_level_is_reported(sql: str, expected: str) -> None:
    (problem,) = unknown_levels(sql, LEVELS)
    assert expected in problem

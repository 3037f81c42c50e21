"""Numbers in options: those that are none, or too much, are refused where they are given."""

import pytest

from longfat.base.numbers import percentage
from tests.analysis.support import EXAMPLES
from tests.cli.test_bad_input import refused
from tests.support import Longfat

ANALYZE = ["analyze", EXAMPLES / "memory-cache.csv", "--factors", "memory", "--response", "mips"]


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "NaN"])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        (["study", "compare", "ubr-plus"], "--within"),
        (["study", "claims", "ubr-plus"], "--confidence"),
        (ANALYZE, "--confidence"),
        (["plot", "cwnd", "traces", "-o", "a.svg"], "--from"),
        (["report", "ubr-plus", "-o", "a.html"], "--confidence"),
    ],
)
def test_a_number_that_is_none_is_refused(
    longfat: Longfat, command: list[str], option: str, number: str
) -> None:
    refused(longfat(*command, f"{option}={number}"), option)


@pytest.mark.parametrize("confidence", ["1", "0.9999999999999999", "0.99991", "0"])
def test_a_confidence_that_says_nothing_is_refused(longfat: Longfat, confidence: str) -> None:
    process = longfat(*ANALYZE, f"--confidence={confidence}")
    refused(process, "--confidence", "0<x<=0.9999")


@pytest.mark.parametrize("command", ["study claims ubr-plus", "report ubr-plus -o a.html"])
def test_a_verdict_is_surer_than_tossing_a_coin(longfat: Longfat, command: str) -> None:
    refused(longfat(*command.split(), "--confidence=0.3"), "--confidence", "0.5<x<=0.9999")


def test_the_most_confidence_is_not_printed_as_certainty(longfat: Longfat) -> None:
    command = ["--factors", "memory,cache", "--confidence=0.9999"]
    process = longfat(*ANALYZE[:2], *command, "--response", "mips")
    assert process.returncode == 0
    assert "99.99 % intervals" in process.stdout


@pytest.mark.parametrize(
    ("share", "text"), [(0.9, "90"), (0.07, "7"), (0.995, "99.5"), (0.9999999, "99.99999")]
)
def test_percentages_have_the_digits_of_their_shares(share: float, text: str) -> None:
    assert percentage(share) == text

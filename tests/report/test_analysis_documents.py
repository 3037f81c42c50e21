import json
from typing import Any

import numpy as np
import pytest

from longfat.analysis.analysis import analyse
from longfat.report.analysis import (
    analysis_document,
    analysis_tables,
    is_analysis_document,
    rounded_text,
    summary,
)
from longfat.report.latex import latex_table
from tests.analysis.support import MEMORY_CACHE, experiment


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (-0.009849999999999914, 4, "-0.0099"),  # a mean of printed decimals that ends in a half
        (0.00985, 4, "0.0099"),
        (0.0098499, 4, "0.0098"),
        (-0.00001, 4, "0.0000"),
        (27204.0, 2, "27204.00"),
        (1e22, 0, "10000000000000000000000"),
    ],
)
def test_halves_are_rounded_away_from_zero_and_zero_has_no_sign(
    value: float, decimals: int, expected: str
) -> None:
    assert rounded_text(value, decimals) == expected


@pytest.mark.parametrize(
    ("unit", "effect", "total"),
    [(1.0, "21.50", "7032.00"), (1e6, "21500000", "7.032e+15"), (1e-6, "0.00002150", "7.032e-09")],
)
def test_numbers_have_as_many_digits_as_the_response_deserves(
    unit: float, effect: str, total: str
) -> None:
    allocation, effects, *_ = analysis_tables(analyse(experiment(unit * np.array(MEMORY_CACHE))))
    assert effects.rows[1][2] == effect
    assert allocation.rows[2][1] == total


@pytest.mark.parametrize(
    ("mean", "printed"), [(1e9, "1000000000.250"), (1e12, "1000000000000.25"), (0.0, "0.2500")]
)
def test_digits_go_by_what_differs_however_large_the_mean_is(mean: float, printed: str) -> None:
    analysis = analyse(experiment(mean + np.array([[0.1, 0.2], [0.3, 0.4]])))
    assert f"mean {printed} (" in summary(analysis)
    assert "standard deviation of errors 0.07" in summary(analysis)


def test_a_table_without_intervals_has_dashes() -> None:
    analysis = analyse(experiment([[1.0], [2.0], [4.0]]))
    assert "standard deviation of errors unknown" in summary(analysis)
    _, effects = analysis_tables(analysis)
    assert effects.rows[0][-2:] == ["-", "unknown"]


def test_the_document_is_json_even_where_nothing_is_known() -> None:
    analysis = analyse(experiment([[1.0], [2.0], [4.0]]))
    text = json.dumps(analysis_document(analysis, {"source": "x.csv"}), allow_nan=False)
    document = json.loads(text)
    assert document["standard_error"] is None
    assert document["degrees_of_freedom"] == 0
    assert document["effects"][0]["low"] is None
    assert document["effects"][0]["significant"] is None


@pytest.mark.parametrize(
    "part",
    [
        *("response", "mean", "confidence", "observations", "replications"),
        *("components", "effects", "interactions", "predicted", "residuals", "checks"),
    ],
)
def test_a_document_with_a_part_that_is_another_thing_is_none(part: str) -> None:
    analysis = analyse(experiment(np.array(MEMORY_CACHE)))
    whole = json.loads(json.dumps(analysis_document(analysis, {})))
    assert is_analysis_document(whole)
    others: list[Any] = [None, {}, [{}], "text" if part != "response" else 1]
    for wrong in others:
        assert not is_analysis_document({**whole, part: wrong})
    assert not is_analysis_document({name: value for name, value in whole.items() if name != part})


def test_latex_escapes_what_it_would_not_print() -> None:
    text = latex_table("50 %", ["a_b", "C&D"], [["x^2", "{1} \\ #~$"]])
    assert r"\caption{50 \%}" in text
    assert r"a\_b & C\&D \\" in text
    assert r"x\textasciicircum{}2 & \{1\} \textbackslash{} \#\textasciitilde{}\$ \\" in text

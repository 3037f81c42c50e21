import json
from pathlib import Path

import pytest

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.studies.claims import Bound, load_claims
from longfat.studies.definition import load_study


def bound(text: str) -> Bound:
    claim = (
        'schema_version = 1\n[[claim]]\nid = "C"\nstatement = "s"\nmeasure = "SELECT 1"\n'
        f'holds = "{text}"\n'
    )
    (document,) = json.loads(_engine.check_claims(claim.encode(), "claims.toml"))
    return Bound(**document["holds"])


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">= 0.15", [0.15, 0.1500000000001, 1e9], [0.149, -1]),
        ("> 0", [1e-6, 2e-10, 1], [0, -1, 1e-12, 0.3 - 0.1 - 0.2]),
        ("<= 1e-10", [1e-10, 0.99e-10, 0], [2.13e-10, 1.01e-10]),
        ("between 1e-10 and 2e-10", [1.5e-10], [0, 3e-10]),
        ("<= 1e9", [1e9, 1e9 + 0.5], [1e9 + 2]),
        ("<= 0.5", [0.5, -1], [0.5001]),
        ("< 0.5", [0.4999], [0.5, 1]),
        ("== 0", [0, 0.3 - 0.1 - 0.2], [1e-6, 1e-10, -1]),
        ("between 0.75 and 0.95", [0.75, 0.8, 0.95], [0.74, 0.96]),
    ],
)
def test_a_bound_contains_the_numbers_that_meet_it(
    text: str, inside: list[float], outside: list[float]
) -> None:
    assert all(bound(text).contains(value) for value in inside)
    assert not any(bound(text).contains(value) for value in outside)


@pytest.mark.parametrize(
    ("text", "low", "high", "relation"),
    [
        (">= 0.5", 0.6, 0.7, "all"),
        (">= 0.5", 0.4, 0.7, "some"),
        (">= 0.5", 0.3, 0.4, "none"),
        ("< 0.5", 0.5, 0.7, "none"),
        ("== 3", 3, 3, "all"),
        ("== 3", 2, 4, "some"),
        ("between 1 and 2", 0, 3, "some"),
        ("between 1 and 2", 2.5, 3, "none"),
        ("between 1 and 2", 0, 0.5, "none"),
    ],
)
def test_an_interval_meets_a_bound_with_all_some_or_nothing_of_it(
    text: str, low: float, high: float, relation: str
) -> None:
    limit = bound(text)
    assert limit.contains_all(low, high) == (relation == "all")
    assert limit.contains_none(low, high) == (relation == "none")


def test_sums_of_decimals_meet_the_decimal_that_they_are_meant_to_be() -> None:
    assert 0.1 + 0.7 < 0.8
    assert bound(">= 0.8").contains(0.1 + 0.7)
    assert not bound("> 0.8").contains(0.1 + 0.7)
    assert not bound("> 0.8").contains(0.8)


def test_claims_keep_the_order_of_their_file_and_where_their_sql_is_written(
    study_folder: Path,
) -> None:
    file = study_folder / "claims.toml"
    claim = '[[claim]]\nid = "{id}"\nstatement = "s"\nmeasure = "SELECT 1"\nholds = "> 0"\n'
    file.write_text("schema_version = 1\n" + claim.format(id="B") + claim.format(id="A"))
    claims = load_claims(load_study(study_folder))
    assert [found.id for found in claims] == ["B", "A"]
    assert claims[1].origin == f"{file}:10:11"
    assert claims[0].in_paper == "measured"


def test_a_study_without_a_file_of_claims_is_refused(study_folder: Path) -> None:
    with pytest.raises(LongfatError, match=r"claims.toml: no such file, so small has no claims"):
        load_claims(load_study(study_folder))

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyDOE3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import qmc

from longfat import InvalidInput
from longfat.studies.definition import load_study
from longfat.studies.design import Design, base_factors, combinations
from longfat.studies.factors import Factor
from longfat.studies.plan import Selection, plan_design
from longfat.studies.reference import Combination


def factors(*counts: int) -> list[Factor]:
    """Factors a, b, ... with levels a0, a1, ..."""
    return [
        Factor(name, {f"{name}{level}": () for level in range(count)})
        for name, count in zip("abcdefgh", counts, strict=False)
    ]


def design(kind: Any, **more: Any) -> Design:
    return Design(kind=kind, replications=0, seeds="common", perturb=(), **more)


def levels(found: list[Combination]) -> list[str]:
    return [" ".join(level for _, level in combination) for combination in found]


def signs(found: list[Combination]) -> np.ndarray:
    """-1 for the first level, 1 for any other."""
    return np.array([[-1 if level.endswith("0") else 1 for _, level in row] for row in found])


def test_a_full_factorial_crosses_everything() -> None:
    found = combinations(design("full-factorial"), factors(2, 3, 2))
    assert len(found) == len(set(found)) == 12


def test_a_two_level_design_crosses_first_and_last_levels() -> None:
    found = combinations(design("two-level"), factors(2, 3))
    assert levels(found) == ["a0 b0", "a0 b2", "a1 b0", "a1 b2"]


def test_one_at_a_time_leaves_the_base_in_one_factor_only() -> None:
    found = combinations(design("one-at-a-time"), factors(2, 3, 1))
    assert levels(found) == ["a0 b0 c0", "a1 b0 c0", "a0 b1 c0", "a0 b2 c0"]


@pytest.mark.parametrize(
    ("count", "generators", "text"),
    [
        (3, {"c": ["a", "b"]}, "a b ab"),
        (4, {"d": ["a", "b", "c"]}, "a b c abc"),
        (5, {"d": ["a", "b"], "e": ["a", "c"]}, "a b c ab ac"),
        (5, {"a": ["b", "c"], "e": ["b", "d"]}, "ab a b c ac"),
    ],
)
def test_a_fraction_is_the_one_of_pydoe3(
    count: int, generators: dict[str, list[str]], text: str
) -> None:
    chosen = design("fractional", generators=generators)
    ours = signs(combinations(chosen, factors(*[3] * count)))
    assert sorted(map(tuple, ours)) == sorted(map(tuple, pyDOE3.fracfact(text).astype(int)))
    assert len(base_factors(chosen, factors(*[3] * count))) == count - len(generators)


def test_columns_of_a_fraction_are_balanced_and_orthogonal() -> None:
    chosen = design("fractional", generators={"d": ["a", "b"], "e": ["a", "c"]})
    columns = signs(combinations(chosen, factors(2, 2, 2, 2, 2)))
    assert (columns.T @ columns == 8 * np.eye(5)).all()
    assert (columns.sum(axis=0) == 0).all()


@given(st.integers(1, 8), st.integers(2, 5), st.integers(0, 99))
@settings(max_examples=40)
def test_a_latin_hypercube_gives_every_level_the_same_share(
    share: int, count: int, sample_seed: int
) -> None:
    """No two points have the same level of the second factor: none become one combination."""
    points = share * count
    chosen = design("latin-hypercube", points=points, sample_seed=sample_seed)
    found = combinations(chosen, factors(count, points))
    assert set(Counter(row[0] for row in found).values()) == {share}
    assert len({row[0] for row in found}) == count


@given(st.integers(10, 40), st.integers(0, 99))
@settings(max_examples=20)
def test_a_latin_hypercube_of_twice_as_many_points_misses_no_level(
    points: int, sample_seed: int
) -> None:
    found = combinations(
        design("latin-hypercube", points=points, sample_seed=sample_seed), factors(5, 4, 3)
    )
    assert [len({row[axis] for row in found}) for axis in range(3)] == [5, 4, 3]


def test_sobol_points_meet_every_combination_of_two_by_two_levels_equally_often() -> None:
    """A (0, m, 2)-net: each elementary interval holds its share of points."""
    chosen = design("sobol", points=4, sample_seed=3)
    assert len(combinations(chosen, factors(2, 2))) == 4
    chosen = design("sobol", points=16, sample_seed=3)
    assert len(combinations(chosen, factors(4, 4))) == 16
    assert len(combinations(chosen, factors(2, 8))) == 16


def test_points_fall_on_levels_as_scipys_do() -> None:
    chosen = design("latin-hypercube", points=6, sample_seed=5)
    random = np.random.Generator(np.random.PCG64(5))
    expected = qmc.LatinHypercube(2, rng=random).random(6)
    counts = Counter(f"a{int(at * 3)} b{int(other * 10)}" for at, other in expected)
    assert set(levels(combinations(chosen, factors(3, 10)))) == counts.keys()


@pytest.mark.parametrize("kind", ["latin-hypercube", "sobol"])
def test_samples_come_in_the_order_of_levels_as_factorial_designs_do(kind: str) -> None:
    whole = list(combinations(design("full-factorial"), factors(4, 3)))
    chosen = list(combinations(design(kind, points=8, sample_seed=2), factors(4, 3)))
    assert chosen == [each for each in whole if each in chosen]


@pytest.mark.parametrize("kind", ["latin-hypercube", "sobol"])
def test_a_sample_is_the_same_every_time_and_another_with_another_seed(kind: str) -> None:
    axes = factors(8, 8, 8)
    first, again, other = (
        combinations(design(kind, points=8, sample_seed=seed), axes) for seed in (1, 1, 2)
    )
    assert first == again != other


def test_an_explicit_design_is_what_it_lists() -> None:
    listed = [(("a", "a1"), ("b", "b0")), (("a", "a0"),)]
    assert combinations(design("explicit", combinations=listed), factors(2, 2)) == listed


STUDY = """\
schema_version = 1
title = "Designs"

[factors]
"topology.sources" = [2, 3, 4]
"port.buffer" = ["400 cells", "600 cells"]
"port.policy" = { ubr = "tail-drop", epd = "epd" }

[design]
"""


def planned(folder: Path, text: str) -> list[dict[str, str]]:
    (folder / "study.toml").write_text(STUDY + text)
    plan = plan_design(load_study(folder), Selection())
    return [dict(run.combination) for run in plan.runs]


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ('kind = "full-factorial"', 12),
        ('kind = "two-level"', 8),
        ('kind = "fractional"\ngenerators = { policy = ["sources", "buffer"] }', 4),
        ('kind = "one-at-a-time"', 5),
        ('kind = "latin-hypercube"\npoints = 6', 6),
        ('kind = "sobol"\npoints = 8', 8),
        ('kind = "explicit"\ncombinations = [{ policy = "ubr" }, { sources = 4 }]', 2),
    ],
)
def test_every_kind_of_design_is_planned_from_its_study_file(
    study_folder: Path, text: str, runs: int
) -> None:
    found = planned(study_folder, text)
    assert 1 < len(found) <= runs
    if "points" not in text:
        assert len(found) == runs


def test_levels_of_an_explicit_design_may_be_written_as_numbers(study_folder: Path) -> None:
    listed = 'kind = "explicit"\ncombinations = [{ buffer = "600 cells", sources = 3 }]'
    assert planned(study_folder, listed) == [{"sources": "3", "buffer": "600 cells"}]


def test_high_levels_of_a_fraction_are_products_of_signs(study_folder: Path) -> None:
    text = 'kind = "fractional"\ngenerators = { policy = ["sources", "buffer"] }'
    assert {tuple(run.values()) for run in planned(study_folder, text)} == {
        ("2", "400 cells", "epd"),
        ("2", "600 cells", "ubr"),
        ("4", "400 cells", "ubr"),
        ("4", "600 cells", "epd"),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('kind = "sobol"\npoints = 12', "12 is not a power of 2"),
        ('kind = "fractional"\ngenerators = { policy = ["source", "buffer"] }', "did you mean"),
        ('kind = "explicit"\ncombinations = [{ sources = 5 }]', "no level of"),
        ('kind = "taguchi"', "latin-hypercube"),
    ],
)
def test_a_design_that_cannot_be_is_refused_with_words(
    study_folder: Path, text: str, expected: str
) -> None:
    with pytest.raises(InvalidInput, match=expected):
        planned(study_folder, text)


def test_only_samples_import_scipy() -> None:
    script = (
        "import sys, longfat.studies.plan; print('scipy' in sys.modules, 'numpy' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["False", "False"]

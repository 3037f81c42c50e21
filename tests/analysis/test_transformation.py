"""The transformation of a response that its residuals ask for."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import boxcox_llf

from longfat.analysis.analysis import Settings, analyse
from longfat.analysis.answer import answer_of_analysis
from longfat.analysis.fit import Array
from longfat.analysis.transformation import TRANSFORMATIONS
from longfat.analysis.words import sentences
from longfat.base.errors import LongfatError
from tests.analysis.support import experiment
from tests.support import Longfat

SHAPE = (4, 3, 12)


def normal(seed: int) -> Array:
    """Effects about as large as five errors, which are normal with one variance."""
    random = np.random.default_rng(seed)
    return 10 + random.normal(size=(*SHAPE[:-1], 1)) + 0.2 * random.normal(size=SHAPE)


@pytest.mark.parametrize(
    ("undo", "name"),
    [
        (lambda y: np.exp(y - 10), "log"),
        (lambda y: (y - 6) ** 2, "square-root"),
        (lambda y: 1 / (y - 6), "reciprocal"),
    ],
    ids=["exponential", "square", "reciprocal"],
)
def test_the_inverse_of_what_was_done_to_normal_values_is_advised(undo, name) -> None:  # type: ignore[no-untyped-def]
    found = [analyse(experiment(undo(normal(seed)))).advice for seed in range(12)]
    advised = [one for one in found if one is not None]
    assert len(advised) >= 8
    assert sum(one.name == name for one in advised) >= 0.75 * len(advised)
    covering = [one.low <= TRANSFORMATIONS[name].power <= one.high for one in advised]
    assert sum(covering) >= 0.8 * len(covering)


def test_normal_values_ask_for_nothing() -> None:
    found = [analyse(experiment(normal(seed))).advice for seed in range(40)]
    assert sum(one is not None for one in found) <= 3


def test_likelihoods_of_a_single_cell_are_those_of_scipy() -> None:
    values = np.exp(np.random.default_rng(7).normal(size=(2, 2, 40)))
    # By hand: residuals of the means of cells.
    found = analyse(experiment(values)).advice
    assert found is not None
    cells = values.reshape(4, -1)

    def likelihood(power: float) -> float:
        pooled = np.concatenate(
            [_boxcox(cell, power) - _boxcox(cell, power).mean() for cell in cells]
        )
        return float(
            (power - 1) * np.log(values).sum() - values.size / 2 * math.log((pooled**2).mean())
        )

    best = max(np.arange(-2, 2.01, 0.05), key=likelihood)
    assert found.power == pytest.approx(best, abs=1e-6)
    single = values.reshape(-1)
    # The form of the likelihood, where there is one cell only, is SciPy's.
    whole = (0.5 - 1) * np.log(single).sum() - single.size / 2 * math.log(
        np.var(_boxcox(single, 0.5))
    )
    assert whole == pytest.approx(boxcox_llf(0.5, single))


def _boxcox(values: Array, power: float) -> Array:
    return np.log(values) if abs(power) < 1e-9 else (values**power - 1) / power


def test_a_transformed_response_is_what_effects_are_of() -> None:
    values = np.exp(normal(1) - 10)
    found = analyse(experiment(values), Settings(transform="log"))
    assert found.response == "ln(y)"
    assert found.mean == pytest.approx(float(np.log(values).mean()))
    assert found.advice is None


@pytest.mark.parametrize("name", TRANSFORMATIONS)
@pytest.mark.parametrize("more", [True, False])
def test_what_is_best_does_not_depend_on_the_transformation(name: str, more: bool) -> None:
    values = np.exp(normal(2) - 10)
    plain, other = (
        answer_of_analysis(analyse(experiment(values), Settings(transform=chosen)), more)
        for chosen in (None, name)
    )
    means = np.exp(np.log(values).mean(axis=-1))
    best = np.unravel_index(means.argmax() if more else means.argmin(), means.shape)
    levels = tuple(f"{letter}{place + 1}" for letter, place in zip("ab", best, strict=True))
    assert [placed.levels for placed in plain.placed] == [levels]
    assert [placed.levels for placed in other.placed] == [levels]


def test_values_that_are_not_positive_are_refused() -> None:
    values = normal(3)
    values[0, 0, 0] = 0
    with pytest.raises(LongfatError, match="has the value 0"):
        analyse(experiment(values), Settings(transform="log"))


def test_the_command_advises_and_transforms(longfat: Longfat, tmp_path: Path) -> None:
    values = np.exp(normal(4) - 10)
    cells = itertools.product(range(SHAPE[0]), range(SHAPE[1]), range(SHAPE[2]))
    rows = [f"{a},{b},{float(values[a, b, r])}" for a, b, r in cells]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,time_s", *rows]))
    words = ("analyze", "t.csv", "--factors", "a,b", "--response", "time_s")
    plain = longfat(*words)
    assert "with --transform log" in plain.stdout, plain.stderr
    chosen = longfat(*words, "--transform", "log", "--better", "less")
    assert chosen.returncode == 0
    assert chosen.stdout.startswith("ln(time_s): mean")
    assert "--transform" not in chosen.stdout
    assert "Best (lowest)" in chosen.stdout
    unknown = longfat(*words, "--transform", "cube")
    assert unknown.returncode == 2
    assert "log" in unknown.stderr


def test_the_advice_is_a_sentence_with_the_interval_of_the_power() -> None:
    found = analyse(experiment(np.exp(normal(5) - 10)))
    assert found.advice is not None
    said = [line for line in sentences(found) if "--transform log" in line]
    assert len(said) == 1
    assert f"{found.advice.low:.2f} to {found.advice.high:.2f}" in said[0]

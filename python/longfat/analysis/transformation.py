"""Transformations of a response, and the one that its residuals ask for.

G. E. P. Box, D. R. Cox: An analysis of transformations. J. R. Stat. Soc. B 26 (1964), pp. 211-252.
Among the powers y^lambda (log y for 0) it looks for the one after which errors are most likely
normal with one variance; Jain (1991), section 15.4, has the same powers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from longfat.analysis.fit import Array
from longfat.analysis.residuals import Errors
from longfat.base.errors import LongfatError


class Transformation(NamedTuple):
    """A power of the response: the exponent lambda, the function, and the response's name."""

    power: float
    apply: Callable[[Array], Array]
    named: str
    keeps_order: bool = True


TRANSFORMATIONS = {
    "log": Transformation(0, np.log, "ln({})"),
    "square-root": Transformation(0.5, np.sqrt, "sqrt({})"),
    "reciprocal": Transformation(-1, np.reciprocal, "1/({})", keeps_order=False),
}
"""By the words of `longfat analyze --transform`."""

POWERS = np.arange(-2, 2.01, 0.05)
"""Exponents that are tried; 1 leaves the response as it is."""

CONFIDENCE = 0.95
"""Confidence of the interval of exponents: another transformation is advised outside of it."""

_CHI_SQUARE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2
"""Quantile of chi-square with one degree of freedom: the square of a normal one."""


@dataclass(frozen=True)
class Advice:
    """The transformation that makes errors most alike, and the interval of its exponent."""

    name: str
    power: float
    low: float
    high: float


def transformed(response: str, values: Array, name: str | None) -> tuple[str, Array]:
    """Return the name and the values of the transformed response; as they are without a `name`.

    Raises `LongfatError` for values that are not positive.
    """
    if name is None:
        return response, values
    smallest = float(values.min())
    if smallest <= 0:
        raise LongfatError(
            f"--transform {name}: {response} has the value {smallest:g}; "
            "it is for responses above 0"
        )
    chosen = TRANSFORMATIONS[name]
    return chosen.named.format(response), chosen.apply(values)


def advice(values: Array, errors: Errors) -> Advice | None:
    """Return the transformation that a response asks for; None if it is best as it is.

    `errors` are those of the values. Also None where no named transformation is likelier, and for
    values that are not positive.
    """
    if values.min() <= 0:
        return None
    logs = np.log(values.ravel() / np.exp(np.log(values).mean()))
    squares = (errors.left(np.stack([_scaled(logs, power) for power in POWERS])) ** 2).sum(axis=-1)
    if not squares.all():
        return None
    likelihood = -0.5 * values.size * np.log(squares)
    found = POWERS[likelihood >= likelihood.max() - _CHI_SQUARE / 2]
    best = float(POWERS[likelihood.argmax()])
    if found[0] <= 1 <= found[-1]:
        return None
    name = min(TRANSFORMATIONS, key=lambda name: abs(TRANSFORMATIONS[name].power - best))
    power = TRANSFORMATIONS[name].power
    gain = np.interp(power, POWERS, likelihood) - np.interp(1, POWERS, likelihood)
    return Advice(name, best, float(found[0]), float(found[-1])) if gain > 0 else None


def _scaled(logs: Array, power: float) -> Array:
    """Return (y^power - 1) / power of values whose geometric mean is 1; their logarithms are given.

    Scaled so, the errors of all powers have sums of squares that can be compared.
    """
    return logs if abs(power) < 1e-9 else np.expm1(power * logs) / power

"""Linear model of a crossed design: its effects and their degrees of freedom."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

Term = tuple[int, ...]
"""Effect, as the positions of its factors: one for a main effect, several for an interaction."""


@dataclass(frozen=True)
class Model:
    """Linear model of a crossed design.

    `levels` counts the levels of each factor; `order` is the largest number of factors of an
    effect. With `blocks`, the n-th replications of all combinations form a block (common random
    numbers), and the variation between blocks is no error.
    """

    levels: tuple[int, ...]
    replications: int
    order: int
    blocks: bool = False

    @property
    def combinations(self) -> int:
        """Number of factor combinations."""
        return math.prod(self.levels)

    @property
    def observations(self) -> int:
        """Number of observations of a response."""
        return self.combinations * self.replications

    @cached_property
    def terms(self) -> Sequence[Term]:
        """Main effects, then interactions of two factors, and so on up to `order`."""
        factors = range(len(self.levels))
        sizes = range(1, self.order + 1)
        return [term for size in sizes for term in itertools.combinations(factors, size)]

    def degrees_of_freedom(self, term: Term) -> int:
        """Return the degrees of freedom of an effect: the product of (levels - 1)."""
        return math.prod(self.levels[factor] - 1 for factor in term)

    @cached_property
    def higher_order_degrees_of_freedom(self) -> int:
        """Degrees of freedom of all interactions beyond `order`."""
        return self.combinations - 1 - sum(self.degrees_of_freedom(term) for term in self.terms)

    @property
    def block_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the block effects; 0 without blocks."""
        return self.replications - 1 if self.blocks else 0

    @property
    def error_degrees_of_freedom(self) -> int:
        """Degrees of freedom of the error.

        Without replications, the interactions beyond `order` estimate the error (98-0876R1,
        section 8.1); with replications, it is the pure error between those of one combination.
        """
        if self.replications == 1:
            return self.higher_order_degrees_of_freedom
        free = self.combinations - 1 if self.blocks else self.combinations
        return free * (self.replications - 1)

    def deviation_factor(self, term: Term) -> float:
        """Return the standard deviation of an effect as a multiple of the standard error s_e.

        For a main effect it is sqrt((levels - 1) / observations), equation s_A of section 8.1.
        """
        return math.sqrt(self.degrees_of_freedom(term) / self.observations)

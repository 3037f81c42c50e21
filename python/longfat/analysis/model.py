"""Which effects explain the responses of a crossed design, and how many degrees of freedom stay."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

Term = tuple[int, ...]
"""An effect, as the positions of the factors that it joins; a single one is a main effect."""


@dataclass(frozen=True)
class Model:
    """A crossed design and the effects that explain its responses.

    `levels` counts the levels of each factor; `order` is the largest number of factors that one
    effect joins. With `blocks` the n-th replication of every combination shares its chance (common
    random numbers), and what all of them have in common is no error.
    """

    levels: tuple[int, ...]
    replications: int
    order: int
    blocks: bool = False

    @property
    def combinations(self) -> int:
        """The number of factor combinations."""
        return math.prod(self.levels)

    @property
    def observations(self) -> int:
        """The number of values of a response."""
        return self.combinations * self.replications

    @cached_property
    def terms(self) -> Sequence[Term]:
        """The main effects, then the interactions of two factors, and so on up to `order`."""
        factors = range(len(self.levels))
        sizes = range(1, self.order + 1)
        return [term for size in sizes for term in itertools.combinations(factors, size)]

    def degrees_of_freedom(self, term: Term) -> int:
        """Those of an effect: the product of (levels - 1) of its factors."""
        return math.prod(self.levels[factor] - 1 for factor in term)

    @cached_property
    def higher_order_degrees_of_freedom(self) -> int:
        """Those of all interactions that the model leaves out."""
        return self.combinations - 1 - sum(self.degrees_of_freedom(term) for term in self.terms)

    @property
    def block_degrees_of_freedom(self) -> int:
        """Those of what the replications with the same chance have in common."""
        return self.replications - 1 if self.blocks else 0

    @property
    def error_degrees_of_freedom(self) -> int:
        """Those of the error.

        Without replications the interactions left out stand for it (98-0876R1, section 8.1); with
        them it is pure: what differs between replications of one combination.
        """
        if self.replications == 1:
            return self.higher_order_degrees_of_freedom
        free = self.combinations - 1 if self.blocks else self.combinations
        return free * (self.replications - 1)

    def deviation_factor(self, term: Term) -> float:
        """The standard deviation of an effect as a multiple of the standard error.

        For a main effect sqrt((levels - 1) / observations), equation s_A of section 8.1.
        """
        return math.sqrt(self.degrees_of_freedom(term) / self.observations)

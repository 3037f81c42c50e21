"""Aliases of effects in fractional two-level designs, by the algebra of signs.

A generator makes the sign of one factor the product of the signs of others, so that each factor's
column times its generator is I, all ones. The products of these words, any number of them, are the
defining relation; an effect times a word of it is an effect with the same column, its alias. Every
sign squared is 1, so a product of effects is the symmetric difference of their factors. G. E. P.
Box, J. S. Hunter: The 2^(k-p) fractional factorial designs. Technometrics 3 (1961); R. Jain (1991),
chapter 19.
"""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence

Word = frozenset[str]
"""An effect, or a word of the defining relation: the factors whose signs are multiplied."""

RESOLUTIONS = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X")
"""Roman numerals for resolutions."""


def defining_relation(generators: Mapping[str, Sequence[str]]) -> list[Word]:
    """Return the words that equal I, shortest first."""
    words = [frozenset(factors) ^ {factor} for factor, factors in generators.items()]
    products = (
        _product(chosen)
        for size in range(1, len(words) + 1)
        for chosen in itertools.combinations(words, size)
    )
    return _in_order(products)


def relation_among(relation: Sequence[Word], factors: Collection[str]) -> list[Word]:
    """Return the defining relation if only these factors vary and the others are constant."""
    return _in_order({word & frozenset(factors) for word in relation} - {frozenset()})


def resolution(relation: Sequence[Word]) -> str:
    """Return the length of the shortest word; in III, two-factor effects alias main effects."""
    shortest = min(len(word) for word in relation)
    return RESOLUTIONS[shortest] if shortest < len(RESOLUTIONS) else str(shortest)


def aliases(effect: Word, relation: Sequence[Word], order: int = 2) -> list[Word]:
    """Return the effects of at most `order` factors with an equal column of signs."""
    others = [effect ^ word for word in relation]
    return _in_order(other for other in others if 0 < len(other) <= order)


def alias_chains(
    factors: Sequence[str], relation: Sequence[Word], order: int = 2
) -> list[list[Word]]:
    """Return every effect of at most `order` factors once, each with its aliases."""
    chains: list[list[Word]] = []
    seen: set[Word] = set()
    for size in range(1, order + 1):
        for chosen in itertools.combinations(factors, size):
            effect = frozenset(chosen)
            if effect not in seen:
                chain = [effect, *aliases(effect, relation, order)]
                chains.append(chain)
                seen.update(chain)
    return chains


def named(word: Word, factors: Sequence[str]) -> str:
    """Format a word with its factors in the study's order."""
    return " x ".join(factor for factor in factors if factor in word)


def _in_order(words: Iterable[Word]) -> list[Word]:
    """Sort words by length, then by their factors: sets are unordered."""
    return sorted(words, key=lambda word: (len(word), sorted(word)))


def _product(words: Iterable[Word]) -> Word:
    product: Word = frozenset()
    for word in words:
        product ^= word
    return product

"""The fraction of a two-level design in a plan of a study or a part of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longfat.studies.aliases import Word, defining_relation, named, relation_among
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan


@dataclass(frozen=True)
class Fraction:
    """The factors that vary, in the study's order, and the words that equal I or -I."""

    factors: Sequence[str]
    relation: Sequence[Word]
    negative: frozenset[Word] = frozenset()
    """Words that equal -I: with a factor that is constant at its first level."""

    def word(self, word: Word) -> str:
        """Format a word of the relation with its sign."""
        return f"{'-' if word in self.negative else ''}{named(word, self.factors)}"

    def alias(self, effect: Word, alias: Word) -> str:
        """Format an alias of an effect, with the sign of its column relative to the effect's."""
        sign = "-" if effect ^ alias in self.negative else ""
        return f"{sign}{named(alias, self.factors)}"

    @property
    def generated(self) -> int:
        """Number p of generated factors; the relation has 2^p - 1 words."""
        return len(self.relation).bit_length()


def fraction_of(plan: Plan) -> Fraction | None:
    """Return the fraction of the planned runs; None if every effect has a column of its own.

    A factor that is constant is removed from the words and gives them its sign: an interaction with
    it becomes another effect. Also None for runs that are no such part of a fractional design.
    """
    study = plan.study
    if study.design.kind != "fractional":
        return None
    levels: dict[str, set[str]] = {}
    for combination in plan.combinations:
        for factor, level in combination:
            levels.setdefault(factor, set()).add(level)
    factors = [factor.name for factor in study.factors if len(levels.get(factor.name, ())) > 1]
    relation = relation_among(defining_relation(study.design.generators), factors)
    is_whole = len(plan.combinations) * (len(relation) + 1) == 2 ** len(factors)
    if not relation or not is_whole:
        return None
    signs = _signs(study, dict(plan.combinations[0]))
    negative = {word for word in relation if math.prod(signs[factor] for factor in word) < 0}
    return Fraction(factors, relation, frozenset(negative))


def _signs(study: StudyDefinition, combination: Mapping[str, str]) -> Mapping[str, int]:
    """Return the sign of each factor's level; the first level is -1."""
    return {
        factor.name: -1 if combination[factor.name] == next(iter(factor.levels)) else 1
        for factor in study.factors
        if factor.name in combination
    }

"""The fraction of a two-level design that a plan holds: all of a study's, or a part of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from longfat.aliases import Word, defining_relation, relation_among
from longfat.plan import Plan


@dataclass(frozen=True)
class Fraction:
    """The factors that vary, in the order of the study, and the words that equal I."""

    factors: Sequence[str]
    relation: Sequence[Word]

    @property
    def generated(self) -> int:
        """How many factors others set: p of them make 2^p - 1 words."""
        return len(self.relation).bit_length()


def fraction_of(plan: Plan) -> Fraction | None:
    """The fraction that the planned runs are; None where every effect has a column of its own.

    Where a factor keeps one level, its sign is struck from the words: what was an interaction with
    it is then another effect. None also for runs that are no such part of a fractional design.
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
    return Fraction(factors, relation) if relation and is_whole else None

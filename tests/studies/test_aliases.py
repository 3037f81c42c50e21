import itertools

import numpy as np
import pyDOE3
import pytest

from longfat.studies.aliases import (
    Word,
    alias_chains,
    aliases,
    defining_relation,
    named,
    resolution,
)


def word(letters: str) -> Word:
    return frozenset(letters)


def test_the_2_to_the_7_minus_4_design_of_jains_chapter_19_has_its_confoundings() -> None:
    """D = AB, E = AC, F = BC, G = ABC: resolution III, and A = BD = CE = FG among others."""
    relation = defining_relation({"D": "AB", "E": "AC", "F": "BC", "G": "ABC"})
    assert len(relation) == 2**4 - 1
    assert resolution(relation) == "III"
    assert aliases(word("A"), relation) == [word("BD"), word("CE"), word("FG")]


def test_a_half_fraction_with_d_as_abc_has_resolution_iv() -> None:
    relation = defining_relation({"D": "ABC"})
    assert relation == [word("ABCD")]
    assert resolution(relation) == "IV"
    assert aliases(word("A"), relation) == []
    assert aliases(word("A"), relation, order=3) == [word("BCD")]
    assert alias_chains("ABCD", relation)[4:] == [
        [word("AB"), word("CD")],
        [word("AC"), word("BD")],
        [word("AD"), word("BC")],
    ]


def test_words_are_written_in_the_order_of_the_study() -> None:
    assert named(word("AB"), ["B", "A", "C"]) == "B x A"


@pytest.mark.parametrize(
    ("generators", "text"),
    [
        ({"D": "ABC"}, "a b c abc"),
        ({"D": "AB", "E": "AC"}, "a b c ab ac"),
        ({"D": "AB", "E": "AC", "F": "BC", "G": "ABC"}, "a b c ab ac bc abc"),
        ({"E": "ABC", "F": "BCD"}, "a b c d abc bcd"),
    ],
)
def test_effects_are_aliases_exactly_if_their_columns_in_pydoe3_are_equal(
    generators: dict[str, str], text: str
) -> None:
    signs = pyDOE3.fracfact(text)
    names = "ABCDEFG"[: signs.shape[1]]
    effects = [
        word("".join(chosen)) for size in (1, 2) for chosen in itertools.combinations(names, size)
    ]

    def column(effect: Word) -> np.ndarray:
        chosen = [signs[:, names.index(factor)] for factor in effect]
        return np.asarray(np.prod(chosen, axis=0))

    relation = defining_relation(generators)
    for effect in effects:
        same = {
            other
            for other in effects
            if other != effect and (column(other) == column(effect)).all()
        }
        assert set(aliases(effect, relation)) == same

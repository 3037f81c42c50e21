"""Answers as JSON documents."""

from collections.abc import Sequence
from typing import Any

from longfat.analysis.answer import Answer, Placed
from longfat.analysis.answer_words import answer_sentences
from longfat.analysis.worth import Dependence, Worth


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return the answer about one response as JSON, with its sentences."""
    names = answer.cells.factors
    return {
        "better": {True: "more", False: "less", None: None}[answer.more],
        "replications": answer.replications,
        "missing_combinations": answer.cells.missing,
        "best": [_placed_document(placed, names) for placed in answer.placed],
        "factors": [_worth_document(worth) for worth in answer.worths],
        "interactions": [_dependence_document(found) for found in answer.dependences],
        "sentences": answer_sentences(answer),
    }


def _placed_document(placed: Placed, factors: Sequence[str]) -> dict[str, Any]:
    return {
        "levels": dict(zip(factors, placed.levels, strict=True)),
        "is": "highest" if placed.is_most else "lowest",
        "mean": placed.mean,
        "low": placed.low,
        "high": placed.high,
        "not_told_apart": [
            {
                "levels": dict(zip(factors, levels, strict=True)),
                "behind": rival.behind,
                "replications_needed": rival.replications,
            }
            for levels, rival in placed.rivals
        ],
    }


def _worth_document(worth: Worth) -> dict[str, Any]:
    difference = worth.difference
    width = difference.half_width
    return {
        "factor": worth.factor,
        "level": difference.first,
        "instead_of": difference.second,
        "by": difference.by,
        "low": None if width is None else difference.by - width,
        "high": None if width is None else difference.by + width,
        "is_shown": difference.is_shown,
        "as_good": list(worth.as_good),
        "replications_needed": difference.replications,
    }


def _dependence_document(found: Dependence) -> dict[str, Any]:
    first = next(iter(found.at.values()))
    return {
        "factor": found.factor,
        "level": first.first,
        "instead_of": first.second,
        "depends_on": found.other,
        "by": {level: difference.by for level, difference in found.at.items()},
        "half_width": first.half_width,
    }

"""Interpretation of an analysis in sentences, by the rules of 98-0876R1, section 8.1."""

import itertools
from collections.abc import Iterator, Sequence

from longfat.analysis.analysis import Analysis, Effect
from longfat.analysis.least_squares import words
from longfat.analysis.residuals import FEWEST_DEGREES_OF_FREEDOM

WORTH_NAMING_PERCENT = 5.0
"""Components below this percentage of the variation are summed up."""

PAIRS_SHOWN = 6
"""Number of pairs with overlapping intervals that a sentence names; it counts the others."""


def sentences(analysis: Analysis) -> list[str]:
    """Return the statements about an analysis, in order."""
    return [
        *words(analysis),
        _allocation(analysis),
        *_error(analysis),
        *(_factor(analysis, factor) for factor in analysis.factors),
        *_fraction(analysis),
        *_unchecked(analysis),
        *(f"Residuals {check.said}." for check in analysis.checks),
        *_advice(analysis),
    ]


def verdict(significant: bool | None) -> str:
    """Return significance in words; None is "unknown"."""
    return {True: "significant", False: "not significant", None: "unknown"}[significant]


def _allocation(analysis: Analysis) -> str:
    explaining = [part for part in analysis.components if part.kind != "error"]
    ordered = sorted(explaining, key=lambda part: -part.percent)
    large = [part for part in ordered if part.percent >= WORTH_NAMING_PERCENT] or ordered[:1]
    first, *others = [f"{part.name} {part.percent:.2f} %" for part in large]
    rest = 100 - sum(part.percent for part in large)
    tail = f"; all else {max(rest, 0):.2f} %" if len(large) < len(analysis.components) else ""
    return f"Variation of {analysis.response}: {', '.join([first, *others])}{tail}."


def _error(analysis: Analysis) -> Iterator[str]:
    if analysis.degrees_of_freedom == 0:
        yield (
            "Nothing is left to estimate the error, so that there are no intervals: "
            "replications, or interactions of fewer factors (--order), would help."
        )
    elif analysis.standard_error == 0:
        yield "The effects explain every value exactly: the error is 0."
    elif analysis.replications == 1:
        yield (
            f"Without replications, the interactions of more than {_count(analysis.order)} stand "
            "for the error."
        )
    elif analysis.blocks:
        yield (
            "Replications share their chance (common random numbers): what they have in common is "
            "no error."
        )


def _unchecked(analysis: Analysis) -> Iterator[str]:
    if 0 < analysis.degrees_of_freedom < FEWEST_DEGREES_OF_FREEDOM:
        yield "The error has too few degrees of freedom to check the residuals."


def _advice(analysis: Analysis) -> Iterator[str]:
    if found := analysis.advice:
        yield (
            f"Errors would be more alike with --transform {found.name}: the power of "
            f"{analysis.response} that makes them so is {found.power:.2f} "
            f"({found.low:.2f} to {found.high:.2f}; Box and Cox; 0 is the logarithm)."
        )


def _count(order: int) -> str:
    return "one factor" if order == 1 else f"{order} factors"


def _factor(analysis: Analysis, factor: str) -> str:
    effects = [effect for effect in analysis.effects if effect.factors == [factor]]
    if analysis.degrees_of_freedom == 0:
        best = max(effects, key=lambda effect: effect.effect)
        return f"{factor}: {analysis.response} is highest with {best.levels[0]}."
    if not any(effect.significant for effect in effects):
        return f"{factor}: no level has a significant effect."
    raising = [effect.levels[0] for effect in effects if effect.significant and effect.effect > 0]
    lowering = [effect.levels[0] for effect in effects if effect.significant and effect.effect < 0]
    neither = [effect.levels[0] for effect in effects if not effect.significant]
    parts = [
        f"{listed(levels)} {what if len(levels) > 1 else singular} {analysis.response}"
        for levels, what, singular in (
            (raising, "raise", "raises"),
            (lowering, "lower", "lowers"),
        )
        if levels
    ]
    if neither:
        parts.append(f"no significant effect of {listed(neither)}")
    alike = [f"{first} and {second}" for first, second in _overlapping(effects)]
    if alike:
        rest = len(alike) - PAIRS_SHOWN
        more = f" and {rest} more pairs" if rest > 0 else ""
        parts.append(
            f"intervals overlap, so that no difference is shown: {', '.join(alike[:PAIRS_SHOWN])}"
            f"{more}"
        )
    return f"{factor}: {'; '.join(parts)}."


def _overlapping(effects: Sequence[Effect]) -> Iterator[tuple[str, str]]:
    """Yield pairs of levels whose intervals overlap, which section 8.1 considers similar."""
    for first, second in itertools.combinations(effects, 2):
        if first.low is None or first.high is None or second.low is None or second.high is None:
            continue
        if first.low <= second.high and second.low <= first.high:
            yield first.levels[0], second.levels[0]


def _fraction(analysis: Analysis) -> Iterator[str]:
    for part in analysis.components:
        if part.aliases:
            yield f"{part.name} cannot be told from {listed(part.aliases)} in this fraction."


def listed(words: Sequence[str]) -> str:
    """Join words as a list in a sentence: "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"

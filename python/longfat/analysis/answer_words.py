"""Sentences of an answer, for terminals, reports, pages and notebooks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from longfat.analysis.analysis import default_order
from longfat.analysis.answer import Answer, Levels, Placed
from longfat.analysis.best import MOST_REPLICATIONS, Rival
from longfat.analysis.words import listed
from longfat.analysis.worth import Dependence, Difference, Worth
from longfat.base.numbers import counted, percentage, significant

MOST_RIVALS = 4
"""Number of combinations that a sentence names; it counts the others."""

MOST_DEPENDENCES = 3
"""Number of interactions that are described; the others are counted."""

MOST_CONDITIONS = 3
"""Number of levels of the other factor that a sentence describes; it counts the others."""

_DIGITS, _DIGITS_OF_WIDTH = 6, 2
"""Largest number of significant digits of a value, and those of the half-width that decides."""

_SMALL_SECONDS = 0.1
"""Times that are smaller are given in milliseconds."""


def answer_sentences(answer: Answer) -> list[str]:
    """Return the sentences of an answer, the most important first."""
    return _Words(answer).sentences()


class _Words:
    """Sentences about one answer, which share the unit of its response."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        values = list(chain.from_iterable(answer.cells.values.values()))
        self._first = values[0]
        typical = math.fsum(map(abs, values)) / len(values)
        self._name, self._scale, self._unit = _quantity(answer.response, typical)
        varying = [len(set(levels)) > 1 for levels in zip(*answer.cells.values, strict=True)]
        self._named = varying if any(varying) else [True] * len(varying)
        self._spreads = any(len(set(found)) > 1 for found in answer.cells.values.values())

    def sentences(self) -> list[str]:
        answer = self._answer
        if not answer.placed:
            return [self._constant(), *self._basis()]
        return [
            *chain.from_iterable(self._placed(placed) for placed in answer.placed),
            *(self._worth(worth) for worth in answer.worths),
            *(self._dependence(found) for found in answer.dependences[:MOST_DEPENDENCES]),
            *self._dependences(),
            *self._basis(),
        ]

    def _constant(self) -> str:
        told = self._value(self._first, 0.0)
        if len(self._answer.cells.values) == 1:
            return f"{_capital(self._name)} is {told} with {self._levels(self._only)}."
        return f"{_capital(self._name)} is {told} with every combination: they do not differ."

    @property
    def _only(self) -> Levels:
        return next(iter(self._answer.cells.values))

    def _placed(self, placed: Placed) -> Iterator[str]:
        highest = "highest" if placed.is_most else "lowest"
        title = f"{_capital(highest)}" if self._answer.more is None else f"Best ({highest})"
        width = 0.0 if placed.high is None else placed.high - placed.mean
        told = self._value(placed.mean, width)
        if placed.low is not None and placed.high is not None and width > 0:
            told += f" ({self._number(placed.low, width)} to {self._number(placed.high, width)})"
        others = len(self._answer.cells.values) - 1
        if others == 0:
            if placed is self._answer.placed[-1]:
                yield f"{_capital(self._name)} is {told} with {self._levels(placed.levels)}."
            return
        yield f"{title} {self._name}: {told} with {self._levels(placed.levels)}."
        if self._answer.replications == 1:
            if placed is self._answer.placed[-1]:
                yield (
                    "There is one value of each combination, so that chance cannot be told from "
                    "difference: two replications give a first estimate."
                )
            return
        yield self._rivals(placed, others)
        yield from self._deciding(placed.rivals)

    def _rivals(self, placed: Placed, others: int) -> str:
        sure = f"at {percentage(self._answer.confidence)} % confidence"
        far = self._behind(placed)
        if not placed.rivals:
            each = "The other is" if others == 1 else f"Each of the {others} others is"
            return f"{each} {far}, {sure}."
        shown, few = placed.rivals[:MOST_RIVALS], len(placed.rivals)
        said = [self._rival(placed, levels, rival) for levels, rival in shown]
        rest = few - len(shown)
        those = f"{'that' if few == 1 else 'those'} with"
        named = f"{those} {'; '.join([*said, *([f'{rest} more'] if rest else [])])}"
        if others == 1:
            return f"The other cannot be told from it {sure}: {named}."
        if few == others:
            return f"None of the {others} others can be told from it {sure}: {named}."
        number = "One" if few == 1 else f"{few}"
        return f"{number} of the {others} others cannot be told from it {sure}: {named}."

    def _behind(self, placed: Placed) -> str:
        if self._answer.more is not None:
            return "worse"
        return "lower" if placed.is_most else "higher"

    def _rival(self, placed: Placed, levels: Levels, rival: Rival) -> str:
        """Name a combination by the levels in which it differs from the one at the top."""
        differing = [own != best for own, best in zip(levels, placed.levels, strict=True)]
        far = "equal"
        if rival.behind > 0:
            way = "lower" if placed.is_most else "higher"
            far = f"{self._difference(rival.behind)} {way}"
        return f"{self._levels(levels, differing)} ({far})"

    def _deciding(self, rivals: Sequence[tuple[Levels, Rival]]) -> Iterator[str]:
        unequal = [rival for _, rival in rivals if rival.behind > 0]
        known = [rival.replications for rival in unequal if rival.replications is not None]
        if known and len(known) == len(unequal):
            first = f", {min(known):,} from the first of them" if min(known) < max(known) else ""
            these = "these" if len(known) > 1 else "that one"
            yield (
                f"About {max(known):,} replications would tell it from {these}{first}; "
                f"there are {self._answer.replications:,}."
            )
        elif unequal:
            some = f"; about {max(known):,} would decide {len(known)} of them" if known else ""
            yield (
                f"More than {MOST_REPLICATIONS:,} replications would be needed to tell it from "
                f"all of these: they are as good as equal{some}."
            )

    def _worth(self, worth: Worth) -> str:
        found = worth.difference
        on_average = " on average" if len(self._answer.worths) > 1 else ""
        if found.is_shown is False or found.by == 0:
            return f"{worth.factor}: {self._no_difference(found, on_average)}."
        good = ""
        if worth.as_good:
            good = f"; {listed(worth.as_good)} cannot be told from {found.first}"
        return (
            f"{worth.factor}: {found.first} instead of {found.second} {self._moves(found.by)} "
            f"{self._name} from {self._of(found, found.mean_of_second)} to "
            f"{self._of(found, found.mean_of_first)}{on_average}, by {self._by(found)}{good}."
        )

    def _no_difference(self, found: Difference, on_average: str) -> str:
        if found.by == 0:
            return f"its levels make no difference{on_average}"
        more = f"it would take more than {MOST_REPLICATIONS:,} replications to show it"
        if found.replications is not None:
            more = f"about {found.replications:,} replications would show one of this size"
        elif self._answer.replications == 1:
            more = "replications would estimate chance better"
        return (
            f"no level is shown to differ{on_average}; the largest difference is "
            f"{self._by(found)}, {found.first} against {found.second}, and {more}"
        )

    def _dependence(self, found: Dependence) -> str:
        first, *_ = found.at.values()
        beginning = f"{found.factor} depends on {found.other}: {first.first} instead of"
        raised = {level: one for level, one in found.at.items() if one.is_shown and one.by > 0}
        lowered = {level: one for level, one in found.at.items() if one.is_shown and one.by < 0}
        unknown = {level: one for level, one in found.at.items() if not one.is_shown}
        groups = [(raised, "raises"), (lowered, "lowers")]
        # The better direction, or else the stronger one, comes first.
        groups.sort(key=lambda group: -max((abs(one.by) for one in group[0].values()), default=0))
        (main, verb), (against, other_verb) = groups
        only = " only" if main and not against and unknown else ""
        parts = []
        if main:
            parts.append(f"{verb} {self._name}{only} with {self._conditions(found.other, main)}")
        if against:
            parts.append(f"{other_verb} it with {self._conditions(found.other, against)}")
        said = f"{beginning} {first.second} {'; but it '.join(parts)}"
        if not parts:
            return f"{beginning} {first.second} is not shown to matter at any single level."
        if unknown:
            levels = _counted_list(list(unknown))
            said += f"; with {found.other} {levels} no difference is shown"
        return f"{said}."

    def _conditions(self, other: str, found: Mapping[str, Difference]) -> str:
        """Return the means at each level, with the interval of the difference, the largest first.

        Of many levels, the one with the smallest difference is among those named.
        """
        order = sorted(found.items(), key=lambda item: -abs(item[1].by))
        rest = len(order) - MOST_CONDITIONS
        chosen = order if rest <= 0 else [*order[: MOST_CONDITIONS - 1], order[-1]]
        said = [f"{other} {level}, {self._from_to(one)}" for level, one in chosen]
        if rest > 0:
            said.insert(-1, f"{rest} more between")
        return "; ".join(said)

    def _from_to(self, one: Difference) -> str:
        means = f"from {self._of(one, one.mean_of_second)} to {self._of(one, one.mean_of_first)}"
        if not one.half_width:
            return means
        low, high = self._limits(one, one.half_width)
        return f"{means} (by {low} to {high}{self._unit})"

    def _dependences(self) -> Iterator[str]:
        answer = self._answer
        rest = len(answer.dependences) - MOST_DEPENDENCES
        if rest > 0:
            yield f"{counted(rest, 'more pair')} of factors interact, less strongly."
        order = default_order(len(answer.worths), answer.replications)
        are_judged = len(answer.worths) > 1 and order > 1 and answer.deviation is not None
        if are_judged and not answer.dependences:
            yield "No two factors are shown to interact."

    def _basis(self) -> Iterator[str]:
        """Yield on what the answer rests, where that is less than it could be."""
        answer, cells = self._answer, self._answer.cells
        if cells.missing:
            planned = cells.missing + len(cells.values)
            yield (
                f"{cells.missing} of {planned} combinations have no result yet: this is about the "
                "others, and no factor is judged before all have."
            )
        elif not answer.is_crossed and answer.placed and len(cells.values) > 1:
            yield "The combinations are no full factorial design: no factor is judged by itself."
        if cells.left_out:
            yield (
                f"Left out: {counted(cells.left_out, 'replication')} that not all combinations "
                "have so far."
            )
        if answer.replications > 1 and not self._spreads:
            yield (
                "All replications of a combination are alike, so that nothing here is left to "
                "chance: other values of what is fixed could still change it."
            )
        if answer.replications == 1 and answer.deviation is not None:
            order = default_order(len(answer.worths), 1)
            more = "one factor" if order == 1 else f"{order} factors"
            yield f"Interactions of more than {more} stand for chance in these intervals."
        if answer.more is None:
            yield f"Whether more or less {self._name} is better is not known."

    def _levels(self, levels: Levels, chosen: Sequence[bool] | None = None) -> str:
        named = self._named if chosen is None else chosen
        factors = self._answer.cells.factors
        return ", ".join(
            f"{factor} {level}"
            for factor, level, is_named in zip(factors, levels, named, strict=True)
            if is_named
        )

    def _moves(self, by: float) -> str:
        return "raises" if by > 0 else "lowers"

    def _of(self, found: Difference, value: float) -> str:
        return self._value(value, found.half_width or abs(found.by) / 10)

    def _by(self, found: Difference) -> str:
        """Return the size of a difference, with its interval in the same direction."""
        size, width = abs(found.by), found.half_width
        if not width:
            return self._value(size, size / 10)
        low, high = self._limits(found, width)
        return f"{self._value(size, width)} ({low} to {high})"

    def _limits(self, found: Difference, width: float) -> tuple[str, str]:
        size = abs(found.by)
        return self._number(size - width, width), self._number(size + width, width)

    def _difference(self, size: float) -> str:
        return f"{significant(size * self._scale, _DIGITS_OF_WIDTH)}{self._unit}"

    def _value(self, value: float, width: float) -> str:
        return f"{self._number(value, width)}{self._unit}"

    def _number(self, value: float, width: float) -> str:
        """Format a value with as many decimals as two digits of the half-width have."""
        scaled = value * self._scale
        resolution = width * self._scale or abs(scaled) / 100
        if not resolution:
            return "0"
        decimals = _DIGITS_OF_WIDTH - 1 - math.floor(math.log10(resolution))
        if scaled:
            decimals = min(decimals, _DIGITS - 1 - math.floor(math.log10(abs(scaled))))
        text = f"{scaled:,.{max(0, decimals)}f}"
        return text.removeprefix("-") if not float(text.replace(",", "")) else text


def _quantity(response: str, typical: float) -> tuple[str, float, str]:
    """Return the name of a response, the factor to the unit that it is given in, and this unit."""
    if response.endswith("_bps"):
        steps = ((1e9, " Gbit/s"), (1e6, " Mbit/s"), (1e3, " kbit/s"), (0.0, " bit/s"))
        size, unit = next(step for step in steps if typical >= step[0])
        return _plain(response.removesuffix("_bps")), 1 / (size or 1.0), unit
    if response.endswith("_s"):
        is_small = typical < _SMALL_SECONDS
        name = _plain(response.removesuffix("_s"))
        return name, (1e3 if is_small else 1.0), (" ms" if is_small else " s")
    return _plain(response), 1.0, ""


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _counted_list(levels: Sequence[str]) -> str:
    rest = len(levels) - MOST_RIVALS
    return listed([*levels[:MOST_RIVALS], *([f"{rest} more"] if rest > 0 else [])])

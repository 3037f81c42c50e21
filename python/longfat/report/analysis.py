"""Tables of an analysis of variance, for terminal, Markdown, LaTeX and CSV; and its JSON."""

import csv
import dataclasses
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from longfat.analysis.analysis import Analysis, Component, Effect, joined
from longfat.analysis.answer import answer_of_analysis
from longfat.analysis.answer_words import answer_sentences
from longfat.analysis.residuals import Check
from longfat.analysis.words import sentences, verdict
from longfat.base.numbers import percentage
from longfat.report.answer import answer_document
from longfat.report.latex import latex_table
from longfat.report.markdown import markdown_table
from longfat.results.caution import Caution
from longfat.studies.definition import StudyDefinition

DIGITS = 4
"""Significant digits of the root mean square; papers print efficiencies as 0.8488."""

DIGITS_OF_SPREAD = 2
"""Fewest significant digits of the deviation of errors, even beside a much larger mean."""

CERTAIN_DIGITS = 12
"""Significant digits that are not affected by round-off."""

DIGITS_OF_A_DOUBLE = 15
"""Largest number of significant digits of a double-precision number."""

FROM, TO = 1e-2, 1e7
"""Range of SSY in which sums of squares are written without an exponent."""


@dataclass(frozen=True)
class AnalysisTable:
    """Table of an analysis, as text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def analysis_tables(analysis: Analysis) -> list[AnalysisTable]:
    """Return the allocation of variation, main effects, interactions and residual checks."""
    numbers = _Numbers(analysis)
    tables = [_allocation(analysis, numbers)]
    for title, effects in (
        ("Main effects", analysis.effects),
        ("Interactions", analysis.interactions),
    ):
        if effects:
            tables.append(_effects(title, effects, analysis, numbers))
    if analysis.checks:
        rows = [
            [
                check.name,
                check.measure,
                f"{check.statistic:.3f}",
                f"{check.p_value:.3f}",
                "good" if check.passed else "doubtful",
            ]
            for check in analysis.checks
        ]
        header = ["check", "measure", "value", "p", "verdict"]
        tables.append(AnalysisTable("Residuals", header, rows))
    return tables


def summary(analysis: Analysis) -> str:
    """Return a line with the mean, the standard deviation of errors and the experiment's size."""
    numbers = _Numbers(analysis)
    error = "unknown"
    if analysis.standard_error is not None:
        error = (
            f"{numbers.response(analysis.standard_error)} "
            f"({analysis.degrees_of_freedom} degrees of freedom)"
        )
    least = " at least" if analysis.observed is not None else ""
    replications = ""
    if analysis.replications > 1:
        replications = f",{least} {analysis.replications} replications"
    return (
        f"{analysis.response}: mean {numbers.response(analysis.mean)}"
        f"{numbers.interval(analysis.mean_low, analysis.mean_high, ' ')}, "
        f"standard deviation of errors {error}; {analysis.observations} observations"
        f"{replications}, {percentage(analysis.confidence)} % intervals"
    )


def analysis_markdown(analysis: Analysis, more: bool | None = None) -> str:
    """Return summary, answer, tables and sentences as Markdown; `more` is as of the answer."""
    answered = answer_sentences(answer_of_analysis(analysis, more))
    lines = [summary(analysis) + ".", "", *(f"- {sentence}" for sentence in answered)]
    for table in analysis_tables(analysis):
        lines += ["", f"**{table.title}**", "", *markdown_table(table.header, table.rows)]
    lines += ["", *(f"- {sentence}" for sentence in sentences(analysis))]
    return "\n".join(lines) + "\n"


def analysis_latex(analysis: Analysis) -> str:
    """Return the tables as LaTeX that needs no package."""
    tables = analysis_tables(analysis)
    return "\n".join(
        latex_table(f"{table.title}: {analysis.response}", table.header, table.rows)
        for table in tables
    )


_COMPONENT = {field.name for field in dataclasses.fields(Component)}
_EFFECT = {field.name for field in dataclasses.fields(Effect)}
_CHECK = {field.name for field in dataclasses.fields(Check)}
_MAIN_EFFECT = {"factor", "level", *_EFFECT} - {"factors", "levels"}

CSV_COLUMNS = (
    "part",
    "name",
    "levels",
    "sum_of_squares",
    "percent",
    "degrees_of_freedom",
    "mean_square",
    "f_ratio",
    "p_value",
    "effect",
    "low",
    "high",
    "significant",
)


def analysis_csv(analysis: Analysis) -> str:
    """Return components and effects as CSV with all digits, a row each."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for component in analysis.components:
        row = {"part": component.kind, **dataclasses.asdict(component)}
        writer.writerow({column: row[column] for column in CSV_COLUMNS if column in row})
    for effect in [*analysis.effects, *analysis.interactions]:
        part = "main effect of a level" if len(effect.factors) == 1 else "interaction of levels"
        writer.writerow(
            {
                "part": part,
                "name": joined(effect.factors),
                "levels": joined(effect.levels),
                "effect": effect.effect,
                "low": effect.low,
                "high": effect.high,
                "significant": effect.significant,
            }
        )
    return text.getvalue()


def analysis_document(
    analysis: Analysis,
    source: Mapping[str, Any],
    more: bool | None = None,
    cautions: Sequence[Caution] = (),
) -> dict[str, Any]:
    """Return the document of ``longfat analyze --json``; `source` has the origin of the data.

    Of a study, `source` is `source_of_study`.

    `more` says whether more of the response is better, if it is no metric. `cautions` are about its
    runs.
    """
    return {
        **source,
        "response": analysis.response,
        "factors": {factor: list(levels) for factor, levels in analysis.factors.items()},
        "confidence": analysis.confidence,
        "order": analysis.order,
        "observations": analysis.observations,
        "unbalanced": analysis.unbalanced or None,
        "transform": analysis.transform,
        "replications": analysis.replications,
        "blocks": analysis.blocks,
        "mean": analysis.mean,
        "mean_low": analysis.mean_low,
        "mean_high": analysis.mean_high,
        "individual_values": analysis.individual_values,
        "overall_mean": analysis.overall_mean,
        "total_variation": analysis.total_variation,
        "components": [dataclasses.asdict(component) for component in analysis.components],
        "effects": [_main_effect_document(effect) for effect in analysis.effects],
        "interactions": [dataclasses.asdict(effect) for effect in analysis.interactions],
        "standard_error": analysis.standard_error,
        "degrees_of_freedom": analysis.degrees_of_freedom,
        "predicted": list(analysis.predicted),
        "residuals": list(analysis.residuals),
        "checks": [dataclasses.asdict(check) for check in analysis.checks],
        "advice": analysis.advice and dataclasses.asdict(analysis.advice),
        "answer": answer_document(answer_of_analysis(analysis, more)),
        "words": sentences(analysis),
        "cautions": [str(caution) for caution in cautions],
    }


def source_of_study(name: str, study: StudyDefinition) -> dict[str, Any]:
    """Return the origin of an analysis: the study, and all its levels, for colours of plots."""
    return {"source": name, "levels_of_study": study.named_levels}


def is_analysis_document(document: object) -> bool:
    """Whether a document has the parts of an `analysis_document` that plots need."""
    if not isinstance(document, dict):
        return False
    numbers = [
        document.get(name) for name in ("mean", "confidence", "observations", "replications")
    ]
    for name in ("predicted", "residuals"):
        values = document.get(name)
        numbers += values if isinstance(values, list) else [None]
    is_told = all(isinstance(number, int | float) for number in numbers)
    is_told = is_told and isinstance(document.get("response"), str)
    levels = document.get("levels_of_study", {})
    is_told = is_told and isinstance(levels, dict) and all(map(_are_names, levels.values()))
    rows = {
        "components": _COMPONENT,
        "effects": _MAIN_EFFECT,
        "interactions": _EFFECT,
        "checks": _CHECK,
    }
    return is_told and all(
        isinstance(document.get(part), list)
        and all(isinstance(row, dict) and keys <= row.keys() for row in document[part])
        for part, keys in rows.items()
    )


def _are_names(levels: object) -> bool:
    return isinstance(levels, list) and all(isinstance(level, str) for level in levels)


def _main_effect_document(effect: Effect) -> dict[str, Any]:
    return {
        "factor": effect.factors[0],
        "level": effect.levels[0],
        "effect": effect.effect,
        "low": effect.low,
        "high": effect.high,
        "significant": effect.significant,
    }


def _allocation(analysis: Analysis, numbers: "_Numbers") -> AnalysisTable:
    has_aliases = any(component.aliases for component in analysis.components)
    header = ["component", "sum of squares", "%", "df", "mean square", "F", "p", "verdict"]
    totals = [
        ["individual values", numbers.square(analysis.individual_values)],
        ["overall mean", numbers.square(analysis.overall_mean)],
        ["total variation", numbers.square(analysis.total_variation), "100.00"],
    ]
    rows = [[*total, *["-"] * (len(header) - len(total))] for total in totals]
    rows += [_component_cells(component, numbers) for component in analysis.components]
    if has_aliases:
        header = [*header, "also"]
        also = [", ".join(component.aliases) or "-" for component in analysis.components]
        rows = [[*row, name] for row, name in zip(rows, ["-"] * len(totals) + also, strict=True)]
    return AnalysisTable("Allocation of variation", header, rows)


def _component_cells(component: Component, numbers: "_Numbers") -> list[str]:
    is_error = component.kind == "error"
    return [
        component.name,
        numbers.square(component.sum_of_squares),
        rounded_text(component.percent, 2),
        str(component.degrees_of_freedom),
        f"{component.mean_square:.4g}",
        "-" if component.f_ratio is None else f"{component.f_ratio:.4g}",
        "-" if component.p_value is None else f"{component.p_value:.2g}",
        "-" if is_error else verdict(component.significant),
    ]


def _effects(
    title: str, effects: Sequence[Effect], analysis: Analysis, numbers: "_Numbers"
) -> AnalysisTable:
    header = [
        "factor",
        "level",
        "effect",
        f"{percentage(analysis.confidence)} % interval",
        "verdict",
    ]
    rows = [
        [
            joined(effect.factors),
            joined(effect.levels),
            numbers.response(effect.effect),
            numbers.interval(effect.low, effect.high) or "-",
            verdict(effect.significant),
        ]
        for effect in effects
    ]
    return AnalysisTable(title, header, rows)


class _Numbers:
    """Formats numbers, with decimals chosen from the size and the spread of the response."""

    def __init__(self, analysis: Analysis) -> None:
        largest = math.sqrt(analysis.individual_values / analysis.observations)
        spread = analysis.standard_error or math.sqrt(
            analysis.total_variation / analysis.observations
        )
        wanted = max(0, _decimals(largest, DIGITS), _decimals(spread, DIGITS_OF_SPREAD))
        self._decimals = max(0, min(wanted, _decimals(largest, DIGITS_OF_A_DOUBLE)))
        self._plain_squares = FROM <= analysis.individual_values < TO

    def response(self, value: float) -> str:
        """Format a number in the unit of the response."""
        return rounded_text(value, self._decimals)

    def square(self, value: float) -> str:
        """Format a sum of squares."""
        return rounded_text(value, self._decimals) if self._plain_squares else f"{value:.5g}"

    def interval(self, low: float | None, high: float | None, before: str = "") -> str:
        """Format an interval as "(low, high)", after the text `before`; empty without one."""
        if low is None or high is None:
            return ""
        return f"{before}({self.response(low)}, {self.response(high)})"


def _decimals(value: float, digits: int) -> int:
    """Return the number of decimals that gives a positive number so many significant digits."""
    return digits - 1 - math.floor(math.log10(value))


def rounded_text(value: float, decimals: int) -> str:
    """Format a number with `decimals` decimals, rounding halves away from zero, without -0.

    Means of decimals often end in a half, which binary arithmetic does not represent exactly.
    """
    wanted = decimals - _decimals(abs(value), 0) if value else 0
    cleaned = Decimal(f"{value:.{max(CERTAIN_DIGITS, wanted)}g}")
    text = f"{cleaned.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    return text.removeprefix("-") if float(text) == 0 else text

"""Comparisons as JSON documents."""

from collections.abc import Sequence
from typing import Any

from longfat import _engine
from longfat.analysis.answer import answer_of_table
from longfat.report.answer import answer_document
from longfat.results.comparison import Entry, Summary, TableComparison
from longfat.results.curves import curves
from longfat.studies.definition import StudyDefinition


def comparison_document(
    study: StudyDefinition, tables: Sequence[TableComparison], confidence: float | None = None
) -> dict[str, Any]:
    """Return the document of ``longfat study compare --json``.

    `confidence` (0 to 1) is of the intervals of means; the default is that of the study's
    precision.
    """
    chosen = study.design.precision.confidence if confidence is None else confidence
    return {
        "study": study.name,
        "engine": _engine.ENGINE_VERSION,
        "confidence": chosen,
        "tables": [_table(study, table, chosen) for table in tables],
    }


def _table(study: StudyDefinition, table: TableComparison, confidence: float) -> dict[str, Any]:
    answered = answer_of_table(table, confidence, common=study.design.seeds == "common")
    return {
        "table": table.response.table,
        "title": table.response.title,
        "response": table.response.metric,
        **_summary(table.summary),
        "by": {
            factor: {level: _summary(summary) for level, summary in levels.items()}
            for factor, levels in table.by.items()
        },
        "enough": [
            {**dict(curve.combination), "level": curve.enough}
            for curve in curves(table)
            if table.response.enough is not None
        ],
        "answer": None if answered is None else answer_document(answered),
        "cautions": [{"kind": caution.kind, "said": caution.said} for caution in table.cautions],
        "entries": [
            {
                **_entry(entry, confidence),
                "cautions": [caution.kind for caution in table.about(entry)],
            }
            for entry in table.entries
        ],
    }


def _summary(summary: Summary) -> dict[str, Any]:
    return {
        "rows": summary.rows,
        "compared": summary.compared,
        "mean_absolute_error": summary.mean_absolute_error,
        "bias": summary.bias,
        "deterministic_error": summary.deterministic_error,
        "rank_correlation": summary.rank_correlation,
        "inside_range": summary.inside_range,
        "deterministic": summary.deterministic,
        "mean": summary.mean,
        "min": summary.minimum,
        "max": summary.maximum,
    }


def _entry(entry: Entry, confidence: float) -> dict[str, Any]:
    low, high = entry.interval(confidence)
    return {
        **dict(entry.combination),
        "reference": entry.reference,
        "doubtful": entry.doubtful,
        "note": entry.note,
        "deterministic": entry.deterministic,
        "mean": entry.mean,
        "mean_low": low,
        "mean_high": high,
        "min": entry.minimum,
        "max": entry.maximum,
        "replications": entry.replications,
    }

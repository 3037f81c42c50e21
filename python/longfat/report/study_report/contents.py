"""Data of a report: all that its sections need, gathered once."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longfat.analysis.analysis import Settings
from longfat.analysis.cautions import cautions, lengths, paths_of, with_cautions
from longfat.analysis.claim_tables import paper_tables, run_tables
from longfat.analysis.claims import Judgement, check_claims, judge_claims
from longfat.report.analysis import analysis_document, source_of_study
from longfat.report.claims import claims_document
from longfat.report.document import comparison_document
from longfat.report.study_report.parts import ChosenRun, PartAnalysis, analyses, chosen_runs
from longfat.results.caution import Caution
from longfat.results.comparison import Results, TableComparison
from longfat.results.stored import compare_results
from longfat.statistics.intervals import DEFAULT_CONFIDENCE, Intervals
from longfat.studies.claims import claims_of
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan, Replicated
from longfat.traces import Traces

_NOT_CARRIED = ("predicted", "residuals")


@dataclass(frozen=True)
class Said:
    """Study, part and store as the user gave them, for the commands in the report.

    `store` is the location of the store as returned by `longfat.base.location.in_commands`.
    """

    study: str
    tables: str | None = None
    where: str | None = None
    replications: int | None = None
    quick: bool = False
    store: str = ""

    @property
    def is_part(self) -> bool:
        """Whether this is a part of the study only."""
        return self.quick or bool(self.tables or self.where)

    def command(
        self, verb: str, *more: str, table: str | None = None, where: str | None = None
    ) -> str:
        """Return a command about this part, or about a table or a condition within it."""
        both = [condition for condition in (self.where, where) if condition]
        words = ["longfat", *verb.split(), self.study, *more]
        words += _option("--table", table or self.tables)
        words += _option("--where", " AND ".join(both) if len(both) < 2 else _all_of(both))
        words += _option("--replications", self.replications)
        words += ["--quick"] if self.quick else []
        return _shell([*words, *_option("--store", self.store)])

    def claims_command(self, replications: int | None, *more: str) -> str:
        """Return the command that judges the claims, which are about the whole study."""
        words = ["longfat", "study", "claims", self.study, *more]
        words += _option("--replications", replications)
        return _shell([*words, *_option("--store", self.store)])


def _shell(words: Sequence[str]) -> str:
    """Quote words for a shell: SQL conditions, which have apostrophes, in double quotes."""
    return " ".join(
        f'"{word}"' if "'" in word and not set(word) & set('"$`\\\\!') else shlex.quote(word)
        for word in words
    )


def _option(name: str, value: object) -> list[str]:
    return [] if value in (None, "") else [name, str(value)]


def _all_of(conditions: Sequence[str]) -> str:
    return " AND ".join(f"({condition})" for condition in conditions)


@dataclass(frozen=True)
class Claims:
    """Judgements of claims, the number of replications that they are based on, and cautions."""

    judgements: Sequence[Judgement]
    replications: int
    cautions: Sequence[Caution]


@dataclass(frozen=True)
class Contents:
    """Data of a report about one plan.

    `cautions` are about all of its runs; tables have their own. `watched` has the traces of the
    chosen runs by run id; `engines` counts the stored runs of each engine version.
    """

    said: Said
    plan: Plan
    results: Results
    confidence: float
    tables: Sequence[TableComparison]
    cautions: Sequence[Caution]
    claims: Claims | None
    analyses: Sequence[PartAnalysis]
    chosen: Sequence[ChosenRun]
    watched: Mapping[str, Traces]
    engines: Mapping[str, int]

    @property
    def study(self) -> StudyDefinition:
        """Study of the plan."""
        return self.plan.study

    @property
    def done(self) -> int:
        """Number of distinct runs with a result."""
        return sum(
            run.replication in self.results[run.combination] for run in self.plan.distinct.values()
        )

    def documents(self) -> dict[str, Any]:
        """Return the JSON documents of `compare`, `claims` and `analyze`, by command.

        Predictions and residuals are omitted: the figure of the residuals has them.
        """
        usual = self.confidence == self.study.design.precision.confidence
        sure = [] if usual else _option("--confidence", self.confidence)
        found: dict[str, Any] = {
            self.said.command("study compare", "--json", *sure): comparison_document(
                self.study, self.tables, self.confidence
            )
        }
        if self.claims is not None:
            found[f"{self.claims_command} --json"] = claims_document(
                self.study,
                self.claims.judgements,
                self.confidence,
                self.claims.replications,
                self.claims.cautions,
            )
        for part in self.analyses:
            source = source_of_study(self.said.study, self.study)
            document = analysis_document(part.analysis, source, cautions=part.cautions)
            for long in _NOT_CARRIED:
                del document[long]
            found[self.analyze(part, "--json")] = document
        return found

    @property
    def claims_command(self) -> str:
        """Command that prints the verdicts."""
        return self.said.claims_command(self.plan.selection.replications, *self._how_sure)

    @property
    def report_command(self) -> str:
        """Command that writes the report."""
        return self.said.command("report", "-o", "report.html", *self._how_sure)

    def analyze(self, part: PartAnalysis, *more: str) -> str:
        """Return the command that prints an analysis."""
        words = ("--response", part.analysis.response, *self._how_sure, *more)
        return self.said.command("analyze", *words, table=part.table, where=part.where)

    @property
    def _how_sure(self) -> list[str]:
        """Option for the confidence; empty for the default."""
        usual = self.confidence == DEFAULT_CONFIDENCE
        return [] if usual else _option("--confidence", self.confidence)


def gather(
    said: Said,
    plan: Plan,
    results: Results,
    everything: tuple[Plan, Results, Replicated[str]],
    confidence: float,
    watched: Mapping[str, Traces],
    engines: Mapping[str, int],
) -> Contents:
    """Gather the data of a report from the results of a plan.

    `everything` has the plan of the whole study, its results, and its completions if claims read
    them, since a claim may depend on any run. `confidence` is a share between 0.5 and 1.
    """
    tables = with_cautions(plan, results, compare_results(plan, results))
    settings = Settings(Intervals(confidence))
    metrics = list(dict.fromkeys(table.response.metric for table in tables))
    return Contents(
        said=said,
        plan=plan,
        results=results,
        confidence=confidence,
        tables=tables,
        cautions=cautions(plan, results, metrics),
        claims=_claims(*everything, confidence),
        analyses=list(analyses(plan, results, tables, settings)),
        chosen=chosen_runs(plan, results, tables) if tables else [],
        watched=watched,
        engines=engines,
    )


def _claims(
    plan: Plan, results: Results, completions: Replicated[str], confidence: float
) -> Claims | None:
    """Judge the claims; None for a study without claims."""
    claims = claims_of(plan.study)
    if not claims:
        return None
    ours = run_tables(plan, results, completions)
    check_claims(plan.study, claims, ours)
    judgements = judge_claims(claims, ours, paper_tables(plan), confidence)
    return Claims(judgements, ours.replications, list(lengths(paths_of(plan))))

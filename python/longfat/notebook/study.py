"""A study in a notebook: the selected part, its store and its analyses."""

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from longfat.analysis.analysis import Analysis, Settings
from longfat.analysis.answer import answer_of_analysis, answer_of_table
from longfat.analysis.answer_words import answer_sentences
from longfat.analysis.cautions import cautions, with_cautions
from longfat.analysis.study_runs import analyse_study
from longfat.analysis.verdicts import stored_verdicts
from longfat.analysis.words import sentences
from longfat.base.cells import names_in
from longfat.base.errors import LongfatError, RunFailed, check_count
from longfat.base.extras import need
from longfat.base.files import written_whole
from longfat.base.html import Html, element, joined, table
from longfat.base.location import DEFAULT_STORE, in_commands, shown
from longfat.plots import draw, find
from longfat.plots.figure import Figure
from longfat.plots.options import STUDY_SOURCES, Options, Source
from longfat.plots.studies import options_of, source_of
from longfat.report.analysis import (
    analysis_document,
    analysis_tables,
    source_of_study,
    summary,
)
from longfat.report.claims import claims_document
from longfat.report.document import comparison_document
from longfat.report.markdown import table_name
from longfat.report.study_report.contents import Said
from longfat.results.caution import Caution
from longfat.results.comparison import Results
from longfat.results.sequential import in_effect
from longfat.results.stored import compare_results, load_responses, load_results
from longfat.running.execution import Progress
from longfat.running.limits import Limits
from longfat.running.repeat import check_other_builds
from longfat.statistics.intervals import DEFAULT_CONFIDENCE, Intervals, check_confidence
from longfat.store import Store
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Plan, Selection, plan_design, plan_reference, selection_of

if TYPE_CHECKING:
    import polars

WHAT_PLOTS_SHOW: Mapping[Source, str] = {
    "traces": "the traces of runs (longfat.traced(scenario)) or their folders",
    "study": "a study (longfat.study(name))",
    "ledgers": "a study (longfat.study(name))",
    "results": "a study (longfat.study(name))",
    "analysis": "an analysis (longfat.study(name).analyze(response))",
    "orbit": "a description of orbits, by its path",
}
"""Source of a plot in words, and how to create it."""


def study(
    name_or_path: str | Path,
    *,
    tables: str | Sequence[str] = (),
    where: str | None = None,
    replications: int | None = None,
    quick: bool = False,
    store: str | Path | None = None,
) -> "Study":
    """Open a study by its shipped name or the path of its folder or file, with its store.

    `tables`, `where`, `replications` and `quick` select a part of it, as on the command line:
    tables are a list, or a text such as ``"2,3"``. The store defaults to LONGFAT_STORE, or else
    ``longfat.db``. Raises `longfat.LongfatError` for an unknown name and for files that are invalid
    or cannot be read, and `longfat.InvalidInput` for a study or a scenario that the engine refuses.
    """
    check_count("replications", replications, 0)
    definition = load_study(name_or_path)
    location = str(store or os.environ.get("LONGFAT_STORE") or DEFAULT_STORE)
    small = definition.quick if quick else None
    names = _names(tables, "tables")
    said = Said(
        str(name_or_path),
        ",".join(names) or None,
        where,
        replications,
        quick,
        in_commands(location),
    )
    return Study(definition, selection_of(names, where, replications, small), location, said)


class Study:
    """A part of a study and the store of its runs; created by `longfat.study`.

    `definition` is the content of the study's files, `selection` the part, and `store` the path or
    URL of the store.
    """

    def __init__(
        self, definition: StudyDefinition, selection: Selection, store: str, said: Said
    ) -> None:
        self.definition = definition
        self.selection = selection
        self.store = store
        self._said = said

    def plan(self) -> Plan:
        """Return the plan of this part's runs.

        Raises as `longfat.studies.plan.plan_design` does.
        """
        return plan_design(self.definition, self.selection)

    def run(self, jobs: int | None = None, *, limits: Limits | None = None) -> Self:
        """Simulate the runs that the store does not have, on `jobs` threads (all cores if None).

        Finished runs are stored in any case. Raises `longfat.RunFailed` if runs failed.
        """
        from longfat.running.campaign import run_campaign
        from longfat.running.execution import Threads, usable_cores
        from longfat.running.until_enough import run_until_enough

        check_count("jobs", jobs, 1)
        threads = jobs or usable_cores()
        plan = self.plan()
        with Store.writable(self.store) as opened:
            check_other_builds(plan, opened, threads)
            done = run_until_enough(
                plan,
                opened,
                lambda missing: run_campaign(missing, opened, Threads(threads), _silent, limits),
                lambda _plan, _missing: None,
            )
            if done.failed:
                failures = opened.failures(list(done.plan.distinct))
                raise RunFailed("; ".join(sorted(set(failures.values()))))
        return self

    def runs(self) -> "polars.DataFrame":
        """Return a row for each stored run: its factors, replication, id and metrics.

        Warns if none is stored, as `compare` and `claims` do.
        """
        need("analysis", "a data frame", "polars")
        import polars

        plan, results = self._stored_results(self.plan())
        rows = [
            {
                **dict(run.combination),
                "replication": run.replication,
                "run_id": run.scenario.run_id,
                **results[run.combination][run.replication],
            }
            for run in plan.runs
            if run.replication in results[run.combination]
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def compare(self) -> "polars.DataFrame":
        """Compare with the paper's numbers: a row for each entry of each table.

        The column `cautions` has the doubts about an entry in words; it is empty without any.
        """
        need("analysis", "a data frame", "polars")
        import polars

        plan, results = self._stored_results(plan_reference(self.definition, self.selection))
        tables = with_cautions(plan, results, compare_results(plan, results))
        documents = comparison_document(self.definition, tables)["tables"]
        rows = [
            {
                "table": document["table"],
                "response": document["response"],
                **entry,
                "cautions": "; ".join(map(str, table.about(own))),
            }
            for table, document in zip(tables, documents, strict=True)
            for own, entry in zip(table.entries, document["entries"], strict=True)
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def answer(self, confidence: float | None = None) -> dict[str, list[str]]:
        """Return what follows from each table in sentences, by its name.

        They say which combination is best, which others may be as good, and what each factor is
        worth. The default confidence is that of the study's precision.
        """
        plan, results = self._stored_results(plan_reference(self.definition, self.selection))
        design = self.definition.design
        sure = design.precision.confidence if confidence is None else confidence
        check_confidence(sure)
        answers = {
            table_name(found): answer_of_table(found, sure, common=design.seeds == "common")
            for found in compare_results(plan, results)
        }
        return {name: answer_sentences(one) for name, one in answers.items() if one is not None}

    def claims(self, confidence: float = DEFAULT_CONFIDENCE) -> "polars.DataFrame":
        """Return a row with the verdict for each claim of the source.

        Claims are about the whole study, perhaps with fewer replications, or about its small part
        (`quick`), which leaves out the claims that need other runs. Raises `LongfatError` for
        another part and for a small part that can decide no claim, and `longfat.InvalidInput` for a
        confidence that is not between 0.5 and 1.
        """
        need("analysis", "a data frame", "polars")
        import polars

        said = self._said
        if said.tables or said.where:
            name = self.definition.name
            raise LongfatError(
                f"claims are about all of {name}, and this is a part of it; ask longfat.study"
                f"({said.study!r}) without tables and where"
            )
        with Store.readable(self.store) as opened:
            judged = stored_verdicts(
                self.definition,
                opened,
                confidence,
                replications=self.selection.replications,
                quick=said.quick,
            )
        if not judged.has_runs:
            self._warn_that_nothing_is_stored(above=1)
        document = claims_document(
            self.definition, judged.judgements, confidence, judged.replications
        )
        columns = ("id", "section", "statement", "verdict", "measured", "low", "high", "criterion",
                   "holds_in_paper")  # fmt: skip
        rows = [
            {
                **{column: claim[column] for column in columns},
                "cautions": "; ".join(claim["cautions"]),
            }
            for claim in document["claims"]
        ]
        return polars.DataFrame(rows, infer_schema_length=None)

    def analyze(
        self,
        response: str,
        factors: str | Sequence[str] | None = None,
        *,
        confidence: float = DEFAULT_CONFIDENCE,
        order: int | None = None,
    ) -> "StudyAnalysis":
        """Compute the analysis of variance of a metric over this part.

        The metric may also be a statistic of completion times: ``"flow up to 100 kB p95_s"``.
        Factors are a list, or a text such as ``"policy,buffer"``; by default all that vary. Raises
        `longfat.LongfatError` if the part is no full factorial design or runs are missing, and
        `longfat.InvalidInput` for a confidence that is not between 0 and 1.
        """
        with Store.readable(self.store) as opened:
            plan = in_effect(self.plan(), opened)
            results = load_responses(plan, opened, response)
        settings = Settings(Intervals(confidence), order)
        chosen = None if factors is None else _names(factors, "factors")
        found = analyse_study(plan, results, chosen, response, settings)
        origin = source_of_study(self._said.study, self.definition)
        return StudyAnalysis(found, cautions(plan, results, [response]), origin)

    def plot(self, kind: str, **options: Any) -> Figure:
        """Draw a plot of the stored runs by its name; `options` are those of `longfat plot`.

        Raises `longfat.LongfatError` for a plot that is not of a study.
        """
        wants = find(kind).SOURCE
        if wants not in STUDY_SOURCES:
            raise LongfatError(f"{kind} shows {WHAT_PLOTS_SHOW[wants]}, not a study")
        plan, results = self._results(plan_reference(self.definition, self.selection))
        own = options_of(self.definition, Options(**options))
        return draw(kind, source_of(kind, plan, results), own)

    def report(self, output: str | Path, *, with_traces: bool = True) -> Path:
        """Write the report of this part to an HTML page; returns its path."""
        from longfat.report.from_store import report

        made = report(
            self.definition, self.selection, self.store, self._said, with_traces=with_traces
        )
        with written_whole(Path(output)) as temporary:
            temporary.write_text(made.html, encoding="utf-8")
        return Path(output)

    def _stored_results(self, plan: Plan) -> tuple[Plan, Results]:
        found = self._results(plan)
        if not any(found[1].values()):
            self._warn_that_nothing_is_stored(above=2)
        return found

    def _warn_that_nothing_is_stored(self, above: int) -> None:
        """Warn at the user's line, `above` frames up the stack."""
        store, name = shown(self.store), self.definition.name
        message = f"{store} has no such run of {name} yet; run() makes them"
        warnings.warn(message, stacklevel=2 + above)

    def _results(self, plan: Plan) -> tuple[Plan, Results]:
        with Store.readable(self.store) as opened:
            plan = in_effect(plan, opened)
            return plan, load_results(plan, opened)

    def cautions(self) -> list[str]:
        """Return the doubts about the results so far, in words, as `longfat study status` does."""
        plan, results = self._results(self.plan())
        return [str(caution) for caution in self._cautions(plan, results)]

    def _cautions(self, plan: Plan, results: Results) -> list[Caution]:
        responses = self.definition.responses
        metrics = list(dict.fromkeys(response.metric for response in responses))
        return cautions(plan, results, metrics)

    def __repr__(self) -> str:
        return f"<study {self.definition.name}: {self.definition.title}>"

    def _repr_html_(self) -> str:
        plan, results = self._results(self.plan())
        doubts = self._cautions(plan, results)
        lacking = plan.lacking(results)
        done = plan.planned_runs - lacking
        factors = [[factor.name, ", ".join(factor.levels)] for factor in self.definition.factors]
        title, citation = self.definition.title, self.definition.citation
        return joined([
            element("p", element("b", title), element("br"), citation),
            table(["factor", "levels"], factors),
            element("p", f"{done} of {plan.planned_runs} runs are in {shown(self.store)}."),
            _list_of(doubts),
        ])  # fmt: skip


class StudyAnalysis:
    """An analysis of variance: tables, sentences, plots, and cautions about its runs."""

    def __init__(
        self,
        analysis: Analysis,
        cautions: Sequence[Caution] = (),
        origin: Mapping[str, Any] | None = None,
    ) -> None:
        self.analysis = analysis
        self.cautions = cautions
        self._origin = origin or {}

    def document(self) -> Mapping[str, Any]:
        """Return the document that `longfat analyze --json` prints."""
        return analysis_document(self.analysis, self._origin, cautions=self.cautions)

    def components(self) -> "polars.DataFrame":
        """Return the allocation of variation: a row for each factor, interaction and the error."""
        return self._frame("components")

    def effects(self) -> "polars.DataFrame":
        """Return the effect of each level of each factor, with its confidence interval."""
        return self._frame("effects")

    def answer(self) -> list[str]:
        """Return the best combination, its rivals and what each factor is worth, in sentences."""
        return answer_sentences(answer_of_analysis(self.analysis))

    def sentences(self) -> list[str]:
        """Return how the variation is allocated, and what the residuals look like, in sentences."""
        return sentences(self.analysis)

    def plot(self, kind: str) -> Figure:
        """Draw one of the plots of analyses by its name."""
        return draw(kind, self.document())

    def _frame(self, part: str) -> "polars.DataFrame":
        need("analysis", "a data frame", "polars")
        import polars

        return polars.DataFrame(self.document()[part], infer_schema_length=None)

    def __repr__(self) -> str:
        doubts = (f"caution: {caution}" for caution in self.cautions)
        return "\n".join([summary(self.analysis), *doubts])

    def _repr_html_(self) -> str:
        said = (element("li", sentence) for sentence in [*self.answer(), *self.sentences()])
        tables = [
            table(each.header, each.rows, each.title) for each in analysis_tables(self.analysis)[:2]
        ]
        parts = [element("p", summary(self.analysis)), _list_of(self.cautions)]
        return joined([*parts, element("ul", *said), *tables])


def _list_of(cautions: Sequence[Caution]) -> Html:
    items = (element("li", f"Caution, {caution}.") for caution in cautions)
    return element("ul", *items) if cautions else Html("")


def _silent(_progress: Progress) -> None:
    pass


def _names(given: str | Sequence[str], what: str) -> list[str]:
    """Return names from a list, or from a text in the syntax of the command line."""
    return names_in(given, f"{what}={given!r}") if isinstance(given, str) else list(given)

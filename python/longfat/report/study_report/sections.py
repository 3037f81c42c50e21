"""Sections of a report, in order."""

from collections.abc import Callable, Sequence

from longfat.analysis.answer import answer_of_table
from longfat.analysis.answer_words import answer_sentences
from longfat.analysis.words import listed, sentences
from longfat.base.html import Html, element, folded, joined, table
from longfat.base.numbers import counted, formatted, formatted_share
from longfat.records.tables import part_table, run_ledger_rows
from longfat.report.analysis import analysis_tables
from longfat.report.analysis import summary as analysis_summary
from longfat.report.claims import claim_table, how_sure, undecided
from longfat.report.claims import summary as claims_summary
from longfat.report.markdown import (
    SUMMARY_COLUMNS,
    overview_rows,
    table_name,
)
from longfat.report.study_report.contents import Contents
from longfat.report.study_report.figures import Figures, trace_command
from longfat.report.study_report.marks import (
    Note,
    marked_curves,
    marked_entries,
    marked_parts,
    note_list,
    notes_of,
)
from longfat.report.study_report.parts import ChosenRun, PartAnalysis, groups, names_of
from longfat.results.comparison import TableComparison
from longfat.results.ledger import METRIC_PREFIX
from longfat.scenarios.resolved import in_units, travels_whole
from longfat.scenarios.scenario import Overrides
from longfat.studies.definition import StudyDefinition
from longfat.studies.knobs import knobs_of

_OF_GROUPS = ("efficiency-fairness", "reference", "buffer-efficiency", "ledger")
_METRICS_WITH_FIGURES = {"efficiency", "fairness"}
"""Metrics shown in the figures of `_OF_GROUPS`; others get the plot `responses`."""
_OF_ANALYSES = ("variation", "main-effects", "interactions", "residuals")
_OF_RUNS = ("three-panel", "cwnd", "time-sequence")
_MOST_SETTINGS = 4
"""Number of settings of a level that the table of factors lists; it counts the others."""

Section = tuple[str, str, Html]
"""Anchor, title and body of a section."""


def sections(contents: Contents, figures: Figures) -> list[Section]:
    """Return all sections that are not empty."""
    is_compared = any(table.response.is_printed for table in contents.tables)
    makers: list[tuple[str, str, Callable[[Contents, Figures], Html]]] = [
        ("question", "Question and factors", _question),
        ("answer", "Answer in words", _answer),
        ("comparison", "Comparison with the paper" if is_compared else "Results", _comparison),
        ("claims", "Claims", _claims),
        ("variation", "Which factors matter", _variation),
        ("runs", "Worst and typical run", _runs),
        ("knobs", "Knobs", _knobs),
        ("provenance", "Provenance", _provenance),
    ]
    made = [(name, title, make(contents, figures)) for name, title, make in makers]
    return [section for section in made if section[2]]


def _question(contents: Contents, _figures: Figures) -> Html:
    study = contents.study
    combinations = contents.plan.of_combination
    varying = [
        factor.name
        for factor in study.factors
        if len({dict(combination).get(factor.name) for combination in combinations}) > 1
    ]
    metrics = list(dict.fromkeys(table.response.metric for table in contents.tables))
    asked = (
        f"How do {_words(metrics)} depend on {_words(varying)}?" if len(metrics) > 1
        else f"How does {_words(metrics)} depend on {_words(varying)}?"
    )  # fmt: skip
    return joined([
        element("p", element("strong", asked)),
        element("p", _design(contents)),
        _factors(study),
        *([folded("Settings that depend on several factors", _adjustments(study))]
          if study.adjustments else []),
    ])  # fmt: skip


def _words(names: Sequence[str]) -> str:
    return listed([name.replace("_", " ") for name in names])


def _design(contents: Contents) -> str:
    design, plan = contents.study.design, contents.plan
    replications = counted(plan.replications, "replication")
    chance = "; ".join(f"{override.path} = {override.value}" for override in design.perturb)
    drawn = f", which draw {chance}" if chance else ""
    seeds = "common random numbers" if design.seeds == "common" else "independent seeds"
    return (
        f"Design {design.kind}: {len(plan.scenarios)} factor combinations, each as the "
        f"scenario says (replication 0) and in {replications}{drawn}, with {seeds}."
    )


def _factors(study: StudyDefinition) -> Html:
    rows = [
        [factor.name if place == 0 else "", level, _settings(overrides)]
        for factor in study.factors
        for place, (level, overrides) in enumerate(factor.levels.items())
    ]
    return folded(
        f"{len(study.factors)} factors and their levels",
        table(["factor", "level", "what it sets"], rows, "Factors and levels"),
    )


def _settings(overrides: Overrides) -> str:
    shown = [f"{override.path} = {override.value}" for override in overrides[:_MOST_SETTINGS]]
    rest = len(overrides) - len(shown)
    return "; ".join([*shown, *([f"and {rest} more"] if rest else [])])


def _adjustments(study: StudyDefinition) -> Html:
    rows = [
        [adjustment.where, _settings(adjustment.overrides), adjustment.reason]
        for adjustment in study.adjustments
    ]
    return table(["where", "what is set", "reason"], rows, "Adjustments")


def _answer(contents: Contents, _figures: Figures) -> Html:
    claims = contents.claims
    said = []
    if claims is not None:
        said = [claims_summary(claims.judgements), *undecided(claims.judgements)]
    said += _answers_of_tables(contents.tables)
    return joined([
        *([element("ul", *(element("li", sentence) for sentence in said))] if said else []),
        *(_answer_of(contents, compared) for compared in contents.tables),
        *([element("h3", "Cautions about all of it"),
           note_list([Note("", caution) for caution in contents.cautions])]
          if contents.cautions else []),
    ])  # fmt: skip


def _answer_of(contents: Contents, compared: TableComparison) -> Html:
    common = contents.study.design.seeds == "common"
    found = answer_of_table(compared, contents.confidence, common=common)
    if found is None:
        return Html("")
    said = answer_sentences(found)
    if kinds := list(dict.fromkeys(caution.kind for caution in compared.cautions)):
        said = [*said, f"Cautions, below the table: {listed(kinds)}."]
    return joined([
        element("h3", table_name(compared)),
        element("ul", *(element("li", sentence) for sentence in said)),
    ])  # fmt: skip


def _answers_of_tables(tables: Sequence[TableComparison]) -> list[str]:
    return [
        f"Table {table.response.table}: our {table.response.metric.replace('_', ' ')} differs from "
        f"the paper's by {formatted(summary.mean_absolute_error, 3)} in the mean of "
        f"{_counted(summary.compared, 'value')} (absolute); the paper's value lies within the "
        f"range of our replications in {formatted_share(summary.inside_range)} of them."
        for table, summary in ((table, table.summary) for table in tables)
        if table.response.is_printed and summary.mean_absolute_error is not None
    ]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _where(part: PartAnalysis) -> str:
    return f", {part.where}" if part.where else ""


def _comparison(contents: Contents, figures: Figures) -> Html:
    said: list[Html] = []
    if overview := overview_rows(contents.tables):
        said.append(table(["table", "response", *SUMMARY_COLUMNS], overview, "All tables"))
        said.append(element("p", _COMPARED))
    for group in groups(contents.tables):
        said.append(element("h3", _group_name(group)))
        if not {table.response.metric for table in group} <= _METRICS_WITH_FIGURES:
            said.append(figures.of_study("responses", contents, group))
        said += [figures.of_study(kind, contents, group) for kind in _OF_GROUPS]
        said += [_table(each) for each in group]
    return joined(said)


def _group_name(group: Sequence[TableComparison]) -> str:
    """Return the heading of a group of tables: "Tables 2 and 3: … (efficiency, fairness)"."""
    names = names_of(group)
    titled = {table.response.table: table.response.title for table in group if table.response.title}
    # If some tables have no title, each title is preceded by the name of its table.
    are_all = len(titled) == len(names)
    named = (title if are_all else f"{name}: {title}" for name, title in titled.items())
    titles = "; ".join(dict.fromkeys(named))
    metrics = ", ".join(table.metric.replace("_", " ") for table in group)
    said = f": {titles}" if titles else ""
    return f"Table{'s' if len(names) > 1 else ''} {listed(names)}{said} ({metrics})"


_COMPARED = (
    "Error: mean of the absolute differences between the paper's values and the means of our "
    "replications, or our deterministic runs. Inside range: share of the paper's values between "
    "our lowest and highest replication. Doubtful digits of the source (?) are left out."
)


def _table(compared: TableComparison) -> Html:
    name = table_name(compared)
    notes, parts = notes_of(compared), Html("")
    if compared.response.across:
        parts = table(*marked_curves(compared, notes), name)
    elif compared.by:
        parts = table(*marked_parts(compared, notes), f"{name}, by factor")
    entries = folded(f"{name}: every entry", table(*marked_entries(compared, notes), name))
    return joined([parts, note_list(notes), entries])


_OF_THE_WHOLE = (
    "Claims are about the whole study: they are judged by all of its runs that are stored, and not "
    "by those of this part alone. Where runs are missing there is no data."
)


def _claims(contents: Contents, _figures: Figures) -> Html:
    if contents.claims is None:
        return Html("")
    judgements = contents.claims.judgements
    columns, rows = claim_table(judgements)
    verdict = columns.index("verdict")
    for row in rows:
        row[verdict] = element("span", row[verdict], class_=f"verdict {row[verdict].split()[0]}")
    measured = columns.index("measured")
    for row, judgement in zip(rows, judgements, strict=True):
        if judgement.cautions:
            mark = element("sup", "*", title="; ".join(judgement.cautions))
            row[measured] = joined([row[measured], mark])
    doubts = [
        element("li", element("sup", "*"), f" {judgement.claim.id}: {caution}.")
        for judgement in judgements
        for caution in judgement.cautions
    ]
    notes = [
        element(
            "li", element("b", f"{judgement.claim.id}: "), " ".join(judgement.claim.note.split())
        )
        for judgement in judgements
        if judgement.claim.note
    ]
    return joined([
        element("p", claims_summary(judgements)),
        *([element("p", _OF_THE_WHOLE)] if contents.said.is_part else []),
        element("p", how_sure(contents.confidence, contents.claims.replications), " ",
                element("code", contents.claims_command)),
        table(columns, rows, "Claims of the source" if contents.study.citation else "Claims"),
        *([element("ul", *doubts, class_="notes")] if doubts else []),
        *([folded(f"{len(notes)} notes", element("ul", *notes))] if notes else []),
    ])  # fmt: skip


def _variation(contents: Contents, figures: Figures) -> Html:
    if not contents.analyses:
        return Html("")
    first = element("p", _ANALYSED)
    return joined([
        first,
        *(_analysis(contents, part, figures, is_open=place == 0)
          for place, part in enumerate(contents.analyses)),
    ])  # fmt: skip


_ANALYSED = (
    "Analysis of variance (Jain 1991): each table whose runs are a full factorial design, or its "
    "parts at the levels of one factor. What is folded away is not printed."
)


def _analysis(contents: Contents, part: PartAnalysis, figures: Figures, *, is_open: bool) -> Html:
    analysis = part.analysis
    response = analysis.response.replace("_", " ")
    return folded(
        f"Table {part.table}: {response}{_where(part)}",
        element("p", f"{analysis_summary(analysis)}."),
        note_list([Note("", caution) for caution in part.cautions]),
        element("ul", *(element("li", sentence) for sentence in sentences(analysis))),
        *(figures.of_analysis(kind, contents, part) for kind in _OF_ANALYSES),
        *(
            folded(found.title, table(found.header, found.rows, f"{found.title}: {response}"))
            for found in analysis_tables(analysis)
        ),
        element("p", element("code", contents.analyze(part))),
        is_open=is_open,
    )


def _runs(contents: Contents, figures: Figures) -> Html:
    return joined(_run(contents, chosen, figures) for chosen in contents.chosen)


def _run(contents: Contents, chosen: ChosenRun, figures: Figures) -> Html:
    run_id = chosen.run.scenario.run_id
    levels = ", ".join(f"{factor} {level}" for factor, level in chosen.run.combination)
    traces = contents.watched.get(run_id)
    said: list[str] = [
        element("h3", chosen.role),
        element("p", f"{chosen.reason}: {levels}; replication {chosen.run.replication}; run "
                     f"{run_id[:12]}."),
        _metrics(chosen),
    ]  # fmt: skip
    said += [figures.of_run(kind, contents, chosen) for kind in _OF_RUNS]
    if traces is None:
        again = element("code", trace_command(contents, run_id))
        said.append(element("p", "What happens in it over time: ", again))
    else:
        header, rows = run_ledger_rows(traces.record["ledger"])
        said.append(folded("Where the capacity went", table(header, rows, "Ledger of the run")))
        if completions := traces.record.get("completions"):
            took = table(*part_table(completions), "Completions of the run")
            said.append(folded("How long what was asked for took", took))
    return joined(said)


def _metrics(chosen: ChosenRun) -> Html:
    whole = travels_whole(chosen.run.scenario.settings)
    rows = [
        [in_units(name, whole), formatted(value, 4)]
        for name, value in chosen.metrics.items()
        if not name.startswith(METRIC_PREFIX)
    ]
    return folded("Metrics", table(["metric", "value"], rows, "Metrics of the run"))


def _knobs(contents: Contents, _figures: Figures) -> Html:
    [knobs] = knobs_of(contents.study, [[]])
    rows = [[knob.path, knob.value, ", ".join(knob.others), knob.doc] for knob in knobs]
    return joined([
        element("p", f"{len(knobs)} choices that the sources leave open, as the study's scenario "
                     "sets them; factors may set some of them otherwise."),
        folded("Every knob", table(["parameter", "set to", "also", "why"], rows, "Knobs")),
    ])  # fmt: skip


def _provenance(contents: Contents, _figures: Figures) -> Html:
    from longfat import _engine
    from longfat.report.study_report.provenance import digests, fingerprint

    plan, said = contents.plan, contents.said
    planned = plan.distinct_runs
    engines = ", ".join(f"{engine}: {count}" for engine, count in contents.engines.items())
    facts = [
        ["study", contents.study.name],
        *([["source", contents.study.citation]] if contents.study.citation else []),
        ["engine", f"{_engine.ENGINE_VERSION}, build {_engine.ENGINE_BUILD[:12]}"],
        ["runs", f"{contents.done} of {planned} have a result"],
        ["runs of other engines", engines or "none are used"],
        ["all results", f"SHA-256 {fingerprint(plan, contents.results)}"],
        *([name, f"SHA-256 {digest}"] for name, digest in digests(contents.study)),
    ]
    commands = [
        said.command("study run"),
        said.command("study compare"),
        *([contents.claims_command] if contents.claims else []),
        contents.report_command,
        said.command("study verify", "--sample", "20"),
    ]
    return joined([
        table(["what", "which"], facts, "Where the numbers come from"),
        element("p", "To get them again, run by run, and this page:"),
        element("pre", element("code", "\n".join(commands)), tabindex="0"),
        element("p", _CARRIED),
    ])  # fmt: skip


_CARRIED = (
    "This file carries what the commands print with --json, as the element with the id "
    "“documents”, and the specification of every figure, as “figures”."
)

"""`longfat study compare --ledger`: where the capacity went, by factor combination."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longfat.base.errors import BadInput, LongfatError
from longfat.base.location import shown
from longfat.cli.options import Part, opened_store, say_cautions, study_command
from longfat.cli.talk import print_json, print_table, say, splice_into

if TYPE_CHECKING:
    from collections.abc import Sequence

    from longfat.results.ledger import LedgerRow


@dataclass(frozen=True)
class Form:
    """Output format; a text table by default."""

    as_json: bool
    markdown: bool
    splice: Path | None


def show_ledgers(study: str, part: Part, store: str, factor: str | None, form: Form) -> None:
    """Print the mean ledgers of the stored runs of a study.

    Raises `LongfatError` if no stored run has one, and `BadInput` for an unknown factor.
    """
    from longfat.analysis.cautions import cautions
    from longfat.report.ledger import ledger_document, ledger_markdown, study_ledger_rows
    from longfat.results.ledger import by_factor, ledger_rows
    from longfat.results.sequential import in_effect
    from longfat.results.stored import load_results
    from longfat.studies.definition import load_study
    from longfat.studies.plan import plan_design

    loaded = load_study(study)
    plan = plan_design(loaded, part.of(loaded))
    with opened_store(store) as opened:
        plan = in_effect(plan, opened)
        results = load_results(plan, opened)
    rows = ledger_rows(results)
    if not rows:
        raise LongfatError(
            f"{shown(store)} has no run of this part of {loaded.name} with a ledger; to run them:\n"
            f"  {study_command('run', study, part, store)}"
        )
    if factor is not None:
        _check_factor(rows, factor)
        rows = by_factor(rows, factor)
    doubts = cautions(plan, results, [])
    if form.splice is not None:
        by = f" --by {factor}" if factor else ""
        command = f"longfat study compare {loaded.name}{part.arguments} --ledger{by} --markdown"
        splice_into(form.splice, command, ledger_markdown(rows))
    elif form.as_json:
        print_json(ledger_document(loaded, rows, doubts))
    elif form.markdown:
        click.echo(ledger_markdown(rows), nl=False)
    else:
        factors = {name for row in rows for name, _ in row.levels}
        title = "where the capacity went, in %"
        print_table(*study_ledger_rows(rows), title=title, names=len(factors))
    say_cautions(study, {"": doubts})
    missing = plan.lacking(results)
    if missing:
        say(
            f"{missing} of {plan.planned_runs} runs have no result; to run them:\n"
            f"  {study_command('run', study, part, store)}"
        )


def _check_factor(rows: "Sequence[LedgerRow]", factor: str) -> None:
    known = dict.fromkeys(name for row in rows for name, _ in row.levels)
    if factor not in known:
        raise BadInput([f"--by: unknown factor {factor!r}; known: {', '.join(known)}"])

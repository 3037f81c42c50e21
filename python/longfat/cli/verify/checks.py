"""`longfat verify checks`: check the models by laws, worked examples and traces of ns-2."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from longfat.base.errors import CheckFailed, LongfatError
from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table, say

Outcome = dict[str, Any]


@click.command("checks")
@click.argument("words", nargs=-1)
@click.option(
    "--scenario",
    "as_scenario",
    is_flag=True,
    help="Print the scenario of the one trace named by WORDS, as JSON to run or to change.",
)
@json_option
def command(words: Sequence[str], as_scenario: bool, as_json: bool) -> None:
    """Check the models against analytic laws, examples of RFCs and papers, and traces of ns-2.

    WORDS choose checks whose names contain all of them, or the one check with that name; by default
    all run. Exit code 3 if a check fails.

    Example: longfat verify ns-2 reno
    """
    from longfat import _engine
    from longfat.running.execution import usable_cores

    names = _chosen([name for name, _ in _engine.verification_checks()], words)
    if as_scenario:
        click.echo(_engine.verification_scenario(_only(names)))
        return
    with ThreadPoolExecutor(usable_cores()) as pool:
        outcomes: list[Outcome] = [json.loads(text) for text in pool.map(_engine.verify, names)]
    failed = [outcome for outcome in outcomes if not outcome["passed"]]
    if as_json:
        print_json({"checks": outcomes})
    else:
        _print_outcomes(outcomes)
    if failed:
        raise CheckFailed(f"{len(failed)} of {len(outcomes)} checks failed")
    say(f"all {len(outcomes)} checks passed" if len(outcomes) > 1 else "the check passed")


def _chosen(names: Sequence[str], words: Sequence[str]) -> list[str]:
    phrase = " ".join(words).lower()
    exact = [name for name in names if phrase in (name.lower(), name.lower().removeprefix("ns-2 "))]
    if exact:
        return exact
    chosen = [name for name in names if all(word.lower() in name.lower() for word in words)]
    if not chosen:
        wanted = " and ".join(repr(word) for word in words)
        raise LongfatError(
            f"no check has {wanted} in its name; `longfat verify` without words runs and lists all"
        )
    return chosen


def _only(names: Sequence[str]) -> str:
    if len(names) != 1:
        few = ", ".join(repr(name) for name in names[:5])
        raise LongfatError(f"--scenario is for one trace; these words name {len(names)}: {few}, …")
    return names[0]


def _print_outcomes(outcomes: Sequence[Outcome]) -> None:
    rows = [
        [
            "ok" if outcome["passed"] else "FAILED",
            outcome["kind"],
            outcome["name"],
            outcome["detail"],
        ]
        for outcome in outcomes
    ]
    print_table(["", "kind", "check", "finding"], rows)

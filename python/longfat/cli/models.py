"""`longfat models`: what a scenario can be made of, as the engine declares it."""

import json
from collections.abc import Mapping
from typing import Any

import click

from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table
from longfat.errors import LongfatError


@click.command("models")
@click.argument("kind", required=False)
@json_option
def command(kind: str | None, as_json: bool) -> None:
    """List the models, or those of one KIND: source, parameters, defaults.

    Example: longfat models drop-policy
    """
    from longfat import _engine

    models = json.loads(_engine.models())
    if kind is not None:
        kinds = list(dict.fromkeys(model["kind"] for model in models))
        if kind not in kinds:
            raise LongfatError(f"no kind of model is called {kind!r}; kinds: {', '.join(kinds)}")
        models = [model for model in models if model["kind"] == kind]
    if as_json:
        print_json(models)
        return
    rows = [[model["kind"], model["name"], model["summary"], model["source"]] for model in models]
    print_table(["kind", "name", "summary", "source"], rows)
    for model in models if kind is not None else ():
        _print_parameters(model)


def _print_parameters(model: Mapping[str, Any]) -> None:
    rows = [[str(value) for value in parameter.values()] for parameter in model["parameters"]]
    if rows:
        print_table(list(model["parameters"][0]), rows, title=model["name"])

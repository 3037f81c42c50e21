"""`longfat models`: the models that scenarios can use, as the engine declares them."""

import difflib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import click

from longfat.base.errors import LongfatError
from longfat.cli.options import json_option
from longfat.cli.talk import print_json, print_table, say_where_codes_lead

Model = Mapping[str, Any]


@click.command("models")
@click.argument("name", metavar="KIND|NAME", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the models, or those of one KIND or NAME: source, parameters, defaults.

    Example: longfat models drop-policy

    Example: longfat models cubic
    """
    from longfat import _engine

    models = json.loads(_engine.models())
    if name is not None:
        models = _called(models, name)
    if as_json:
        print_json(models)
        return
    rows = [[model["kind"], model["name"], model["summary"], model["source"]] for model in models]
    print_table(["kind", "name", "summary", "source"], rows)
    for model in models if name is not None else ():
        _print_parameters(model)
    say_where_codes_lead(json.dumps(model) for model in models)


def _called(models: Sequence[Model], name: str) -> list[Model]:
    """Return the models of a kind, or else those of a name, which several kinds may use.

    Ignores case and hyphens. Raises `LongfatError` for a name of neither.
    """
    for key in ("kind", "name"):
        if found := [model for model in models if _plain(model[key]) == _plain(name)]:
            return found
    kinds = list(dict.fromkeys(model["kind"] for model in models))
    spelled = {_plain(model[key]): model[key] for model in models for key in ("name", "kind")}
    near = difflib.get_close_matches(_plain(name), spelled, n=1)
    hint = f"; did you mean {spelled[near[0]]!r}?" if near else ""
    raise LongfatError(
        f"no model, and no kind of model, is called {name!r}{hint}; kinds: {', '.join(kinds)}"
    )


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", " ").replace("_", " ")


def _print_parameters(model: Model) -> None:
    rows = [_described(parameter) for parameter in model["parameters"]]
    if rows:
        print_table(list(rows[0]), [list(row.values()) for row in rows], title=model["name"])


def _described(parameter: Model) -> dict[str, str]:
    """Return a row for a parameter by column; for a preset, a value that it sets."""
    if "value" in parameter:
        return {
            "parameter": parameter["name"],
            "value": str(parameter["value"]),
            "what it is": parameter["doc"],
        }
    return {
        "parameter": parameter["name"],
        "default": "(needed)" if parameter["default"] is None else str(parameter["default"]),
        "expected": parameter["expected"],
        "alternatives": ", ".join(map(str, parameter["alternatives"])),
        "what it is": parameter["doc"],
    }

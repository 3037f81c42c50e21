"""`longfat doctor`: the facts for a bug report, and a check of this build and the store."""

from typing import Any

import click

from longfat.base.errors import CheckFailed, LongfatError
from longfat.base.location import shown
from longfat.cli.options import json_option, store_option
from longfat.cli.talk import print_json, print_table, say_if_debug_build


@click.command("doctor")
@store_option
@json_option
def command(store: str, as_json: bool) -> None:
    """Show versions, build profile, cores and the health of the store.

    Exit code 3 if the store is damaged.
    """
    from longfat.running.execution import usable_cores

    document = {**_versions(), "cores": usable_cores(), "store": _store_health(store)}
    if as_json:
        print_json(document)
    else:
        rows = [[name, str(value)] for name, value in document.items() if name != "store"]
        rows += [[f"store {name}", str(value)] for name, value in document["store"].items()]
        print_table(["", ""], rows)
    say_if_debug_build()
    if document["store"].get("check", "ok") != "ok":
        raise CheckFailed(document["store"]["check"])


def _versions() -> dict[str, Any]:
    import platform
    from importlib.metadata import version

    from longfat import _engine

    return {
        "longfat": version("longfat"),
        "engine": _engine.ENGINE_VERSION,
        "build_profile": _engine.BUILD_PROFILE,
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def _store_health(location: str) -> dict[str, Any]:
    from longfat.store import Store

    described = {"name": shown(location)}
    try:
        with Store.readable(location) as opened:
            if opened.is_new:
                return {**described, "exists": False}
            health = opened.health()
    except LongfatError as error:
        return {**described, "exists": True, "check": str(error)}
    if health["check"] != "ok":
        health["check"] = f"{described['name']}: {health['check']}"
    return {**described, "exists": True, **health}

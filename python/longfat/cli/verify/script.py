"""`longfat verify script`: play scripts of exchanges against a sender of TCP or QUIC."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from longfat.base.errors import CheckFailed, LongfatError
from longfat.cli.options import control_option, json_option
from longfat.cli.talk import print_json, say


@click.command("script")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--show", is_flag=True, help="Print all that happened, also of scripts that pass.")
@control_option
@json_option
def command(files: Sequence[Path], show: bool, as_json: bool) -> None:
    """Play scripts of an exchange: acknowledgments that arrive, segments that must be sent.

    A script sets the end system and says, line by line, what reaches the sender and what it must
    send at which time; see docs/guide/scripts.md. Exit code 3 if an expectation is not met.

    Example: longfat verify script examples/scripts/limited-transmit.script --show
    """
    from longfat import _engine

    played = {str(file): json.loads(_engine.play_script(_text(file), str(file))) for file in files}
    if as_json:
        print_json({"scripts": [{"file": file, **each} for file, each in played.items()]})
    else:
        for file, each in played.items():
            if show or each["failure"]:
                for line in each["transcript"]:
                    click.echo(f"{line['time_s'] * 1e3:>12,.3f} ms  {line['what']}")
            click.echo(each["failure"] or f"{file}: {each['met']} expectations met")
    failed = [file for file, each in played.items() if each["failure"]]
    if failed:
        raise CheckFailed(f"{len(failed)} of {len(played)} scripts failed")
    say("every script passed")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text in UTF-8"
        raise LongfatError(f"{file} cannot be read: {reason}") from error

"""`longfat completion`: the script with which a shell completes verbs, options and names."""

import click

WHERE = {
    "bash": "~/.local/share/bash-completion/completions/longfat",
    "zsh": "~/.local/share/zsh/site-functions/_longfat",
    "fish": "~/.config/fish/completions/longfat.fish",
}
"""Files that each shell reads by itself; zsh if the folder is in its `fpath`."""


@click.command("completion")
@click.argument("shell", type=click.Choice(list(WHERE)))
def command(shell: str) -> None:
    """Print the script with which SHELL completes verbs, options, studies and plots.

    bash reads ~/.local/share/bash-completion/completions/longfat, fish
    ~/.config/fish/completions/longfat.fish; zsh reads _longfat in a folder of its fpath.

    Example: longfat completion fish > ~/.config/fish/completions/longfat.fish
    """
    from click.shell_completion import get_completion_class

    main = click.get_current_context().find_root().command
    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(main, {}, "longfat", "_LONGFAT_COMPLETE").source())

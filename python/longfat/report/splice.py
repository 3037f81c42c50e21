"""Replaces what stands in a page between two comments that name the command that wrote it."""

from longfat.base.errors import LongfatError


def spliced(page: str, command: str, text: str, source: str) -> str:
    """`page` with `text` between the markers of `command`; `source` names the page in messages.

    Raises `LongfatError` when the page does not have both markers, once and in order.
    """
    begin, end = f"<!-- BEGIN: {command} -->", f"<!-- END: {command} -->"
    before, begin_found, rest = page.partition(begin)
    _, end_found, after = rest.partition(end)
    if not (begin_found and end_found) or begin in after:
        raise LongfatError(
            f"{source}: the page needs these two lines once, for the text to stand between:\n"
            f"{begin}\n{end}"
        )
    return f"{before}{begin}\n{text.strip()}\n{end}{after}"

"""Replacement of generated text in a page, between two comments that name its command."""

from longfat.base.errors import LongfatError


def spliced(page: str, command: str, text: str, source: str) -> str:
    """Return `page` with `text` between the markers of `command`; `source` is for messages.

    Raises `LongfatError` unless the page has both markers, once and in order.
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

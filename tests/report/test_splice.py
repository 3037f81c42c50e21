import pytest

from longfat.base.errors import LongfatError
from longfat.report.splice import spliced

COMMAND = "longfat study compare small --markdown"
PAGE = f"# Title\n<!-- BEGIN: {COMMAND} -->\nold\n<!-- END: {COMMAND} -->\nafter\n"


def test_only_what_stands_between_the_markers_is_replaced() -> None:
    page = spliced(PAGE, COMMAND, "new\n", "page.md")
    assert page == PAGE.replace("old", "new")
    assert spliced(page, COMMAND, "new\n", "page.md") == page


@pytest.mark.parametrize(
    "page",
    [
        "",
        PAGE.replace("END", "ENDE"),
        PAGE.replace("BEGIN", "BEGINN"),
        PAGE.replace("small", "other"),
        PAGE + PAGE,
    ],
)
def test_a_page_without_its_markers_is_refused_with_their_names(page: str) -> None:
    with pytest.raises(LongfatError, match=r"page.md: the page needs these two lines") as caught:
        spliced(page, COMMAND, "new", "page.md")
    assert f"<!-- BEGIN: {COMMAND} -->" in str(caught.value)

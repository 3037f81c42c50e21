"""Report of a study: a self-contained page of HTML.

`contents` gathers the data, `sections` renders them, `page` assembles the file. Nothing here
simulates: the traces of runs that are plotted over time are passed in.
"""

from longfat.report.study_report.contents import Contents, gather
from longfat.report.study_report.page import page

__all__ = ["Contents", "gather", "page"]

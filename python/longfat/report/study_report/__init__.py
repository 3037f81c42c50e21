"""A report of a study: one page of HTML that carries everything and can be mailed.

`contents` gathers what there is to say, `sections` says it, `page` makes the file. Nothing here
simulates: the runs that are shown over time come with their traces.
"""

from longfat.report.study_report.contents import Contents, gather
from longfat.report.study_report.page import page

__all__ = ["Contents", "gather", "page"]

"""`longfat.plot` in a notebook: what is no source of a plot is told what would be one."""

from pathlib import Path
from typing import Any

import pytest

import longfat


@pytest.mark.parametrize(
    ("kind", "source", "told"),
    [
        ("three-panel", 5, "the traces of runs (longfat.traced(scenario)) or their folders"),
        ("three-panel", [], "the traces of runs"),
        ("three-panel", [Path("a"), 5], "the traces of runs"),
        ("cwnd", {"components": []}, "the traces of runs"),
        ("efficiency-fairness", "ubr-plus", "a study (longfat.study(name))"),
        ("ledger", None, "a study (longfat.study(name))"),
        ("variation", "a.json", "an analysis (longfat.study(name).analyze(response))"),
    ],
)
def test_a_source_of_another_kind_is_refused(kind: str, source: Any, told: str) -> None:
    with pytest.raises(longfat.LongfatError) as error:
        longfat.plot(kind, source)
    assert str(error.value).startswith(f"{kind} shows {told}")


def test_a_study_is_no_traces(study_folder: Path) -> None:
    with pytest.raises(longfat.LongfatError, match="cwnd shows .* not StudyAtHand"):
        longfat.plot("cwnd", longfat.study(study_folder))

"""Tables of pages are as programs and their records say."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from benchmarks.recorded import Recorded
from tools import tables

ROOT = Path(__file__).parent.parent
MEASURED = re.findall(
    r"python -m (benchmarks\.\w+) --splice (\S+)", (ROOT / "Makefile").read_text()
)


@pytest.mark.parametrize("page", tables.TABLES)
def test_a_page_has_what_constants_and_records_say(page: str) -> None:
    """`python -m tools.tables` writes it."""
    assert (ROOT / page).read_text() == tables.written(page)


@pytest.mark.parametrize(("program", "page"), MEASURED)
def test_a_page_has_the_newest_record_of_a_measurement(program: str, page: str) -> None:
    """`make docs` writes it."""
    (measurement,) = (
        kept for kept in vars(import_module(program)).values() if isinstance(kept, Recorded)
    )
    assert measurement.newest().strip() in (ROOT / page).read_text()


def test_constants_of_the_engine_are_read_with_their_arithmetic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crates").mkdir()
    declared = "const SMALL: u64 = 1_000;\n    pub const LARGE: usize = 3 * 256 << 20;\n"
    (tmp_path / "crates/limits.rs").write_text(declared)
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert tables.constant("limits.rs", "SMALL") == 1000
    assert tables.constant("limits.rs", "LARGE") == 3 * 256 * 2**20
    with pytest.raises(ValueError, match="not enough values"):
        tables.constant("limits.rs", "ABSENT")

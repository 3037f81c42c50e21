"""Reference tables: a text is a table of finite numbers for known combinations, or is refused.

Run it as the other targets (needs atheris); `tests/test_hostile_input.py` goes through its corpus.
"""

import math
import sys
from pathlib import Path

LEVELS = {"config": ["lan", "wan"], "policy": ["epd", "fba"]}
METRICS = ["efficiency", "fairness"]
NAME = Path("table.csv")


def check(data: bytes) -> None:
    """Raise `AssertionError` if something does not hold for these bytes."""
    from longfat.base.errors import BadInput, LongfatError
    from longfat.studies.reference import ReferenceRow, read_reference

    refusal: LongfatError | None = None
    rows: list[ReferenceRow] = []
    try:
        rows = read_reference(data, NAME, LEVELS, METRICS)
    except LongfatError as error:
        refusal = error
    if refusal is not None:
        problems = refusal.problems if isinstance(refusal, BadInput) else [str(refusal)]
        assert problems, "refused without a word"
        assert all(problem.startswith(f"{NAME}:") for problem in problems), problems
    assert len({row.combination for row in rows}) == len(rows)
    for row in rows:
        assert all(level in LEVELS[factor] for factor, level in row.combination)
        assert all(math.isfinite(value) for value in row.values.values())
        assert row.doubtful <= set(METRICS)


def main() -> None:
    """Let atheris make up bytes."""
    import atheris

    read_by = ["longfat.studies.reference", "longfat.base.files", "longfat.base.cells"]
    with atheris.instrument_imports(include=read_by):
        import longfat.studies.reference  # noqa: F401
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

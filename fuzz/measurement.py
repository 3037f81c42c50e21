"""Measured files: a text is a path that no scenario can mistake, or is refused in one line.

Run it as the other targets (needs atheris); `tests/test_hostile_input.py` goes through its corpus.
"""

import sys

WINDOW_MS = 300


def check(data: bytes) -> None:
    """Raise `AssertionError` if something does not hold for these bytes, given to any importer."""
    from longfat.base.errors import BadInput
    from longfat.schedules import IMPORTERS, importer, looks_like
    from longfat.schedules.measured import Measured
    from longfat.schedules.options import Options
    from longfat.schedules.sample import Sample
    from longfat.schedules.table import read_table
    from longfat.schedules.written import text_and_notes

    sample = Sample("measured", data)
    kind = looks_like(sample)
    assert kind is None or kind.isprintable()
    # Parquet is read by polars, descriptions of orbits by the engine, whose target is `orbit`.
    for name in IMPORTERS.keys() - {"parquet", "orbit"}:
        chosen = importer(name)
        refusal: BadInput | None = None
        path = Measured(())
        try:
            given = dict.fromkeys(chosen.FILES, sample)
            path = chosen.measured(given, Options(WINDOW_MS)).checked("measured")
        except BadInput as error:
            refusal = error
        if refusal is not None:
            (problem,) = refusal.problems
            assert problem.startswith("measured"), problem
            assert problem.isprintable(), problem
            continue
        for form in (None, "both"):
            text, notes = text_and_notes(path, form, "measured")
            assert all(note.isprintable() for note in notes)
            assert text_and_notes(read_table(text, name), form, "measured")[0] == text


def main() -> None:
    """Let atheris make up bytes."""
    import atheris

    read_by = ["longfat.schedules", "longfat.base.files", "longfat.base.cells"]
    with atheris.instrument_imports(include=read_by):
        from longfat.schedules import IMPORTERS, importer

        for name in IMPORTERS:
            importer(name)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

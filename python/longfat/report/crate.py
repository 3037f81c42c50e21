"""A study as a research object: its files, a table of its runs, and where the numbers come from.

The folder is an RO-Crate (https://w3id.org/ro/crate/1.1) of the profile Process Run Crate 0.5: the
simulation of all runs is an action whose instrument is longfat, whose objects are the files of the
study and whose result is the table. Times are those of the store.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.base.extras import need
from longfat.base.files import written_whole
from longfat.report.study_report.provenance import digests, fingerprint
from longfat.results.comparison import Results
from longfat.store import Store
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Plan

DESCRIPTION = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"

FORMATS: Mapping[str, str] = {
    "parquet": "application/vnd.apache.parquet",
    "csv": "text/csv",
}
"""Media types of the table of runs, by format."""

NO_LICENSE = "none stated"

_IDENTITY = {
    "run_id": "identifier of the run: a hash of the model, the scenario, the seed and the number",
    "scenario_hash": "hash of the scenario without seed and replication",
    "seed": "seed of all randomness",
    "replication": "number of the replication; 0 is the scenario as it stands",
    "engine": "release and model of the engine",
    "fingerprint": "hash of everything that happened in the run",
}
"""Columns of the table before factors and metrics, with their meaning."""


def write_crate(
    plan: Plan, results: Results, store: Store, folder: Path, form: str, license_: str | None
) -> int:
    """Write the runs of a plan that are done into a new folder; return their number.

    Raises `LongfatError` if the folder has anything in it already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise LongfatError(f"{folder}: has files in it; name a folder that is new or empty")
    done = [
        run_id
        for run_id, run in plan.distinct.items()
        if run.replication in results[run.combination]
    ]
    if not done:
        raise LongfatError(f"{store.name}: no run of {plan.study.name} to export")
    folder.mkdir(parents=True, exist_ok=True)
    table = f"runs.{form}"
    _write_table(_rows(plan, store, done), folder / table, form)
    files = [name for name, _ in digests(plan.study) if name != "scenario"]
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(plan.study.folder / name, folder / name)
    scenario = Path(plan.study.scenario_source).name
    (folder / scenario).write_bytes(plan.study.scenario_text)
    described = _metadata(plan, results, store.span(done), [*files, scenario], table, license_)
    with written_whole(folder / DESCRIPTION) as partial:
        partial.write_text(json.dumps(described, indent=1) + "\n")
    return len(done)


def _rows(plan: Plan, store: Store, done: Sequence[str]) -> Iterator[dict[str, Any]]:
    names = [factor.name for factor in plan.study.factors]
    for stored in store.stored_runs(done):
        planned = plan.distinct[stored.run_id]
        levels = plan.study.levels(planned.combination)
        yield {
            "run_id": stored.run_id,
            "scenario_hash": stored.scenario.hash,
            "seed": stored.scenario.settings["seed"],
            "replication": planned.replication,
            "engine": stored.engine,
            "fingerprint": stored.fingerprint,
            **dict(zip(names, levels, strict=True)),
            **{name: (stored.metrics or {}).get(name) for name in _engine.METRICS},
        }


def _write_table(rows: Iterator[dict[str, Any]], file: Path, form: str) -> None:
    need("analysis", "the table of a crate", "polars")
    import polars

    frame = polars.DataFrame(list(rows), infer_schema_length=None, strict=False)
    if form == "csv":
        frame.write_csv(file)
    else:
        frame.write_parquet(file)


def _metadata(
    plan: Plan,
    results: Results,
    span: tuple[str, str],
    files: Sequence[str],
    table: str,
    license_: str | None,
) -> dict[str, Any]:
    study, (begun, ended) = plan.study, span
    columns = list(_columns(study))
    return {
        "@context": CONTEXT,
        "@graph": [
            {
                "@id": DESCRIPTION,
                "@type": "CreativeWork",
                "conformsTo": {"@id": SPECIFICATION},
                "about": {"@id": "./"},
            },
            {
                "@id": "./",
                "@type": "Dataset",
                "conformsTo": {"@id": PROFILE},
                "name": study.title,
                "description": f"Simulated runs of the study {study.name}: {study.citation}",
                "datePublished": ended,
                "license": NO_LICENSE if license_ is None else {"@id": license_},
                "hasPart": _references([table, *files]),
                "mentions": {"@id": "#simulation"},
            },
            {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate"},
            {
                "@id": "#simulation",
                "@type": "CreateAction",
                "name": f"Simulation of {study.name}",
                "instrument": {"@id": "#longfat"},
                "object": _references(files),
                "result": {"@id": table},
                "startTime": begun,
                "endTime": ended,
            },
            {
                "@id": "#longfat",
                "@type": "SoftwareApplication",
                "name": "longfat",
                "version": _engine.ENGINE_VERSION,
                "identifier": f"sha256:{_engine.ENGINE_BUILD}",
                "description": "Simulator of transport over long fat networks.",
            },
            {
                "@id": table,
                "@type": "File",
                "name": "Table of runs",
                "description": "A row for each run: its identity, its factors, its metrics.",
                "encodingFormat": FORMATS[table.rpartition(".")[2]],
                "identifier": f"sha256:{fingerprint(plan, results)}",
                "variableMeasured": _references([column["@id"] for column in columns]),
            },
            *(
                {"@id": name, "@type": "File", "name": name, "sha256": digest}
                for name, digest in zip(files, _digests(study), strict=True)
            ),
            *columns,
        ],
    }


def _digests(study: StudyDefinition) -> list[str]:
    """Return the digests of the files of a study, and that of its scenario, which is last."""
    return [digest for _, digest in digests(study)]


def _columns(study: StudyDefinition) -> Iterator[dict[str, Any]]:
    for name, meaning in _IDENTITY.items():
        yield _column(name, meaning)
    for factor in study.factors:
        yield _column(factor.name, f"level of the factor {factor.name}")
    for name, meaning, _, _ in _engine.DECLARED_METRICS:
        yield _column(name, meaning)


def _column(name: str, meaning: str) -> dict[str, Any]:
    return {
        "@id": f"#column-{name}",
        "@type": "PropertyValue",
        "name": name,
        "description": meaning,
    }


def _references(names: Sequence[str]) -> list[dict[str, str]]:
    return [{"@id": name} for name in names]

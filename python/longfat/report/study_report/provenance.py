"""Provenance of a report: digests of the study's files and of its results."""

import hashlib
import json

from longfat.base.files import read_bytes
from longfat.results.comparison import Results
from longfat.studies.definition import StudyDefinition
from longfat.studies.kinds import CLAIMS_FILE
from longfat.studies.plan import Plan


def digests(study: StudyDefinition) -> list[tuple[str, str]]:
    """Return the files of a study, each with its SHA-256."""
    references = [response.reference for response in study.responses if response.reference]
    controls = [str(control.path.relative_to(study.folder)) for control in study.controls.values()]
    names = dict.fromkeys([study.file.name, CLAIMS_FILE, *controls, *references])
    found = [
        (name, _digest(read_bytes(study.folder / name)))
        for name in names
        if (study.folder / name).is_file()
    ]
    return [*found, ("scenario", _digest(study.scenario_text))]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def fingerprint(plan: Plan, results: Results) -> str:
    """Compute one SHA-256 over the metrics of all runs of a plan, in the order of run ids."""
    digest = hashlib.sha256()
    for run_id, run in sorted(plan.distinct.items()):
        metrics = results[run.combination].get(run.replication)
        digest.update(f"{run_id} {json.dumps(metrics, sort_keys=True)}\n".encode())
    return digest.hexdigest()

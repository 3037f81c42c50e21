"""What the numbers of a report go back to."""

import hashlib
import json

from longfat.claims import CLAIMS_FILE
from longfat.comparison import Results
from longfat.plan import Plan
from longfat.study import STUDY_FILE, Study


def digests(study: Study) -> list[tuple[str, str]]:
    """The files of a study and their SHA-256: its description, its scenario, claims, references."""
    files = [study.folder / STUDY_FILE, study.folder / CLAIMS_FILE]
    files += sorted((study.folder / "reference").glob("*.csv"))
    found = [
        (file.relative_to(study.folder).as_posix(), hashlib.sha256(file.read_bytes()).hexdigest())
        for file in files
        if file.is_file()
    ]
    return [*found, ("scenario", hashlib.sha256(study.scenario_text).hexdigest())]


def fingerprint(plan: Plan, results: Results) -> str:
    """One SHA-256 for the metrics of all runs of a plan, by run id: equal for equal results."""
    digest = hashlib.sha256()
    for run_id, run in sorted(plan.distinct.items()):
        metrics = results[run.combination].get(run.replication)
        digest.update(f"{run_id} {json.dumps(metrics, sort_keys=True)}\n".encode())
    return digest.hexdigest()

"""Charts of a stored run, which is simulated again."""

from pathlib import Path
from typing import Any

from longfat.running.limits import Limits
from longfat.store import Store
from longfat.web.playground import watched


def repeated(location: str, beginning: str, limits: Limits, folder: Path) -> Any:
    """Repeat the run of a store whose id begins so, and return its charts."""
    with Store.readable(location) as store:
        stored = store.find(beginning)
    answer = watched(stored.scenario, limits, folder)
    return answer | {"is_as_stored": answer["fingerprint"] == stored.fingerprint}

"""A run with traces and an analysis to draw."""

import json
from typing import Any

import pytest

from longfat import load_scenario, run
from longfat.analysis.analysis import analyse
from longfat.analysis.experiment import Observation, cross
from longfat.report.analysis import analysis_document
from longfat.running.execution import Watch
from longfat.traces import Traces, load_traces
from tests.traces.conftest import LOSSY


@pytest.fixture(scope="session")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    folder = tmp_path_factory.mktemp("traced")
    (folder / "lossy.toml").write_text(LOSSY)
    run(load_scenario(folder / "lossy.toml"), watch=Watch(traces=folder / "t"))
    return load_traces(folder / "t")


@pytest.fixture(scope="session")
def crowded() -> dict[str, Any]:
    """An analysis of twenty buffers and of four controls with long names, which hardly differ."""
    factors = {
        "control": [f"a control that is paced, {number} of the list" for number in range(4)],
        "buffer": [f"{100 * number} cells" for number in range(1, 21)],
    }
    rows = [
        Observation((control, buffer), str(replication), 0.5 + 0.01 * place * replication, "test")
        for control in factors["control"]
        for place, buffer in enumerate(factors["buffer"])
        for replication in (1, 2)
    ]
    found = analyse(cross("efficiency", factors, rows))
    document: dict[str, Any] = json.loads(json.dumps(analysis_document(found, {"source": "test"})))
    return document


@pytest.fixture(scope="session")
def analysis() -> dict[str, Any]:
    """Three drop policies and two buffers, four replications of each."""
    response = {"ubr": 0.4, "epd": 0.6, "fba": 0.8}
    noise = (0.01, -0.02, 0.03, -0.01)
    rows = [
        Observation(
            (policy, buffer),
            str(replication),
            response[policy] + 0.1 * place + error * (place + 1),
            "test",
        )
        for policy in response
        for place, buffer in enumerate(("small", "large"))
        for replication, error in enumerate(noise)
    ]
    factors = {"policy": list(response), "buffer": ["small", "large"]}
    found = analyse(cross("efficiency", factors, rows))
    document: dict[str, Any] = json.loads(json.dumps(analysis_document(found, {"source": "test"})))
    return document

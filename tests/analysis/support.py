"""Shared helpers of the tests of the analysis."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from longfat.analysis.experiment import Experiment
from longfat.analysis.fit import Array

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples" / "analysis"
REFERENCE = Path(__file__).parent / "reference"
FACTORS = ["tcp_flavor", "buffer_rtt", "drop_policy"]

# Jain (1991), section 18.2: the memory-cache study with three replications.
MEMORY_CACHE = [[[15, 18, 12], [25, 28, 19]], [[45, 48, 51], [75, 75, 81]]]


def experiment(values: Array | Sequence[object], response: str = "y") -> Experiment:
    """An experiment with factors a, b, ... and levels a1, a2, ..."""
    array = np.asarray(values, dtype=np.float64)
    factors = {
        name: [f"{name}{level + 1}" for level in range(count)]
        for name, count in zip("abcdefgh", array.shape[:-1], strict=False)
    }
    return Experiment(response, factors, array)


def reference_rows(name: str) -> list[Mapping[str, str]]:
    with (REFERENCE / name).open(newline="") as file:
        return list(csv.DictReader(file))

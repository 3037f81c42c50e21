"""The engine's random numbers against NumPy, which computes the same function independently."""

import pytest
from numpy.random import Philox

from longfat import _engine


def name_hash(name: str) -> int:
    """64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def numpy_block(seed: int, replication: int, component: str, index: int) -> list[int]:
    # NumPy counts up before it draws.
    before = (index + (replication << 128) - 1) % 2**256
    generator = Philox(key=seed | name_hash(component) << 64, counter=before)
    return [int(word) for word in generator.random_raw(4)]


@pytest.mark.parametrize(
    ("seed", "replication", "component", "index"),
    [
        (1, 0, "flow/1/source", 0),
        (1, 0, "flow/1/source", 1),
        (1, 20, "port/bottleneck/order", 12_345_678_901),
        (2**53, 7, "", 2**63),
    ],
)
def test_streams_are_those_of_numpys_philox(
    seed: int, replication: int, component: str, index: int
) -> None:
    ours = _engine.random_block(seed, replication, component, index)
    assert ours == numpy_block(seed, replication, component, index)

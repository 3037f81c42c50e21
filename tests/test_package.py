import pytest

import longfat


@pytest.mark.parametrize("name", longfat.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(longfat, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = longfat.nonsense

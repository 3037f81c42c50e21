import inspect
import pickle
import subprocess
import sys

import pytest

import longfat


@pytest.mark.parametrize("name", longfat.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(longfat, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(longfat, "nonsense")  # noqa: B009 - type checkers know that there is none


def test_a_notebook_completes_the_public_names_before_any_is_used() -> None:
    listing = "import longfat; print(*(name for name in dir(longfat) if name[0] != '_'))"
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True)
    assert set(longfat.__all__) - {"__version__"} <= set(done.stdout.split())
    assert "TYPE_CHECKING" not in done.stdout


def test_studies_are_opened_by_a_function_that_has_help_and_can_be_pickled() -> None:
    assert inspect.isfunction(longfat.study)
    assert "quick" in inspect.signature(longfat.study).parameters
    assert pickle.loads(pickle.dumps(longfat.study)) is longfat.study

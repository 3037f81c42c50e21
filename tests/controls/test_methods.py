"""Methods of a control that do not take what the engine gives them."""

from pathlib import Path

import pytest

from longfat.base.errors import InvalidInput
from longfat.controls import use_control
from tests.controls.test_controls import EXAMPLES
from tests.support import Longfat

METHODS = """
class Mine:
    def __init__(self, increase):
        self.increase = increase

    def on_acknowledgment(self, window, progress):
        pass

    def on_loss(self, window, flight):
        pass

    def on_timeout(self, window, flight):
        pass
"""


def test_a_method_that_does_not_accept_its_arguments_is_reported_with_its_line(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(METHODS.replace("on_loss(self, window, flight)", "on_loss(self, window)"))
    with pytest.raises(InvalidInput) as refused:
        use_control("mine", file)
    assert refused.value.problems == [
        f"{file}:9: Mine.on_loss(self, window) is called with (self, window, flight)"
    ]


def test_a_class_with_such_a_method_is_refused_with_the_place() -> None:
    class Wrong:
        def on_acknowledgment(self, window: object) -> None: ...
        def on_loss(self, *about: object) -> None: ...
        def on_timeout(self, window: object, flight: int, more: int = 0) -> None: ...

    with pytest.raises(InvalidInput) as refused:
        use_control("wrong", Wrong)
    (problem,) = refused.value.problems
    assert problem.startswith(f"{__file__}:")
    assert "Wrong.on_acknowledgment" in problem
    assert problem.endswith("is called with (self, window, progress)")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("", "missing a required argument: 'increase'"),
        (", parameters = { increase = 1, a = 1 }", "'a'"),
    ],
)
def test_a_control_that_takes_other_parameters_is_reported_with_its_line(
    tmp_path: Path, scenario_file: Path, longfat: Longfat, parameters: str, said: str
) -> None:
    (tmp_path / "mine.py").write_text(METHODS)
    flavor = f'tcp.flavor={{ kind = "external", control = "mine"{parameters} }}'
    process = longfat("run", scenario_file, "--set", flavor, "--control", "mine=mine.py")
    assert process.returncode == 2
    assert said in process.stderr
    assert "(mine.py, line 3, in __init__)" in process.stderr


def test_traces_are_drawn_in_a_process_without_the_control(
    longfat: Longfat, scenario_file: Path
) -> None:
    flavor = 'tcp.flavor={ kind = "external", control = "mine" }'
    run = ("--control", f"mine={EXAMPLES / 'reno.py'}", "--trace", "traces")
    assert longfat("run", scenario_file, "--set", flavor, *run).returncode == 0
    drawn = longfat("plot", "three-panel", "traces", "-o", "run.png")
    assert (drawn.returncode, drawn.stderr) == (0, "drew run.png\n")
    assert longfat("qlog", "traces").returncode == 0
